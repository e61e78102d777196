/**
 * Leases that this process may still have although a fault ended its work on their rows. Each round drops them first. Otherwise such a row waits
 * until its lease ends, because the lease names a living process. The leases of a killed process end by time.
 */
import { StoreUnavailable } from "./engine/store-error.ts"
import type { Store, Unit } from "./engine/unit.ts"

/** Each drop is a statement, and a unit has a limit of statements. The next rounds drop the rest. */
const DROPPED_AT_ONCE = 256

/** Ids of the rows. */
export type StrayLeases = Set<string>

interface StrayTake<Row> {
  readonly drop: (id: string) => Unit<unknown>
  readonly take: () => Unit<Row[]>
}

/** Drops the oldest stray leases and takes rows, in one unit. Each taken lease is stray until its row has had its {@link turn}. */
export async function takeAfterStray<Row extends { readonly id: string }>(
  store: Store,
  stray: StrayLeases,
  { drop, take }: StrayTake<Row>,
): Promise<Row[]> {
  const { dropped, taken } = await store.run(function* () {
    const dropped = [...stray].slice(0, DROPPED_AT_ONCE)
    for (const id of dropped) yield* drop(id)
    return { dropped, taken: yield* take() }
  })
  for (const id of dropped) stray.delete(id)
  for (const { id } of taken) stray.add(id)
  return taken
}

/**
 * Does the work on one taken row. Its lease stays stray only after a fault of the database. After another error it ends by time, so that a bug
 * does not come back in every round.
 */
export async function turn(stray: StrayLeases, id: string, work: () => Promise<void>): Promise<void> {
  try {
    await work()
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) stray.delete(id)
    throw error
  }
  stray.delete(id)
}
