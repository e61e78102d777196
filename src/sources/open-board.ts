/**
 * A board of a running service: one index over the active snapshots of its sources, swapped whole when another process imported
 * or rolled back. A source whose bytes cannot be read is UNAVAILABLE; the process goes on with the others.
 */
import type { Machine } from "../machine.ts"
import { sourceGeneration } from "../store/sources.ts"
import { periodic, type Worker } from "../worker.ts"
import { indexOf, type LoadedSnapshot, loadSnapshots, type SnapshotsPlace } from "./load-snapshots.ts"
import { SOURCE_IDS, type SourceId } from "./party.ts"
import { nextEnd } from "./removed-parties.ts"
import type { SourceBoard } from "./source-board.ts"
import { sourceStates } from "./source-health.ts"

export interface BoardParts extends SnapshotsPlace {
  readonly machine: Machine
  /** INVARIANT: nothing else is screened or stated, whatever is imported: a decision names exactly the sources it rests on. */
  readonly sources: readonly SourceId[]
  /** Source ids switched off by configuration. */
  readonly disabled: readonly string[]
}

const LOOK_EVERY_MS = 1000

export async function openBoard(parts: BoardParts): Promise<{ board: SourceBoard; worker: Worker }> {
  const { store, machine, log, sources, disabled } = parts
  for (const id of disabled.filter((one) => !SOURCE_IDS.includes(one as SourceId))) {
    log.warn("unknown_source_disabled", { source_id: id })
  }
  let loaded = await loadSnapshots(parts, { only: sources })
  let index = indexOf(loaded.snapshots, machine.now())
  let holdsEndAt = firstEnd(loaded.snapshots, machine.now())
  const board: SourceBoard = {
    index: () => index,
    states: (at) => sourceStates(sources, loaded, disabled, at),
  }
  async function look(): Promise<void> {
    const now = machine.now()
    const holdEnds = now >= holdsEndAt
    if (!holdEnds && (await store.read(sourceGeneration)) === loaded.generation) return
    const next = await loadSnapshots(parts, { only: sources, known: loaded.snapshots })
    const nextIndex =
      !holdEnds && sameSnapshots(loaded.snapshots, next.snapshots) ? index : indexOf(next.snapshots, now)
    // INVARIANT: states and index change together, in one turn: evidence names the snapshots its index was built from.
    loaded = next
    index = nextIndex
    holdsEndAt = firstEnd(next.snapshots, now)
    log.info("sources_reloaded", { names: index.size.names, sources: loaded.snapshots.size })
  }
  return { board, worker: periodic("sources", LOOK_EVERY_MS, look, log) }
}

/** A process that runs for months must let go of entries that left their list, without waiting for the next import. */
function firstEnd(snapshots: ReadonlyMap<string, LoadedSnapshot>, now: number): number {
  return Math.min(...[...snapshots.values()].map(({ stored }) => nextEnd(stored.removed, now)))
}

/** A refused import is news for the states alone: building an index stops the event loop for its time. */
function sameSnapshots(
  before: ReadonlyMap<string, LoadedSnapshot>,
  after: ReadonlyMap<string, LoadedSnapshot>,
): boolean {
  return before.size === after.size && [...after].every(([id, snapshot]) => before.get(id) === snapshot)
}
