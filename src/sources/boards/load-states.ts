/** The stored state of every list and register, with their bytes read. For a command, which reads them once and exits. */
import type { Machine } from "../../base/machine.ts"
import { REGISTER_ADAPTERS } from "../register-registry.ts"
import { type LoadOptions, loadSnapshots, type SnapshotsPlace } from "./load-snapshots.ts"
import { openRegisters } from "./open-register-board.ts"
import type { StoredState } from "./source-health.ts"

interface StatesPlace extends SnapshotsPlace {
  readonly machine: Machine
}

/** A source whose bytes are missing or damaged is left out and logged. */
export async function loadStates(place: StatesPlace, options: Pick<LoadOptions, "work"> = {}): Promise<StoredState> {
  const { snapshots: lists, attempts, checks } = await loadSnapshots(place, options)
  const root = place.snapshotsDirectory
  const registers = await openRegisters({ ...place, root, adapters: REGISTER_ADAPTERS, disabled: [] })
  const snapshots = new Map([...lists, ...registers.rows()])
  registers.close()
  return { snapshots, attempts, checks }
}
