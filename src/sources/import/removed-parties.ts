/**
 * Entries that left a list are screened for some time longer (rulings 53). A publisher's error, or a listed party that changed its name,
 * must not open a gap before a person can see it. CHOICE: this time is not shortened when the publisher's delta or a mirror confirms the
 * removal; that would only lift a hold earlier.
 */
import { DAY, formatInstant, instant } from "../../core/time.ts"
import type { Party } from "../records/party.ts"

export const REMOVED_SCREENED_MS = 30 * DAY
const REMOVED_LIST = "REMOVED_RECENTLY"

/** A whole entry that was removed, or an entry with the names it lost. */
export interface RemovedParty {
  /** When the import that removed it ran, RFC 3339. */
  readonly removedAt: string
  readonly party: Party
}

/** Returns the entries of the active snapshot that `parties` lacks, and the earlier removals that neither returned nor expired. */
export function removedParties(
  before: { readonly parties: readonly Party[]; readonly removed: readonly RemovedParty[] } | null,
  parties: readonly Party[],
  now: number,
): readonly RemovedParty[] {
  if (!before) return []
  const present = new Map(parties.map((party) => [party.entryId, party]))
  const lost = (party: Party): Party[] => {
    const still = new Set(present.get(party.entryId)?.names.map(({ text }) => text))
    const names = party.names.filter(({ text }) => !still.has(text))
    return names.length === 0 ? [] : [{ ...party, names, measure: "hold", list: REMOVED_LIST }]
  }
  const removedAt = formatInstant(now)
  return [
    ...stillScreened(before.removed, now).flatMap((one) =>
      lost(one.party).map((party) => ({ removedAt: one.removedAt, party })),
    ),
    ...before.parties.flatMap((party) => lost(party).map((gone) => ({ removedAt, party: gone }))),
  ]
}

export function stillScreened(removed: readonly RemovedParty[], now: number): readonly RemovedParty[] {
  return removed.filter(({ removedAt }) => instant(removedAt) + REMOVED_SCREENED_MS > now)
}

/** Returns when the first of these removals expires, in milliseconds; Infinity if there is none. */
export function nextEnd(removed: readonly RemovedParty[], now: number): number {
  return Math.min(...stillScreened(removed, now).map(({ removedAt }) => instant(removedAt) + REMOVED_SCREENED_MS))
}
