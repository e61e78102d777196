/**
 * Leases that this process may still have although a fault ended its work on their rows. Each round drops them first. Otherwise such a row waits
 * until its lease ends, because it names a living process. The leases of a killed process end by time.
 */
import type { Store, Unit } from "./engine/unit.ts"

/** Ids of the rows. */
export type StrayLeases = Set<string>

export interface StrayTake<Row> {
  readonly drop: (id: string) => Unit<unknown>
  readonly take: () => Unit<Row[]>
}

/** Drops the stray leases and takes rows, in one unit. Each taken lease is stray until the caller deletes it: when its row has had its turn. */
export async function takeAfterStray<Row extends { readonly id: string }>(
  store: Store,
  stray: StrayLeases,
  { drop, take }: StrayTake<Row>,
): Promise<Row[]> {
  const { dropped, taken } = await store.run(function* () {
    const dropped = [...stray]
    for (const id of dropped) yield* drop(id)
    return { dropped, taken: yield* take() }
  })
  for (const id of dropped) stray.delete(id)
  for (const { id } of taken) stray.add(id)
  return taken
}
