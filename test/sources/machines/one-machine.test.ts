/** A database in a file has no bytes of lists: only this machine uses it. */
import { expect, test } from "bun:test"
import { SECOND } from "../../../src/core/time.ts"
import { boardByRounds } from "../../../src/sources/boards/open-board.ts"
import { rollBack } from "../../../src/sources/import/roll-back.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import { importBench, START } from "../import-bench.ts"

const SDN = "US_OFAC_SDN"
const TABLES = ["list_part", "list_upload", "list_file", "list_activation", "instance_snapshot"]

test("imports, a rollback and a running board write no row of a shared database", async () => {
  await using bench = importBench()
  const board = () =>
    boardByRounds({ ...bench, snapshotsDirectory: bench.root, name: "US", sources: REQUIRED_US_SOURCES, disabled: [] })
  for (let nth = 0; nth < 5; nth++) {
    bench.machine.set(START + nth * SECOND)
    expect((await bench.bring(SDN, bench.sdn())).imported).toBe(true)
  }
  expect((await rollBack({ ...bench, source: listSource(ADAPTERS[SDN]) })).outcome).toBe("ROLLED_BACK")
  const { board: opened, poll } = await board()
  await poll()
  expect(opened.index().size.parties).toBeGreaterThan(0)
  for (const table of TABLES) expect(bench.database.query(`SELECT * FROM ${table}`).all()).toEqual([])
})

test("an index that takes long keeps the old one in use, however old the activation is", async () => {
  await using bench = importBench()
  await bench.bring(SDN, bench.sdn())
  let isFailing = false
  const { provideIndex } = await import("../../../src/sources/boards/provide-index.ts")
  const { board, poll } = await boardByRounds({
    ...{ ...bench, snapshotsDirectory: bench.root, sources: REQUIRED_US_SOURCES, disabled: [] },
    build: (task, options) => (isFailing ? Promise.reject(new Error("no memory")) : provideIndex(task, options)),
  })
  const before = board.index().snapshotIds[SDN]
  isFailing = true
  bench.machine.set(START + SECOND)
  await bench.bring(SDN, bench.sdn())
  await poll()
  const late = START + 600 * SECOND
  const state = board.states(late).find(({ sourceId }) => sourceId === SDN)
  expect(board.index().snapshotIds[SDN]).toBe(before ?? "")
  expect(state).toMatchObject({ health: "HEALTHY", snapshot: { snapshotId: before } })
})
