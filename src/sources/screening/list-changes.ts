/** What a list added, changed and removed between two snapshots. */
import { canonicalize } from "../../core/canonical-json.ts"
import type { Party } from "../records/party.ts"
import { entryHash } from "./suppress.ts"

export interface ChangedEntry {
  readonly entryId: string
  readonly before: Party
  readonly after: Party
  /** The members of the entry that differ. */
  readonly members: readonly string[]
}

export interface ListChanges {
  /** In the order of the list. */
  readonly added: readonly Party[]
  readonly changed: readonly ChangedEntry[]
  readonly removed: readonly Party[]
}

const MEMBERS = [
  ...["type", "list", "programs", "measure", "names", "identifiers"],
  ...["birthDates", "countries", "addresses", "validFrom", "validTo"],
] as const satisfies readonly (keyof Party)[]

/** Lines and the order of a list's rows are no change. */
export function compareLists(before: readonly Party[], after: readonly Party[]): ListChanges {
  const old = new Map(before.map((party) => [party.entryId, party]))
  const ids = new Set(after.map(({ entryId }) => entryId))
  const changed = after.flatMap((party) => {
    const was = old.get(party.entryId)
    if (!was || entryHash(was) === entryHash(party)) return []
    const members = MEMBERS.filter(
      (member) => canonicalize(was[member] ?? null) !== canonicalize(party[member] ?? null),
    )
    return [{ entryId: party.entryId, before: was, after: party, members }]
  })
  return {
    added: after.filter(({ entryId }) => !old.has(entryId)),
    changed,
    removed: before.filter(({ entryId }) => !ids.has(entryId)),
  }
}

/** What screening finds or does not find because of the changes: the numbers of the parties that only one of the two sets has. */
export function differingParties(before: readonly Party[], after: readonly Party[]) {
  const [then, today] = [new Set(before.map(keyOf)), new Set(after.map(keyOf))]
  const only = (parties: readonly Party[], others: ReadonlySet<string>) =>
    new Set(parties.flatMap((party, at) => (others.has(keyOf(party)) ? [] : [at])))
  return { before: only(before, today), after: only(after, then) }
}

/** An entry that left its list is another party while it is still screened: it has another list and another measure. */
const keyOf = (party: Party): string => `${party.sourceId} ${party.entryId} ${entryHash(party)}`
