import { expect } from "bun:test"
import { DAY } from "../../src/core/time.ts"
import { openBoard } from "../../src/sources/boards/open-board.ts"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { importBench, START } from "./import-bench.ts"

const test = slowTests(import.meta.path)

const SDN = "US_OFAC_SDN"

test("a board that runs for months removes an entry thirty days after it left its list", async () => {
  await using bench = importBench()
  const { store, root: snapshotsDirectory, machine, log } = bench
  await bench.bring(SDN, bench.sdn())
  const without = bench.sdn({ withoutSdn: [90_005] })
  const { rawSha256 } = await bench.bring(SDN, without)
  expect((await bench.bring(SDN, without, { acceptShrink: rawSha256 })).imported).toBe(true)
  const { board, worker } = await openBoard({
    store,
    snapshotsDirectory,
    machine,
    sources: REQUIRED_US_SOURCES,
    disabled: [],
    log,
  })
  const held = board.index()
  const snapshotIds = { ...held.snapshotIds }
  machine.set(START + 30 * DAY)
  worker.start()
  try {
    for (const end = performance.now() + 5000; performance.now() < end && board.index() === held; ) await Bun.sleep(10)
    expect([held.size.parties, board.index().size.parties]).toEqual([5, 4])
    expect(board.index().snapshotIds).toEqual(snapshotIds)
  } finally {
    await worker.stop()
  }
})
