/** What a running board does round after round while a list is on one machine only. */
import { describe, expect, setDefaultTimeout, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { provideIndex } from "../../../src/sources/boards/provide-index.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { START } from "../import-bench.ts"
import { type BenchMachine, type SharedBench, sharedBench } from "./shared-bench.ts"

setDefaultTimeout(60_000)

const SDN = "US_OFAC_SDN"
const CSL = "US_TRADE_CSL"
const _UK = "UK_SANCTIONS_LIST"

async function countedBoard(machine: BenchMachine) {
  const counted = { builds: 0 }
  const rounds = await machine.board({
    build: (task, options) => {
      counted.builds++
      return provideIndex(task, options)
    },
  })
  return { ...rounds, counted }
}

const healthOf = ({ board }: Pick<Awaited<ReturnType<BenchMachine["board"]>>, "board">, id: string) => {
  const found = board.states(START).find(({ sourceId }) => sourceId === id)
  return [found?.health, ...(found?.reasonCodes ?? [])]
}

/** As after the move of a database from a file. */
async function _withoutBytes({ database }: SharedBench): Promise<void> {
  for (const table of ["list_file", "list_part", "list_activation"]) await database.write(`DELETE FROM ${table}`)
}

const _storedIds = async ({ database }: SharedBench) =>
  (await database.rows<{ id: string }>("SELECT DISTINCT snapshot_id AS id FROM list_file ORDER BY 1")).map(
    ({ id }) => id,
  )

describe.skipIf(!HAS_POSTGRES)(`rounds of a board on a shared database${NOT_RUN}`, () => {
  test("a list that is missing here costs no build in later rounds; the others stay in use", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    await one.import(SDN, bench.files(SDN))
    const { snapshotId } = await one.import(CSL, bench.files(CSL))
    await bench.database.write("DELETE FROM list_file WHERE snapshot_id = ?1", snapshotId ?? "")
    const rounds = await countedBoard(other)
    for (let round = 0; round < 10; round++) await rounds.poll()
    expect(rounds.counted.builds).toBe(1)
    expect(healthOf(rounds, SDN)).toEqual(["HEALTHY"])
    expect(healthOf(rounds, CSL)).toEqual(["UNAVAILABLE", "SOURCE_UNAVAILABLE", "SNAPSHOT_NOT_HERE"])
  })

  test("a damaged list that the database cannot give again costs no build in later rounds either", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    await one.import(SDN, bench.files(SDN))
    const { snapshotId: lost } = await one.import(CSL, bench.files(CSL))
    await other.board()
    writeFileSync(join(snapshotFolder(other.root, CSL, lost ?? ""), "parties.json"), "{}")
    await bench.database.write("DELETE FROM list_file WHERE snapshot_id = ?1", lost ?? "")
    const { snapshotId: missing } = await one.import("US_OFAC_CONSOLIDATED", bench.files("US_OFAC_CONSOLIDATED"))
    await bench.database.write("DELETE FROM list_file WHERE snapshot_id = ?1", missing ?? "")
    const rounds = await countedBoard(other)
    for (let round = 0; round < 10; round++) await rounds.poll()
    expect(rounds.counted.builds).toBe(1)
    expect(healthOf(rounds, SDN)).toEqual(["HEALTHY"])
    expect(healthOf(rounds, CSL)[0]).toBe("UNAVAILABLE")
  })
})
