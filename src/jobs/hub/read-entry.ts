/** Reads what the hub says of a chat. Nothing in it is trusted. */
import { hash } from "node:crypto"
import { canonicalize } from "../../core/canonical-json.ts"
import type { HubEntry } from "./hub.ts"

/** Largest content that is read, in UTF-8 bytes: the limit of a requirement. */
const CONTENT_BYTES_MAX = 64 * 1024
const WORD_MAX = 64

/** Entries in one order, whatever order the hub has: by time, then by key. Repeated and malformed ones are left out. */
export function readEntries(given: readonly unknown[], chainId: number, jobId: string): HubEntry[] {
  const found = new Map<string, HubEntry>()
  for (const one of given) {
    const entry = readEntry(one, chainId, jobId)
    if (entry) found.set(entry.key, entry)
  }
  return [...found.values()].sort((a, b) => a.timestamp - b.timestamp || (a.key < b.key ? -1 : 1))
}

function readEntry(value: unknown, chainId: number, jobId: string): HubEntry | null {
  if (typeof value !== "object" || value === null) return null
  const entry = value as Readonly<Record<string, unknown>>
  const { kind, timestamp } = entry
  if (kind !== "message" && kind !== "system") return null
  if (typeof timestamp !== "number" || !Number.isSafeInteger(timestamp)) return null
  if (String(entry.onChainJobId) !== jobId || Number(entry.chainId) !== chainId) return null
  const content = typeof entry.content === "string" ? entry.content : ""
  if (!content.isWellFormed()) return null
  const tooLarge = Buffer.byteLength(content) > CONTENT_BYTES_MAX
  const event = entry.event as { readonly type?: unknown } | null | undefined
  const contentType = kind === "message" ? word(entry.contentType) : null
  const eventType = kind === "system" ? word(event?.type) : null
  const author = address(entry.from)
  return {
    key: keyOf({ kind, timestamp, jobId, content, contentType, eventType, author }),
    kind,
    contentType,
    eventType,
    author,
    content: tooLarge ? "" : content,
    tooLarge,
    timestamp,
  }
}

function word(value: unknown): string | null {
  return typeof value === "string" && value.length <= WORD_MAX && value.isWellFormed() ? value : null
}

function address(value: unknown): string | null {
  return typeof value === "string" && /^0x[0-9a-fA-F]{40}$/.test(value) ? value.toLowerCase() : null
}

function keyOf(members: Readonly<Record<string, string | number | null>>): string {
  return hash("sha256", canonicalize(members))
}
