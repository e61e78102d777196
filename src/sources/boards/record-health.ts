/** Records each change of a source's health, so that an operator can later see the health on the day of a questioned decision. */

import type { Log } from "../../base/log.ts"
import { formatInstant } from "../../core/time.ts"
import type { Store } from "../../store/engine/unit.ts"
import { recordHealth } from "../../store/sources/source-health-events.ts"
import type { SourceState } from "./source-board.ts"

type Judged = Pick<SourceState, "health" | "reasonCodes" | "snapshot"> & { readonly sourceId: string }

/**
 * Returns the function to call with every poll. A process records only a change of its own judgement: if two processes poll one database,
 * the slower one must not record the state that the other one already replaced.
 */
export function healthRecorder(store: Store, log: Log): (states: readonly Judged[], at: number) => Promise<void> {
  const told = new Map<string, SourceState["health"]>()
  return async (states, at) => {
    const changed = states.filter(({ sourceId, health }) => told.get(sourceId) !== health)
    if (changed.length === 0) return
    const judged = changed.map(({ sourceId, health, reasonCodes, snapshot }) => {
      return { sourceId, health, reasonCodes, snapshotId: snapshot?.snapshotId ?? null }
    })
    const appended = await store.run(() => recordHealth(judged, formatInstant(at)))
    for (const { sourceId, health } of changed) told.set(sourceId, health)
    for (const { sourceId, fromHealth, toHealth } of appended) {
      const fields = { source_id: sourceId, from: fromHealth, to: toHealth }
      if (toHealth === "HEALTHY") log.info("source_health_changed", fields)
      else log.warn("source_health_changed", fields)
    }
  }
}
