/** The operator's lists as they are on disk, for one rehearsal. Reads only: the data directory stays as it was. */

import { createLog } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import type { DataDirectory } from "../../data/data-directory.ts"
import type { SandboxBoards } from "../../sandbox/synthetic-boards.ts"
import { knownList } from "../../sources/boards/known-source.ts"
import { indexOf, type LoadedSnapshots, loadSnapshots } from "../../sources/boards/load-snapshots.ts"
import { openRegisters } from "../../sources/boards/open-register-board.ts"
import type { SourceBoard } from "../../sources/boards/source-board.ts"
import { sourceStates } from "../../sources/boards/source-health.ts"
import { loadSuppressions } from "../../sources/boards/suppression-book.ts"
import { sharedOf } from "../../sources/machines/shared-database.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES, type SourceId } from "../../sources/records/party.ts"
import { REGISTER_ADAPTERS } from "../../sources/register-registry.ts"
import type { Input } from "../command.ts"
import { readSettings } from "../inputs.ts"

interface OwnLists extends SandboxBoards {
  close(): void
}

/** `at`: time of the rehearsal, in milliseconds. */
export async function openOwnLists(
  input: Input,
  { engine, store, paths }: Pick<DataDirectory, "engine" | "store" | "paths">,
  at: number,
): Promise<OwnLists> {
  const disabled = readSettings(input).config.sources_disabled
  const log = createLog("warn", input.err, realMachine.now)
  const { snapshots: snapshotsDirectory } = paths
  const place = { store, snapshotsDirectory, shared: sharedOf(engine, realMachine), log }
  const boardOf = async (sources: readonly SourceId[]): Promise<SourceBoard> => {
    const loaded = await loadSnapshots(place, { only: sources, work: input.progress })
    input.progress.step({ what: "building the index of names" })
    return boardOver(loaded, sources, disabled, at)
  }
  const registers = await openRegisters({
    store,
    root: snapshotsDirectory,
    machine: realMachine,
    log,
    adapters: REGISTER_ADAPTERS,
    disabled,
  })
  const [sources, gbSources, book] = [
    await boardOf(REQUIRED_US_SOURCES),
    await boardOf(REQUIRED_GB_SOURCES),
    await loadSuppressions(store, at),
  ]
  return { sources, gbSources, registers, suppressions: () => book, close: () => registers.close() }
}

function boardOver(
  loaded: LoadedSnapshots,
  sources: readonly SourceId[],
  disabled: readonly string[],
  now: number,
): SourceBoard {
  const index = indexOf(loaded.snapshots, now)
  return { index: () => index, states: (at) => sourceStates(sources.map(knownList), loaded, { disabled, at }) }
}
