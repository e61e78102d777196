/** Boards with a saved index, and the files and rows of it. */
import { existsSync, readdirSync } from "node:fs"
import { join } from "node:path"
import { INDEX_FOLDER, type SavedIndexRow } from "../../src/sources/boards/index-file.ts"
import { indexKey } from "../../src/sources/boards/index-key.ts"
import { boardByRounds } from "../../src/sources/boards/open-board.ts"
import { savedIndex } from "../../src/sources/boards/saved-index.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { screen } from "../../src/sources/screening/screen.ts"
import { activeSnapshots, type SnapshotRow } from "../../src/store/sources/sources.ts"
import type { importBench } from "./import-bench.ts"

export const SDN = "US_OFAC_SDN"

export const ZEPHYR = { number: 90_101, name: "ZEPHYR MARLOWE SYNDICATE", programs: ["SDGT"] }

/** Enough parties for a large index. */
export const MANY = Array.from({ length: 400 }, (_, at) => ({
  ...ZEPHYR,
  number: 90_200 + at,
  name: `HARBOR ${at} QUORUM`,
}))

export type Bench = ReturnType<typeof importBench>

export const open = (bench: Bench) =>
  boardByRounds({ ...bench, snapshotsDirectory: bench.root, sources: REQUIRED_US_SOURCES, name: "US", disabled: [] })

export type Board = Awaited<ReturnType<typeof open>>["board"]

export const stateOf = (board: Board, name = ZEPHYR.name) =>
  screen(board.index(), { name, type: "org", identifiers: [], countries: [], threshold: 0.8 }).state

const US_IDS = new Set<string>(REQUIRED_US_SOURCES)

/** The row of the index of the active snapshots. */
export const findRow = async (bench: Bench): Promise<SavedIndexRow | null> => {
  const actives = await bench.store.read(activeSnapshots)
  return savedIndex(bench.root, "US", indexKey(actives.filter(({ sourceId }) => US_IDS.has(sourceId))))
}

export const rowOf = async (bench: Bench): Promise<SavedIndexRow> => {
  const row = await findRow(bench)
  if (!row) throw new Error("no index is saved")
  return row
}

const namesIn = (bench: Bench) =>
  existsSync(join(bench.root, INDEX_FOLDER)) ? readdirSync(join(bench.root, INDEX_FOLDER)) : []

/** The files of indexes. */
export const filesOf = (bench: Bench) =>
  namesIn(bench)
    .filter((name) => name.endsWith(".index"))
    .sort()

/** The rows of indexes, each a file. */
export const rowFilesOf = (bench: Bench) =>
  namesIn(bench)
    .filter((name) => name.endsWith(".index.json"))
    .sort()

export const pathOf = (bench: Bench, { file }: SavedIndexRow) => join(bench.root, INDEX_FOLDER, file)

export const warnings = (bench: Bench) =>
  bench.logged.map(({ event }) => String(event)).filter((event) => event.startsWith("index_"))

export const activeOf = async (bench: Bench): Promise<SnapshotRow> => {
  const row = await bench.active(SDN)
  if (!row) throw new Error("not imported")
  return row
}
