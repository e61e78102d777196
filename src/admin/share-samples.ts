/** Shared caps and the floor of free writes: how near they are. */

import type { Store } from "../store/engine/unit.ts"
import { freeBytes, freeWriteFloor } from "../store/free-writes/free-disk.ts"
import { sharedUse } from "../store/free-writes/shared-use.ts"
import { type Sample, sample } from "./exposition.ts"

interface ShareParts {
  readonly store: Pick<Store, "read">
  readonly machine: { now(): number }
  readonly directory: string
  /** The setting `disk_free_min_mb`. */
  readonly diskFreeMinMb: number
}

export async function shareSamples({ store, machine, directory, diskFreeMinMb }: ShareParts): Promise<Sample[]> {
  const uses = await store.read(() => sharedUse(machine.now()))
  const isOpen = freeBytes(directory) >= freeWriteFloor(diskFreeMinMb)
  return [
    sample("bizauth_free_writes_open", {}, isOpen ? 1 : 0),
    ...uses.flatMap(({ cap, used, max }) => [
      sample("bizauth_shared_cap_used", { cap }, used),
      sample("bizauth_shared_cap_max", { cap }, max),
    ]),
  ]
}
