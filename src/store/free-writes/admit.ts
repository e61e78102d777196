/**
 * The one gate before every free write: whether there is room, and whether the caller's share of a cap leaves one more. It counts by
 * primary key, in the unit that writes, so a restart and several processes change nothing.
 */
import { and, eq, lte, sql } from "drizzle-orm"
import { DAY } from "../../core/time.ts"
import { bind, bound, changed, first, query, type Unit, write } from "../engine/unit.ts"
import { purgeOf } from "../purge.ts"
import { placeIn, reservedOf } from "./share.ts"
import { sharedAddress } from "./shared-address.ts"
import type { SharedCap, SharedCapName, SharedCaps } from "./shared-caps.ts"

/** Who causes a free write, and when. */
export interface FreeWriter {
  /** Rate-limit key of the client; null if nothing shows it, as for a message and for a job of the chain. */
  readonly client: string | null
  /** Milliseconds. */
  readonly at: number
  /** Whether more disk is free than free writes must leave. */
  readonly hasSpace: boolean
  readonly caps: SharedCaps
}

/** What else a write is counted for. */
export interface CountedFor {
  readonly agent?: string
  readonly domain?: string
  readonly mailbox?: string
  /** Default 1. */
  readonly amount?: number
}

type Whose = "ADDRESS" | "AGENT" | "DOMAIN" | "MAILBOX" | "ALL"

export interface NotAdmitted {
  readonly kind: "NOT_ADMITTED"
  readonly cap: SharedCapName
  /** Whose share is used up. NO_SPACE: the disk is kept for what is sold. */
  readonly whose: Whose | "NO_SPACE"
  /** When the window ends, in milliseconds. */
  readonly endsAt: number
}

const byShare = query((db, { sharedUse: t }) =>
  db
    .select({ openedAt: t.openedAt, used: t.used, usedAt: t.usedAt })
    .from(t)
    .where(and(eq(t.cap, bind("cap")), eq(t.share, bind("share")))),
)

const count = write((db, { sharedUse: t }) =>
  db
    .insert(t)
    .values({
      cap: bind("cap"),
      share: bind("share"),
      openedAt: bind("openedAt"),
      used: bind("amount"),
      usedAt: bind("usedAt"),
    })
    .onConflictDoUpdate({
      target: [t.cap, t.share],
      set: {
        used: sql`case when ${t.openedAt} = ${bind("openedAt")} then ${t.used} else 0 end + ${bind("amount")}`,
        openedAt: bound("openedAt"),
        usedAt: bound("usedAt"),
      },
    }),
)

interface Use {
  /** In this window. */
  readonly used: number
  /** Used within the last day. */
  readonly isKnown: boolean
}

/** Admits and counts one write, or counts nothing. Call it in the unit that writes, after every other check and before the first write. */
export function* admit(name: SharedCapName, writer: FreeWriter, counted: CountedFor = {}): Unit<NotAdmitted | null> {
  const cap: SharedCap = writer.caps[name]
  const { at, client } = writer
  const { amount = 1 } = counted
  const openedAt = at - (at % cap.window)
  const refused = (whose: NotAdmitted["whose"]): NotAdmitted => ({
    kind: "NOT_ADMITTED",
    cap: name,
    whose,
    endsAt: openedAt + cap.window,
  })
  if (!writer.hasSpace && !cap.ignoresFloor) return refused("NO_SPACE")
  const scope = cap.scoped ? `IN ${counted.domain} ` : ""
  const used = (share: string) => useOf({ cap: name, share: scope + share }, openedAt, at)

  const own = ownShares(cap, counted)
  for (const { whose, share, most } of own) {
    if (most !== undefined && (yield* used(share)).used + amount > most) return refused(whose)
  }
  const all = (yield* used("ALL")).used
  const fromReserve = (yield* used("RESERVE")).used
  const splitter = client === null ? own[0] : { whose: "ADDRESS" as const, share: `ADDRESS ${sharedAddress(client)}` }
  const mine = splitter ? yield* used(splitter.share) : null
  const place = placeIn(
    {
      max: cap.max,
      reserved: client === null ? 0 : reservedOf(cap.max),
      used: all,
      fromReserve,
      mine: mine?.used ?? null,
      isNew: client !== null && mine?.isKnown === false,
      shareMin: cap.shareMin,
      shareMax: cap.ofAddress,
    },
    amount,
  )
  if (place === "ALL_USED_UP") return refused("ALL")
  if (place === "SHARE_USED_UP") return refused(splitter?.whose ?? "ALL")

  const shares = new Set(["ALL", ...own.map((one) => one.share), ...(splitter ? [splitter.share] : [])])
  if (place === "RESERVE") shares.add("RESERVE")
  for (const one of shares) yield* changed(count, { cap: name, share: scope + one, openedAt, amount, usedAt: at })
  return null
}

interface OwnShare {
  readonly whose: Whose
  readonly share: string
  /** Undefined: only counted, to split by it. */
  readonly most: number | undefined
}

function ownShares(cap: SharedCap, { agent, domain, mailbox }: CountedFor): OwnShare[] {
  return [
    ...(agent === undefined ? [] : [{ whose: "AGENT" as const, share: `AGENT ${agent}`, most: cap.ofAgent }]),
    ...(domain === undefined || cap.scoped
      ? []
      : [{ whose: "DOMAIN" as const, share: domainShare(domain), most: cap.ofDomain }]),
    ...(mailbox === undefined ? [] : [{ whose: "MAILBOX" as const, share: `MAILBOX ${mailbox}`, most: cap.ofMailbox }]),
  ]
}

function domainShare(domain: string): string {
  return `DOMAIN ${domain}`
}

function* useOf(key: { readonly cap: string; readonly share: string }, openedAt: number, at: number): Unit<Use> {
  const found = yield* first(byShare, key)
  if (!found) return { used: 0, isKnown: false }
  return { used: found.openedAt === openedAt ? found.used : 0, isKnown: found.usedAt > at - DAY }
}

/** How much of a cap this mail domain used in the window. */
export function* usedByDomain(cap: SharedCapName, { at, caps }: FreeWriter, domain: string): Unit<number> {
  const { window } = caps[cap]
  return (yield* useOf({ cap, share: domainShare(domain) }, at - (at % window), at)).used
}

/** How much of a cap all callers together used in the window of `at` (ms). */
export function* useOfAll(cap: SharedCapName, { window }: SharedCap, at: number): Unit<number> {
  return (yield* useOf({ cap, share: "ALL" }, at - (at % window), at)).used
}

const purge = purgeOf(({ sharedUse: t }) => ({
  key: [t.cap, t.share],
  where: lte(t.usedAt, bind("before")),
  order: [t.usedAt, t.cap, t.share],
}))

/** Removes some shares that nobody used after `before` (ms); returns how many. */
export function* purgeSharedUse(before: number): Unit<number> {
  return yield* changed(purge, { before })
}
