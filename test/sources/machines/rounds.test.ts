/** What a running board does round after round while a list is on one machine only. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatInstant, SECOND } from "../../../src/core/time.ts"
import { provideIndex } from "../../../src/sources/boards/provide-index.ts"
import { snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { receiveSnapshot } from "../../../src/sources/machines/receive-snapshot.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES } from "../../../src/sources/records/party.ts"
import type { Exclusive } from "../../../src/store/engine/engine.ts"
import { DatabaseRefused } from "../../../src/store/engine/store-error.ts"
import { activeSnapshot } from "../../../src/store/sources/sources.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { type BenchMachine, type SharedBench, SKEW_MS, sharedBench } from "./shared-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const SDN = "US_OFAC_SDN"
const CSL = "US_TRADE_CSL"
const UK = "UK_SANCTIONS_LIST"

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
async function withoutBytes({ database }: SharedBench): Promise<void> {
  for (const table of ["list_file", "list_part", "list_activation"]) await database.write(`DELETE FROM ${table}`)
}

const storedIds = async ({ database }: SharedBench) =>
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

  test("a machine that was busy at its first try stores its lists later, and not before its board is open", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    const { snapshotId } = await one.import(SDN, bench.files(SDN))
    await withoutBytes(bench)
    const { poll } = await one.board()
    expect(await storedIds(bench)).toEqual([])
    await one.shared.exclusive("lists", () => poll())
    expect(await storedIds(bench)).toEqual([])
    for (let round = 0; round < 3; round++) await poll()
    expect(await storedIds(bench)).toEqual([snapshotId ?? ""])
    expect(one.logged.filter(({ event }) => event === "snapshot_stored")).toHaveLength(1)
  })

  test("two boards of one process, which are busy for each other, store the lists of both", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    const imported = []
    for (const id of [SDN, CSL, UK] as const) imported.push((await one.import(id, bench.files(id))).snapshotId ?? "")
    await withoutBytes(bench)
    const boards = await Promise.all([
      one.board({ name: "US", sources: REQUIRED_US_SOURCES }),
      one.board({ name: "GB", sources: REQUIRED_GB_SOURCES }),
    ])
    for (let round = 0; round < 4; round++) await Promise.all(boards.map(({ poll }) => poll()))
    expect(await storedIds(bench)).toEqual(imported.sort())
  })

  test("bytes that are damaged here are not stored", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    const { snapshotId } = await one.import(SDN, bench.files(SDN))
    await withoutBytes(bench)
    const { poll } = await one.board()
    const path = join(snapshotFolder(one.root, SDN, snapshotId ?? ""), "parties.json")
    rmSync(path)
    writeFileSync(path, "{}")
    for (let round = 0; round < 3; round++) await poll()
    expect(await storedIds(bench)).toEqual([])
    const told = one.logged.find(({ event }) => event === "snapshot_not_stored")
    expect(String(told?.["why"])).toBe("parties.json has other bytes than recorded")
  })

  test("a list that another process activates meanwhile is stored too", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    await one.import(SDN, bench.files(SDN))
    const { poll } = await one.board()
    bench.clock.set(START + SECOND)
    const { snapshotId } = await one.import(SDN, bench.files(SDN, { withoutSdn: [90101] }))
    await withoutBytes(bench)
    for (let round = 0; round < 2; round++) await poll()
    expect(await storedIds(bench)).toEqual([snapshotId ?? ""])
  })

  test("the skew counts by the clock of the database, whatever the clocks of both machines show", async () => {
    await using bench = await sharedBench()
    const [one, other] = [
      await bench.machine("one", undefined, 90 * SECOND),
      await bench.machine("other", undefined, -90 * SECOND),
    ]
    await one.import(SDN, bench.files(SDN))
    const { board, poll } = await other.board()
    const blocked = join(other.root, ".received")
    rmSync(blocked, { recursive: true })
    writeFileSync(blocked, "")
    bench.clock.set(START + SECOND)
    await one.import(SDN, bench.files(SDN, { withoutSdn: [90101] }))
    await poll()
    const { activated } = (await bench.database.row<{ activated: string }>(
      "SELECT activated_at AS activated FROM list_activation WHERE source_id = ?1",
      SDN,
    )) ?? { activated: "" }
    expect(activated).toBe(formatInstant(START + SECOND))
    const reasonsAt = (at: number) =>
      board.states(at - 90 * SECOND).find(({ sourceId }) => sourceId === SDN)?.reasonCodes
    expect(reasonsAt(START + SECOND + SKEW_MS)).toEqual([])
    expect(reasonsAt(START + SECOND + SKEW_MS + 1)).toEqual(["SOURCE_UNAVAILABLE", "SNAPSHOT_BEHIND"])
  })

  test("a server without a free connection for the lock stops neither a start nor a received list", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const { snapshotId: first } = await one.import(SDN, bench.files(SDN))
    await withoutBytes(bench)
    let isFull = true
    const exclusive: Exclusive = async (name, work) => {
      if (isFull) throw new DatabaseRefused("the server has no free connection", "UNREACHABLE")
      return await one.shared.exclusive(name, work)
    }
    const { board, poll } = await one.board({ sharing: { ...one.sharing, shared: { ...one.shared, exclusive } } })
    await poll()
    expect(one.logged).toContainEqual(
      expect.objectContaining({ event: "snapshot_not_stored", why: "the server has no free connection" }),
    )
    const { snapshotId } = await other.import(CSL, bench.files(CSL))
    await poll()
    expect(board.index().snapshotIds).toEqual({ [SDN]: first ?? "", [CSL]: snapshotId ?? "" })
    isFull = false
    for (let round = 0; round < 3; round++) await poll()
    expect(await storedIds(bench)).toContain(first ?? "")
  })

  test("a stop ends a download before its next part, and leaves no folder", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    const { snapshotId } = await one.import(SDN, bench.files(SDN))
    const active = await one.store.read(() => activeSnapshot(SDN))
    if (!active || snapshotId === null) throw new Error("nothing is active")
    let reads = 0
    const stopping = new AbortController()
    const other = await bench.machine("other", (own) => ({
      ...{ run: own.run.bind(own), version: own.version.bind(own), close: own.close.bind(own) },
      ...{ runInPlace: own.runInPlace.bind(own), readTogether: own.readTogether.bind(own) },
      read: (unit) => {
        // The files of the snapshot, then the first part.
        if (++reads === 2) stopping.abort()
        return own.read(unit)
      },
    }))
    await expect(receiveSnapshot({ ...other, signal: stopping.signal }, active)).rejects.toThrow("abort")
    expect(reads).toBe(2)
    expect(existsSync(snapshotFolder(other.root, SDN, snapshotId))).toBe(false)
    expect(readdirSync(join(other.root, ".received"))).not.toContain(SDN)
  })

  test("a board that stops while it takes lists ends its round at once, and names no fault", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    let stop = () => {}
    const taken: string[] = []
    const other = await bench.machine("other", (own) => ({
      ...{ run: own.run.bind(own), version: own.version.bind(own), close: own.close.bind(own) },
      ...{ runInPlace: own.runInPlace.bind(own), readTogether: own.readTogether.bind(own) },
      read: async (unit) => {
        const answer = await own.read(unit)
        if (answer instanceof Uint8Array) {
          taken.push("part")
          stop()
        }
        return answer
      },
    }))
    const rounds = await other.board()
    stop = rounds.stopBuilding
    for (const id of [SDN, CSL] as const) await one.import(id, bench.files(id))
    await rounds.poll()
    expect(taken).toHaveLength(1)
    const faults = ["snapshot_not_received", "snapshot_not_stored", "snapshot_unreadable", "index_not_built"]
    expect(other.logged.filter(({ event }) => faults.includes(String(event)))).toEqual([])
  })
})
