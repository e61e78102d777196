import { describe, expect } from "bun:test"
import { copyFileSync, existsSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { type DataDirectory, DataDirectoryError } from "../../src/data/data-directory.ts"
import {
  readSizeRecord,
  requireNewestLog,
  SizeRecorder,
  sizeRecordPath,
  writeSizeRecord,
} from "../../src/data/log-size-record.ts"
import type { Engine } from "../../src/store/engine/engine.ts"
import { StoreUnavailable } from "../../src/store/engine/store-error.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import { readTreeHead } from "../../src/store/log/transparency-log.ts"
import { insertMeta } from "../../src/store/meta.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { append, clock, directory, OWN, open } from "./log-size-bench.ts"

const test = slowTests(import.meta.path)

const refusal = (opened: DataDirectory) =>
  requireNewestLog(opened).then(
    () => null,
    (error: unknown) => (error instanceof DataDirectoryError ? error.message : String(error)),
  )

test("a leaf that this process saw committed is recorded, although the database cannot be read any more", async () => {
  using at = await directory()
  const opened = await open(at.path)
  const { rootHash } = await opened.store.read(readTreeHead)
  const store: Store = Object.assign(Object.create(opened.store), {
    read: () => Promise.reject(new StoreUnavailable("LOG_SHORTER")),
  })
  const witness = { seen: { size: OWN + 1, rootHash }, saw: () => {} }
  const recorder = new SizeRecorder({ ...opened, store, engine: { ...opened.engine, witness } as Engine }, clock)
  await expect(recorder.round()).rejects.toThrow(StoreUnavailable)
  expect(readSizeRecord(at.path)).toMatchObject({ size: OWN + 1 })
  expect(await refusal(opened)).toContain(`has ${OWN} leaves`)
  await opened.store.close()
})

test("a database in which another instance noted that leaves are missing is refused", async () => {
  using at = await directory()
  const opened = await open(at.path)
  await opened.store.run(() => insertMeta("log_shorter", JSON.stringify({ seen: OWN + 5, found: OWN })))
  expect(await refusal(opened)).toContain(`has ${OWN} leaves, but an instance saw ${OWN + 5}`)
  await opened.store.close()
})

test("the lag counts from the last round that found the record equal to the log", async () => {
  using at = await directory()
  let now = 1000
  const opened = await open(at.path)
  const recorder = new SizeRecorder(opened, { ...clock, monotonic: () => now })
  await recorder.round()
  now = 5000
  expect([recorder.lagMs(OWN), recorder.lagMs(OWN - 1), recorder.lagMs(OWN + 1)]).toEqual([0, 0, 4000])
  await append(opened, "a")
  await recorder.round()
  now = 6000
  expect([recorder.lagMs(OWN + 1), recorder.lagMs(OWN + 2)]).toEqual([0, 1000])
  await opened.store.close()
})

describe("a database", () => {
  test("without a record, at the record or ahead of it is accepted", async () => {
    using at = await directory()
    const opened = await open(at.path)
    expect(await refusal(opened)).toBeNull()
    await append(opened, "a")
    await new SizeRecorder(opened, clock).round()
    expect(await refusal(opened)).toBeNull()
    await append(opened, "b")
    expect(await refusal(opened)).toBeNull()
    await opened.store.close()
  })

  test("behind the record is refused with both sizes in the message", async () => {
    using at = await directory()
    const opened = await open(at.path)
    const { rootHash } = await opened.store.read(readTreeHead)
    writeSizeRecord(at.path, { size: OWN + 3, rootHash, at: "2026-01-02T00:00:00.000Z" })
    const said = await refusal(opened)
    expect(said).toContain(`has ${OWN} leaves, but on 2026-01-02T00:00:00.000Z it had ${OWN + 3}`)
    expect(said).toContain("Put back the newest bizauth.db")
    await opened.store.close()
  })

  test("as large as the record but with other leaves is refused", async () => {
    using at = await directory()
    const opened = await open(at.path)
    await append(opened, "a")
    await new SizeRecorder(opened, clock).round()
    using other = await directory()
    const elsewhere = await open(other.path)
    await append(elsewhere, "x")
    await append(elsewhere, "y")
    copyFileSync(sizeRecordPath(at.path), sizeRecordPath(other.path))
    expect(await refusal(elsewhere)).toContain(`the first ${OWN + 1} leaves`)
    await Promise.all([opened.store.close(), elsewhere.store.close()])
  })
})

describe("the record", () => {
  test("holds size, root and time, is replaced as a whole and leaves no other file", async () => {
    using at = await directory()
    const opened = await open(at.path)
    const recorder = new SizeRecorder(opened, clock)
    for (const name of ["a", "b", "c"]) {
      await append(opened, name)
      await recorder.round()
    }
    const { size, rootHash } = await opened.store.read(readTreeHead)
    expect(readSizeRecord(at.path)).toEqual({ size, rootHash, at: "2026-01-01T00:00:00.000Z" })
    expect(readdirSync(at.path).filter((name) => name.startsWith("log-size"))).toEqual(["log-size.json"])
    await opened.store.close()
  })

  test("is not written again while the log does not grow", async () => {
    using at = await directory()
    const opened = await open(at.path)
    const recorder = new SizeRecorder(opened, clock)
    await recorder.round()
    rmSync(sizeRecordPath(at.path))
    await recorder.round()
    expect(existsSync(sizeRecordPath(at.path))).toBe(false)
    await append(opened, "a")
    await recorder.round()
    expect(readSizeRecord(at.path)?.size).toBe(OWN + 1)
    await opened.store.close()
  })

  test.each([
    ["an empty file", ""],
    ["a file without members", "{}"],
    ["a file without root and time", '{"tree_size":1}'],
    ["a long file", "x".repeat(2000)],
  ])("%s is refused, never treated as no record", async (_name, text) => {
    using at = await directory()
    const opened = await open(at.path)
    writeFileSync(sizeRecordPath(at.path), text)
    expect(await refusal(opened)).toContain("log-size.json cannot be read")
    await opened.store.close()
  })
})
