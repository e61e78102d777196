/** A list that one machine imports is answered from on every machine that shares the database. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { formatInstant, SECOND } from "../../../src/core/time.ts"
import { saleLimit, soldWith } from "../../../src/sources/boards/sellable.ts"
import { DETAILS_FILE } from "../../../src/sources/details/details-file.ts"
import { ImportBusy } from "../../../src/sources/import/import-lock.ts"
import { snapshotFault, snapshotFolder } from "../../../src/sources/import/snapshot-files.ts"
import { instanceSnapshots } from "../../../src/store/sources/instance-snapshots.ts"
import { activeSnapshot } from "../../../src/store/sources/sources.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { START } from "../import-bench.ts"
import { type BenchMachine, SKEW_MS, sharedBench, storedRows, twoPublications } from "./shared-bench.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const SDN = "US_OFAC_SDN"
const CSL = "US_TRADE_CSL"
type Board = Awaited<ReturnType<BenchMachine["board"]>>["board"]

const stateOf = (board: Board, at: number) => {
  const found = board.states(at).find(({ sourceId }) => sourceId === SDN)
  if (!found) throw new Error("the board has no such list")
  return found
}

const idsOf = (board: Board, at: number) => [
  board.index().snapshotIds[SDN] ?? null,
  stateOf(board, at).snapshot?.snapshotId ?? null,
]

describe.skipIf(!HAS_POSTGRES)(`lists of a shared database${NOT_RUN}`, () => {
  test("the next round of the other machine answers from the import, with the same bytes on its own disk", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const [first, second] = [await one.board(), await other.board()]
    const { snapshotId } = await one.import(SDN, bench.files(SDN))
    const began = performance.now()
    await Promise.all([first.poll(), second.poll()])
    expect(performance.now() - began).toBeLessThan(10 * SECOND)
    for (const { board } of [first, second]) {
      expect(idsOf(board, START)).toEqual([snapshotId, snapshotId])
      expect(stateOf(board, START).health).toBe("HEALTHY")
    }
    const row = await one.store.read(() => activeSnapshot(SDN))
    if (!row || snapshotId === null) throw new Error("nothing is active")
    expect(snapshotFault(other.root, row)).toBeNull()
    const [here, there] = [one, other].map(({ root }) => snapshotFolder(root, SDN, snapshotId)) as [string, string]
    // Each machine builds its own details of the entries.
    const names = readdirSync(here).filter((name) => name !== DETAILS_FILE)
    expect(readdirSync(there).sort()).toEqual(names.sort())
    for (const name of names) expect(readFileSync(join(there, name))).toEqual(readFileSync(join(here, name)))
    expect(await one.store.read(instanceSnapshots)).toEqual(
      ["one", "other"].map((instanceId) => ({
        instanceId,
        sourceId: SDN,
        snapshotId,
        since: formatInstant(START),
      })) as never,
    )
    expect(await storedRows(bench.database)).toMatchObject({ list_upload: 0, list_activation: 1 })
  })

  test("a machine that cannot take the list answers from its old one for the skew, then sells nothing and says why", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const { snapshotId: before } = await one.import(SDN, bench.files(SDN))
    const [first, second] = [await one.board(), await other.board()]
    expect(idsOf(second.board, START)).toEqual([before, before])
    bench.clock.set(START + 5 * SECOND)
    // Its folder for what it takes is a file, so it takes nothing.
    const blocked = join(other.root, ".received")
    rmSync(blocked, { recursive: true })
    writeFileSync(blocked, "")
    const { snapshotId: after } = await one.import(SDN, bench.files(SDN))
    expect(after).not.toBe(before)
    await Promise.all([first.poll(), second.poll()])
    const activatedAt = bench.clock.now()
    for (const at of [activatedAt, activatedAt + SKEW_MS]) {
      bench.clock.set(at)
      await second.poll()
      expect(idsOf(second.board, at)).toEqual([before, before])
      expect(stateOf(second.board, at)).toMatchObject({ health: "HEALTHY", reasonCodes: [] })
    }
    const late = activatedAt + SKEW_MS + 1
    // It need not poll to know.
    const behind = stateOf(second.board, late)
    expect(behind).toMatchObject({ health: "UNAVAILABLE", reasonCodes: ["SOURCE_UNAVAILABLE", "SNAPSHOT_BEHIND"] })
    expect(saleLimit(soldWith(behind, late))).toBe("nothing that needs it is sold")
    // What it states is still what it holds.
    expect(idsOf(second.board, late)).toEqual([before, before])
    expect(stateOf(first.board, late)).toMatchObject({ health: "HEALTHY" })
    expect(idsOf(first.board, late)).toEqual([after, after])
    expect(other.logged).toContainEqual(
      expect.objectContaining({ level: "error", event: "snapshot_not_received", source_id: SDN, snapshot_id: after }),
    )
    rmSync(blocked)
    for (let round = 0; round < 8; round++) await second.poll()
    expect(idsOf(second.board, late)).toEqual([after, after])
    expect(stateOf(second.board, late).health).toBe("HEALTHY")
  })

  test("a part that cannot be read blocks no other list", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    const other = await bench.machine("other")
    await one.import(SDN, bench.files(SDN))
    const { snapshotId } = await one.import(CSL, bench.files(CSL))
    const lost = "DELETE FROM list_part WHERE sha256 IN (SELECT sha256 FROM list_file WHERE snapshot_id <> ?1)"
    expect(await bench.database.write(lost, snapshotId)).toBeGreaterThan(0)
    const { board } = await other.board()
    expect(board.index().snapshotIds).toEqual({ [CSL]: snapshotId ?? "" })
    expect(stateOf(board, START)).toMatchObject({ health: "UNAVAILABLE", snapshot: null })
    const told = other.logged.find(({ event }) => event === "snapshot_not_received")
    expect(String(told?.["why"])).toMatch(/^the database lacks a part of /)
  })

  test("other bytes in the database are refused, and leave no folder", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const { snapshotId } = await one.import(SDN, bench.files(SDN))
    const changed = Bun.zstdCompressSync(Buffer.from("other bytes"))
    await bench.database.write("UPDATE list_part SET bytes = ?1 WHERE part = 0", changed)
    const { board } = await other.board()
    expect(stateOf(board, START).snapshot).toBeNull()
    expect(existsSync(snapshotFolder(other.root, SDN, snapshotId ?? ""))).toBe(false)
    const [told] = other.logged.filter(({ event }) => event === "snapshot_not_received")
    expect(String(told?.["why"])).toMatch(/^the database has other bytes for .* than were imported$/)
  })

  test("a folder whose bytes changed on the disk is taken anew", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const { snapshotId } = await one.import(SDN, bench.files(SDN))
    await other.board()
    writeFileSync(join(snapshotFolder(other.root, SDN, snapshotId ?? ""), "parties.json"), "{}")
    const { board, poll } = await other.board()
    expect(stateOf(board, START).health).toBe("UNAVAILABLE")
    await poll()
    expect(idsOf(board, START)).toEqual([snapshotId, snapshotId])
    expect(stateOf(board, START).health).toBe("HEALTHY")
  })

  test("a rollback on a machine that never had the target takes it first, and is used by both", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const { snapshotId: target } = await one.import(SDN, bench.files(SDN))
    bench.clock.set(START + SECOND)
    await one.import(SDN, bench.files(SDN))
    const [first, second] = [await one.board(), await other.board()]
    expect(existsSync(snapshotFolder(other.root, SDN, target ?? ""))).toBe(false)
    expect(await other.rollBack(SDN)).toMatchObject({ outcome: "ROLLED_BACK", snapshot: { snapshotId: target } })
    await Promise.all([first.poll(), second.poll()])
    for (const { board } of [first, second]) expect(idsOf(board, bench.clock.now())).toEqual([target, target])
  })

  test("an import on a machine without the active list compares with it", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    await one.import(SDN, bench.files(SDN))
    bench.clock.set(START + SECOND)
    const { findings, imported } = await other.import(SDN, bench.files(SDN))
    expect(imported).toBe(true)
    expect(findings.map(({ code }) => code)).not.toContain("CORRUPT")
  })

  test("the bytes of dropped snapshots leave the database and every machine", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const second = await other.board()
    for (let day = 0; day < 5; day++) {
      bench.clock.set(START + day * SECOND)
      await one.import(SDN, bench.files(SDN, { withoutSdn: day % 2 === 0 ? [] : [90101] }))
      await second.poll()
    }
    const kept = await bench.database.rows<{ id: string }>(
      "SELECT snapshot_id AS id FROM source_snapshot WHERE state <> 'DROPPED' ORDER BY 1",
    )
    expect(kept).toHaveLength(3)
    expect(
      await bench.database.count(
        "list_file",
        "snapshot_id NOT IN (SELECT snapshot_id FROM source_snapshot WHERE state <> 'DROPPED')",
      ),
    ).toBe(0)
    expect(await bench.database.count("list_part", "sha256 NOT IN (SELECT sha256 FROM list_file)")).toBe(0)
    const ids = new Set(kept.map(({ id }) => id))
    expect(readdirSync(join(other.root, SDN)).every((id) => ids.has(id))).toBe(true)
  })

  test("a snapshot from which another machine still answers is not dropped, and the next import after that drops it", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const imported: string[] = []
    const importNext = async () => {
      bench.clock.set(START + imported.length * SECOND)
      const lists = bench.files(SDN, { withoutSdn: imported.length % 2 === 0 ? [] : [90101] })
      imported.push((await one.import(SDN, lists)).snapshotId ?? "")
    }
    const isStored = async (id = "") => (await bench.database.count("list_file", `snapshot_id = '${id}'`)) > 0
    const stateOfRow = async (id = "") =>
      (await bench.database.row<{ state: string }>("SELECT state FROM source_snapshot WHERE snapshot_id = ?1", id))
        ?.state
    await importNext()
    const { board, poll } = await other.board()
    for (let nth = 0; nth < 4; nth++) await importNext()
    expect(board.index().snapshotIds[SDN]).toBe(imported[0] ?? "")
    expect([await stateOfRow(imported[0]), await isStored(imported[0])]).toEqual(["KEPT", true])
    expect([await stateOfRow(imported[1]), await isStored(imported[1])]).toEqual(["DROPPED", false])
    await poll()
    expect(board.index().snapshotIds[SDN]).toBe(imported.at(-1) ?? "")
    await importNext()
    expect([await stateOfRow(imported[0]), await isStored(imported[0])]).toEqual(["DROPPED", false])
  })

  test("many old snapshots with many files leave in units below the limit of statements", async () => {
    await using bench = await sharedBench()
    const one = await bench.machine("one")
    await one.import(SDN, bench.files(SDN))
    const columns = (
      await bench.database.rows<{ name: string }>(
        "SELECT column_name AS name FROM information_schema.columns WHERE table_name = 'source_snapshot' AND table_schema = current_schema()",
      )
    ).map(({ name }) => name)
    const rest = columns.filter((name) => !["snapshot_id", "imported_at", "state"].includes(name)).join(", ")
    await bench.database.write(
      `INSERT INTO source_snapshot (snapshot_id, imported_at, state, ${rest}) SELECT 'old-' || n, '2001-01-01T00:00:00.000Z', 'KEPT', ${rest} FROM source_snapshot, generate_series(1, 100) AS n`,
    )
    await bench.database.write(
      "INSERT INTO list_file (snapshot_id, name, sha256, bytes, parts) SELECT 'old-' || n, 'file-' || f, 'sha-' || n || '-' || f, 1, 1 FROM generate_series(1, 100) AS n, generate_series(1, 34) AS f",
    )
    const left: number[] = []
    for (let nth = 1; nth <= 8; nth++) {
      bench.clock.set(START + nth * SECOND)
      await one.import(SDN, bench.files(SDN, { withoutSdn: nth % 2 === 0 ? [] : [90101] }))
      left.push(await bench.database.count("list_file", "snapshot_id LIKE 'old-%'"))
    }
    expect(left.at(-1)).toBe(0)
  })

  test("a rollback whose target no machine can give says so, and names no damage", async () => {
    await using bench = await sharedBench()
    const { one, other, first: target, second: active } = await twoPublications(bench)
    await bench.database.write("DELETE FROM list_file WHERE snapshot_id = ?1", target ?? "")
    expect(await other.rollBack(SDN)).toEqual({
      outcome: "NOT_HERE",
      snapshot: expect.objectContaining({ snapshotId: target }),
      folder: snapshotFolder(other.root, SDN, target ?? ""),
    })
    expect((await other.store.read(() => activeSnapshot(SDN)))?.snapshotId).toBe(active ?? "")
    expect((await one.rollBack(SDN)).outcome).toBe("ROLLED_BACK")
  })

  test("a machine stores the bytes that the database lacks, such as after its move from a file", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const { snapshotId } = await one.import(SDN, bench.files(SDN))
    for (const table of ["list_file", "list_part", "list_activation"])
      await bench.database.write(`DELETE FROM ${table}`)
    const second = await other.board()
    const told = other.logged.find(({ event }) => event === "snapshot_not_received")
    expect(String(told?.["why"])).toContain("start bizauth serve on the machine that imported it")
    await (await one.board()).poll()
    expect(one.logged).toContainEqual(expect.objectContaining({ event: "snapshot_stored", snapshot_id: snapshotId }))
    for (let round = 0; round < 3; round++) await second.poll()
    expect(idsOf(second.board, START)).toEqual([snapshotId, snapshotId])
  })

  test("one machine imports at a time, and another that tries meanwhile says so", async () => {
    await using bench = await sharedBench()
    const [one, other] = [await bench.machine("one"), await bench.machine("other")]
    const folder = bench.files(SDN)
    await one.shared.exclusive("lists", async () => {
      await expect(other.import(SDN, folder)).rejects.toThrow(
        "another import or rollback is running on another data directory or machine",
      )
      await expect(other.rollBack(SDN)).rejects.toThrow(ImportBusy)
    })
    expect((await other.import(SDN, folder)).imported).toBe(true)
  })
})
