/** Cuts an entry to the length that the facts of an answer may keep of it. */
import type { EntryDetails, StoredEntry, Truncated } from "../../../schemas/entry-details.ts"

interface Fitting {
  readonly details: EntryDetails
  readonly detailsVersion: string
  /** The name that the hit compared. It is never cut. */
  readonly matchedName: string
  /** Of the entry as JSON in UTF-8. */
  readonly bytesMax: number
}

/**
 * Cuts addresses first, then names (never the primary and the matched one), records and the texts of remarks, from the end of each list. Returns
 * null if the rest is still too long.
 */
export function fitEntry({ details, detailsVersion, matchedName, bytesMax }: Fitting): StoredEntry | null {
  const entry: StoredEntry = { details_version: detailsVersion, ...details }
  let over = bytesOf(entry) - bytesMax
  if (over <= 0) return entry
  const truncated: Truncated = {}
  entry.truncated = truncated
  // The counts take bytes too: at most this many.
  over += bytesOf({ truncated: { addresses: 1e6, names: 1e6, records: 1e6, remarks: 1e7 } })
  const cut = <Item>(items: readonly Item[], keep: (item: Item) => boolean) => {
    const kept: Item[] = []
    for (const item of [...items].reverse()) {
      if (over > 0 && !keep(item)) over -= bytesOf(item) + 1
      else kept.push(item)
    }
    return kept.reverse()
  }
  for (const member of ["addresses", "records"] as const) {
    if (member === "records") cutNames(entry, truncated, (names) => cut(names, (one) => isNeeded(one, matchedName)))
    const before = entry[member]
    if (over <= 0 || before === undefined) continue
    const kept = cut<unknown>(before, () => false)
    truncated[member] = before.length - kept.length
    if (kept.length === 0) delete entry[member]
    else entry[member] = kept as never
  }
  if (over > 0) cutRemarks(entry, truncated, over)
  return bytesOf(entry) <= bytesMax ? entry : null
}

type Names = EntryDetails["names"]

function isNeeded({ kind, text }: Names[number], matchedName: string): boolean {
  return kind === "primary" || text === matchedName
}

function cutNames(entry: StoredEntry, truncated: Truncated, cut: (names: Names) => Names): void {
  const names = cut(entry.names)
  const left = entry.names.length - names.length
  if (left > 0) truncated.names = left
  entry.names = names
}

/** Cuts the last text first. */
function cutRemarks(entry: StoredEntry, truncated: Truncated, over: number): void {
  let left = over
  let cut = 0
  const kept = [...(entry.remarks ?? [])].reverse().map(({ label, text }) => {
    const short = left > 0 ? shortened(text, left) : text
    left -= bytesOf(text) - bytesOf(short)
    cut += text.length - short.length
    return { label, text: short }
  })
  if (cut === 0) return
  truncated.remarks = cut
  entry.remarks = kept.reverse()
}

/** Returns the first part of a text, shorter by at least `bytes` as JSON. It ends with no half of a pair. */
function shortened(text: string, bytes: number): string {
  const most = Math.max(2, bytesOf(text) - bytes)
  // A UTF-16 unit takes one byte or more, and up to three unless it is escaped.
  let first = text.slice(0, most)
  for (let over = bytesOf(first) - most; over > 0; over = bytesOf(first) - most)
    first = first.slice(0, Math.max(0, first.length - Math.ceil(over / 3)))
  return first.isWellFormed() ? first : first.slice(0, -1)
}

function bytesOf(value: unknown): number {
  return Buffer.byteLength(JSON.stringify(value))
}
