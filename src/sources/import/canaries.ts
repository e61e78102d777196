/** Canary test of a new list: listed names must match and a nonsense name must not. A stored list that screening cannot find is useless. */
import type { ListTables } from "../boards/list-tables.ts"
import type { Finding, SourceAdapter } from "../records/adapter.ts"
import { hard } from "../records/findings.ts"
import type { Party } from "../records/party.ts"
import type { NameIndex } from "../screening/name-index.ts"
import { mergeNames } from "../screening/name-tables.ts"
import { type ScreenResult, screen, TOLERANCE_THRESHOLD } from "../screening/screen.ts"
import { openSharedIndex } from "../screening/shared-index.ts"

/** Number of the snapshot's own names to screen, spread evenly over it. */
const SAMPLED_NAMES = 50
/** A shorter name proves nothing about the index. */
const LETTERS_MIN = 5
const NONSENSE = "Qwzxv Jkhtrp Vlmngw"

/** `tables`: the list as it will be screened, with `parties` first and then those that left it. */
export function missedCanaries(
  adapter: Pick<SourceAdapter, "canaries">,
  parties: readonly Party[],
  tables: Pick<ListTables, "names" | "parties">,
): Finding[] {
  const index = openSharedIndex({ snapshotIds: {}, merged: mergeNames([tables.names]), parties: tables.parties })
  const missed = [...sampled(parties), ...named(adapter, parties)].filter(
    ({ name, entryId }) => !isFound(ask(index, name), entryId),
  )
  const findings = missed.map(({ entryId }) => hard("CANARY_MISSED", `entry ${entryId} is not found by its own name`))
  if (ask(index, NONSENSE).hits.length > 0) findings.push(hard("CANARY_MISSED", "a nonsense name is found"))
  return findings
}

interface Canary {
  readonly entryId: string
  readonly name: string
}

function sampled(parties: readonly Party[]): Canary[] {
  const step = Math.max(1, Math.floor(parties.length / SAMPLED_NAMES))
  return parties
    .filter((_, position) => position % step === 0)
    .flatMap(({ entryId, names }) => {
      const primary = names.find(({ kind }) => kind === "primary")
      const letters = primary?.text.replace(/[^\p{L}\p{N}]/gu, "").length ?? 0
      return primary && letters >= LETTERS_MIN ? [{ entryId, name: primary.text }] : []
    })
}

/** The adapter's own canaries, while their entries are on the list. */
function named({ canaries }: Pick<SourceAdapter, "canaries">, parties: readonly Party[]): readonly Canary[] {
  const present = new Set(parties.map(({ entryId }) => entryId))
  return canaries.filter(({ entryId }) => present.has(entryId))
}

/**
 * A name that cannot be read completely is never CLEAR, so it need not match. If more parties share a name than the result reports, the
 * expected entry may be among those left out.
 */
function isFound({ hits, hitCount, nameProblems }: ScreenResult, entryId: string): boolean {
  return nameProblems.length > 0 || hitCount > hits.length || hits.some((hit) => hit.entryId === entryId)
}

function ask(index: NameIndex, name: string): ScreenResult {
  return screen(index, { name, type: null, identifiers: [], countries: [], threshold: TOLERANCE_THRESHOLD.MEDIUM })
}
