/** The tables of the page of limits about what callers share. */
import { SHARED_CAPS, type SharedCap, type SharedCapName } from "../../../src/store/free-writes/shared-caps.ts"
import { code, table } from "../markdown.ts"
import { FREE_WRITES } from "./free-writes.ts"

const HEAD = ["limit", "what", "in all", "window", "of one", "below the floor", "until it ends"]

const number = (value: number) => value.toLocaleString("en-US")

function windowText(ms: number): string {
  const minutes = ms / 60_000
  return minutes === 24 * 60 ? "UTC day" : `${minutes} minutes`
}

function ofOne({ ofAddress, ofAgent, ofDomain, ofMailbox }: SharedCap): string {
  const own = [
    ["address", ofAddress],
    ["identity", ofAgent],
    ["domain", ofDomain],
    ["mailbox", ofMailbox],
  ] as const
  return own.flatMap(([whose, most]) => (most === undefined ? [] : [`${number(most)} of one ${whose}`])).join(", ")
}

export function sharedCapsTable(): string {
  const rows = Object.entries(SHARED_CAPS as Readonly<Record<SharedCapName, SharedCap>>).map(([name, cap]) => [
    code(name),
    cap.what,
    `${number(cap.max)}${cap.scoped ? " of one mail domain" : ""}`,
    windowText(cap.window),
    ofOne(cap),
    cap.ignoresFloor ? "works" : "503 `DISK_RESERVED`",
    cap.instead,
  ])
  return table(HEAD, rows)
}

export function freeWritesTable(): string {
  const rows = FREE_WRITES.map(({ what, by, tables, caps, free }) => [
    what,
    by.join(", "),
    tables.map(code).join(", "),
    caps.map(code).join(", "),
    free ?? "",
  ])
  return table(["write", "by", "tables", "counts for", "free of cap or floor"], rows)
}
