/** What lists need where processes on several machines share a database. Each machine has its own folder of snapshots. */
import type { Machine } from "../../base/machine.ts"
import type { Engine, Exclusive } from "../../store/engine/engine.ts"

/** Name of the lock of imports and rollbacks. One index holds several lists, so their imports share one. */
export const LISTS_LOCK = "lists"

export interface Shared {
  readonly exclusive: Exclusive
  /** By the clock of the database, which all machines compare their times with. Milliseconds. */
  readonly now: () => number
  /** The same for an instant by the clock of this machine. */
  readonly byDatabase: (at: number) => number
}

/** Null if the processes of one machine alone use the database. */
export function sharedOf(
  engine: Pick<Engine, "exclusive" | "serverClock">,
  { now }: Pick<Machine, "now">,
): Shared | null {
  const { exclusive } = engine
  if (exclusive === null) return null
  const byDatabase = (at: number) => at - (engine.serverClock()?.offsetMs ?? 0)
  return { exclusive, now: () => byDatabase(now()), byDatabase }
}
