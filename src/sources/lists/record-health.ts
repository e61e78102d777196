/** Writes down when a source's health changes: what was true last Tuesday is asked when a decision of that day is questioned. */
import { formatInstant } from "../../core/time.ts"
import type { Log } from "../../log.ts"
import { recordHealth } from "../../store/sources/source-health-events.ts"
import type { Store } from "../../store/unit.ts"
import type { SourceState } from "./source-board.ts"

type Judged = Pick<SourceState, "health" | "reasonCodes" | "snapshot"> & { readonly sourceId: string }

/**
 * Returns what is called with every look. A process speaks up only when its own judgement changed: of two that look at one
 * database, the slower one must not record the state the other has just left.
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
