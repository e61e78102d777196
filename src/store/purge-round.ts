/** The lease of the round that removes expired records: one process at a time does it. */
import { rows, type Tables, type Unit } from "./engine/unit.ts"
import { type DueTimes, dueRows, type Lease, releaseRow, rowsAhead, takeDue, takeRow } from "./lease.ts"

const purgeRound = (tables: Tables) => tables.purgeRound
const due = dueRows(purgeRound, 1)
const ahead = rowsAhead(purgeRound, 1)
const take = takeRow(purgeRound)

/** False: another process is in a round, or one ended a short time ago. */
export function* takePurgeRound(lease: Lease, times: DueTimes): Unit<boolean> {
  return (yield* takeDue({ due, ahead, take, most: 1 }, lease, times)).length > 0
}

const release = releaseRow(purgeRound)

/** `next`: when the next round is due, RFC 3339. Changes nothing if the lease is lost. */
export function* endPurgeRound(owner: string, next: string): Unit<void> {
  yield* rows(release, { id: "EXPIRED", owner, lookAt: next })
}
