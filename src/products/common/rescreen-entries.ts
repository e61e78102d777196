/**
 * Compares the listed entries in stored facts with the publishers' kept bytes. Only the same version of the reader must give the same entry; with
 * another one the report says that the entries were not compared.
 */
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import type { ScreeningHit } from "../../../schemas/screening-facts.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { Report } from "../../offline/report.ts"
import type { ListedEntries } from "../../sources/details/entry-book.ts"
import { keptFiles } from "../../sources/import/kept-files.ts"
import { snapshotFolder } from "../../sources/import/snapshot-files.ts"
import { adapterOf } from "../../sources/list-registry.ts"
import { type ScreenedMembers, storedEntries, withEntries, withoutEntries } from "./stored-entries.ts"

type Facts = Pick<AnswerFacts, "sources"> & ScreenedMembers

/** A list whose kept bytes are those that were used. */
interface Kept {
  readonly sourceId: string
  readonly snapshotId: string
}

/** Adds one line if the facts have entries. */
export function rescreenEntries(report: Report, root: string, facts: Facts, kept: readonly Kept[]): void {
  const stored = storedEntries(facts)
  if (stored.length === 0) return
  const why = stored.map((hit) => notComparable(hit, kept)).find((one) => one !== null) ?? null
  if (why !== null) {
    report.note("listed entries", `not compared: ${why}`)
    return
  }
  const again = { ...withoutEntries(facts), format: "" }
  const entries = keptEntries(root, stored, kept)
  const same = canonicalize(printed(storedEntries(withEntries(again, entries)))) === canonicalize(printed(stored))
  report.check("listed entries", same, {
    ok: `${stored.length}, as the kept bytes print them`,
    invalid: "the kept bytes print an entry otherwise",
  })
}

/** Returns why the entry of a hit cannot be compared; a sentence without its end. */
function notComparable({ source_id: sourceId, entry }: ScreeningHit, kept: readonly Kept[]): string | null {
  const version = adapterOf(sourceId)?.detailsVersion
  if (!kept.some((one) => one.sourceId === sourceId)) return `the bytes of ${sourceId} were not compared`
  if (entry?.details_version !== version) return `read by ${entry?.details_version}; this program has ${version}`
  if (entry?.removed_at !== undefined) return `an entry had left ${sourceId} before the kept bytes were published`
  return null
}

function printed(hits: readonly ScreeningHit[]) {
  return hits.map(({ entry }) => entry)
}

/** The entries of these hits alone: a hit that was stored without its entry gets none again. */
function keptEntries(root: string, stored: readonly ScreeningHit[], kept: readonly Kept[]): ListedEntries {
  const found = new Map<string, EntryDetails>()
  for (const { sourceId, snapshotId } of kept) {
    const ids = new Set(stored.filter((hit) => hit.source_id === sourceId).map((hit) => hit.entry_id))
    const adapter = adapterOf(sourceId)
    if (ids.size === 0 || !adapter) continue
    adapter.details(keptFiles(snapshotFolder(root, sourceId, snapshotId), sourceId), (details) => {
      if (ids.has(details.entry_id)) found.set(`${sourceId} ${details.entry_id}`, details)
    })
  }
  return {
    entryOf(sourceId, _, entryId) {
      const details = found.get(`${sourceId} ${entryId}`)
      const detailsVersion = adapterOf(sourceId)?.detailsVersion
      return details && detailsVersion ? { detailsVersion, details } : null
    },
  }
}
