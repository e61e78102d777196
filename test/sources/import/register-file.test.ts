import { expect } from "bun:test"
import { readFileSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import {
  countRemoved,
  RegisterDamaged,
  RegisterReader,
  RegisterWriter,
} from "../../../src/sources/import/register-file.ts"
import type { RegisterEntry } from "../../../src/sources/records/register-adapter.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

function entry(key: string, extra: Partial<RegisterEntry> = {}): RegisterEntry {
  return {
    key,
    otherKeys: [],
    name: `NAME OF ${key}`,
    record: { number: key, tags: ["a", null], at: { x: 1 } },
    ...extra,
  }
}

function written(path: string, entries: readonly RegisterEntry[]) {
  const writer = new RegisterWriter(path)
  try {
    for (const one of entries) writer.add(one)
    return writer.finish()
  } finally {
    writer.close()
  }
}

function reading<T>(path: string, read: (reader: RegisterReader) => T): T {
  const reader = new RegisterReader(path)
  try {
    return read(reader)
  } finally {
    reader.close()
  }
}

test("a written register is read back, by key and by further keys", () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "r")
  const cage = (value: string) => ({ scheme: "cage", value })
  const entries = [
    entry("B", { otherKeys: [cage("1ABC2"), { scheme: "cik", value: "0000000001" }] }),
    entry("A", { otherKeys: [cage("1ABC2")] }),
    entry("é\u0000", { record: [], name: "" }),
    entry("C", { record: { number: "C", empty: {}, deep: [[{ x: [] }], true, -1.5] } }),
  ]
  expect(written(path, entries)).toEqual({ same: 0, different: 0 })
  reading(path, (reader) => {
    for (const one of entries) expect(reader.findByKey(one.key)).toEqual(one)
    expect(Object.keys(reader.findByKey("A")?.record ?? {})).toEqual(["number", "tags", "at"])
    expect([reader.findByKey("D"), reader.findByKey("a"), reader.findByKey("")]).toEqual([null, null, null])
    expect(reader.findByOther("cage", "1ABC2")?.key).toBe("A")
    expect(reader.findByOther("cik", "0000000001")?.key).toBe("B")
    expect(reader.findByOther("cik", "1ABC2")).toBeNull()
  })
})

test("a key that occurs twice is stored once, and different entries of one key are counted", () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "r")
  const told = written(path, [entry("A"), entry("B"), entry("A"), entry("A"), entry("B", { name: "ANOTHER" })])
  expect(told).toEqual({ same: 1, different: 1 })
  reading(path, (reader) => expect(reader.findByKey("B")?.name).toBe("NAME OF B"))
})

test("a flipped byte anywhere never returns another company", () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "r")
  const keys = Array.from({ length: 60 }, (_, index) => String(10_000_000 + index * 37))
  written(
    path,
    keys.map((key) => entry(key)),
  )
  const whole = readFileSync(path)
  const noticed = { damaged: 0, missing: 0, same: 0 }
  // Every 97th byte, which covers all pages, headers, cells and free space.
  for (let at = 0; at < whole.length; at += 97) {
    const bytes = Buffer.from(whole)
    bytes[at] = (bytes[at] ?? 0) ^ 0x08
    writeFileSync(path, bytes)
    for (const key of [keys[0], keys[31], keys[59]] as string[]) {
      try {
        const found = reading(path, (reader) => reader.findByKey(key))
        if (found === null) noticed.missing += 1
        else {
          expect(found).toEqual(entry(key))
          noticed.same += 1
        }
      } catch (error) {
        expect(error).toBeInstanceOf(RegisterDamaged)
        noticed.damaged += 1
      }
    }
  }
  expect(noticed.damaged).toBeGreaterThan(3)
  expect(noticed.same).toBeGreaterThan(3)
})

test("a file that is not a register, is cut or is from another release is refused when it is opened or read", () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "r")
  expect(() => new RegisterReader(path)).toThrow(RegisterDamaged)
  writeFileSync(path, "no database")
  expect(() => new RegisterReader(path)).toThrow(RegisterDamaged)
  writeFileSync(path, "")
  expect(() => new RegisterReader(path)).toThrow(RegisterDamaged)
  const other = join(fresh.path, "s")
  const keys = Array.from({ length: 500 }, (_, index) => String(10_000_000 + index))
  written(
    other,
    keys.map((key) => entry(key)),
  )
  writeFileSync(path, readFileSync(other).subarray(0, statSync(other).size / 2))
  expect(() => reading(path, (reader) => keys.map((key) => reader.findByKey(key)))).toThrow(RegisterDamaged)
})

test("the removed keys are counted", () => {
  using fresh = freshDirectory()
  const [before, after] = [join(fresh.path, "before"), join(fresh.path, "after")]
  written(
    before,
    ["A", "B", "C", "D"].map((key) => entry(key)),
  )
  written(
    after,
    ["E", "C", "A"].map((key) => entry(key)),
  )
  expect(countRemoved(before, after)).toBe(2)
  expect(countRemoved(after, after)).toBe(0)
  expect(() => countRemoved(join(fresh.path, "none"), after)).toThrow(RegisterDamaged)
})

test("a file that contains all its rows twice is reported without a comparison of millions of keys", () => {
  using fresh = freshDirectory()
  const path = join(fresh.path, "r")
  const keys = Array.from({ length: 10_001 }, (_, index) => String(10_000_000 + index))
  expect(
    written(
      path,
      [...keys, ...keys].map((key) => entry(key)),
    ),
  ).toEqual({ same: 0, different: 10_001 })
})
