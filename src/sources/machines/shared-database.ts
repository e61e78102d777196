/** What lists need where processes on several machines share a database. Each machine has its own folder of snapshots. */
import type { Machine } from "../../base/machine.ts"
import type { Engine, Exclusive } from "../../store/engine/engine.ts"

/** Name of the lock of imports and rollbacks. One index holds several lists, so their imports share one. */
export const LISTS_LOCK = "lists"

export interface Shared {
  readonly exclusive: Exclusive
  readonly now: () => number
}

/** Null if the processes of one machine alone use the database. */
export function sharedOf({ exclusive }: Pick<Engine, "exclusive">, { now }: Pick<Machine, "now">): Shared | null {
  return exclusive === null ? null : { exclusive, now }
}
