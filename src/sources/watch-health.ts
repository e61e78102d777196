/**
 * Health of lists that this service fetches and keeps but screens nobody against: their changes are recorded like those of the others,
 * once they were imported. Their bytes are not read for it, so a damaged file is seen by `sources verify` and `screen` alone.
 */
import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import type { Store } from "../store/unit.ts"
import { periodic, type Worker } from "../worker.ts"
import type { SourceId } from "./party.ts"
import { healthRecorder } from "./record-health.ts"
import { sourceStates } from "./source-health.ts"
import { sourceRows } from "./source-rows.ts"

export interface WatchParts {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
  readonly sources: readonly SourceId[]
  /** Source ids switched off by configuration. */
  readonly disabled: readonly string[]
}

const LOOK_EVERY_MS = 5000

export function healthWatch(parts: WatchParts): Worker {
  return periodic("health of other lists", LOOK_EVERY_MS, healthRounds(parts), parts.log)
}

/** Returns one look: it records what changed since the last one. */
export function healthRounds({ store, machine, log, sources, disabled }: WatchParts): () => Promise<void> {
  const record = healthRecorder(store, log)
  return async () => {
    const { active, attempts, checks } = await store.read(() => sourceRows(sources))
    const snapshots = new Map(active.map((row) => [row.sourceId, { row }]))
    const now = machine.now()
    const states = sourceStates(sources, { snapshots, attempts, checks }, disabled, now)
    await record(
      states.filter(({ snapshot }) => snapshot !== null),
      now,
    )
  }
}
