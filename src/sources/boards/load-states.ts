/** The stored state of every list and register, with their bytes read. For a command, which reads them once and exits. */
import type { Machine } from "../../base/machine.ts"
import { activeSnapshots, type SnapshotRow } from "../../store/sources/sources.ts"
import { isHere } from "../machines/receive-snapshot.ts"
import { REGISTER_ADAPTERS } from "../register-registry.ts"
import { type LoadOptions, loadSnapshots, type SnapshotsPlace } from "./load-snapshots.ts"
import { openRegisters } from "./open-register-board.ts"
import type { StoredState } from "./source-health.ts"

interface StatesPlace extends SnapshotsPlace {
  readonly machine: Machine
}

interface LoadedStates extends StoredState {
  /** Active snapshots without a folder on this machine. */
  readonly absent: readonly SnapshotRow[]
}

/** A source whose bytes are missing or damaged is left out and logged. */
export async function loadStates(place: StatesPlace, options: Pick<LoadOptions, "work"> = {}): Promise<LoadedStates> {
  const { snapshots: lists, attempts, checks } = await loadSnapshots(place, options)
  const root = place.snapshotsDirectory
  const registers = await openRegisters({ ...place, root, adapters: REGISTER_ADAPTERS, disabled: [] })
  const snapshots = new Map([...lists, ...registers.rows()])
  registers.close()
  const absent = (await place.store.read(activeSnapshots)).filter((row) => !isHere(root, row))
  return { snapshots, absent, attempts, checks }
}
