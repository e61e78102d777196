import { expect, test } from "bun:test"
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { ADAPTERS, adapterOf } from "../../src/sources/list-registry.ts"
import { SOURCE_IDS } from "../../src/sources/records/party.ts"
import { sampleLists, writeSampleLists } from "../fixtures/sample-lists.ts"
import { asSourceFiles, hardCodes, PUBLISHED_AT } from "../fixtures/source-files.ts"

test("every source has its adapter under its own id", () => {
  expect(Object.keys(ADAPTERS).sort()).toEqual([...SOURCE_IDS].sort())
  for (const id of SOURCE_IDS) expect(adapterOf(id)?.id).toBe(id)
  expect(adapterOf("US_OFAC")).toBeNull()
})

test.each([...SOURCE_IDS])("%s becomes stale later than it stops being fresh, and is polled earlier", (id) => {
  const { freshSeconds, staleSeconds, pollSeconds } = ADAPTERS[id].windows
  expect(pollSeconds).toBeLessThan(freshSeconds)
  expect(freshSeconds).toBeLessThan(staleSeconds)
})

test.each([...SOURCE_IDS])("%s reads equal bytes to an equal result, and each party has its own key", (id) => {
  const files = asSourceFiles(sampleLists({ publishedAt: PUBLISHED_AT })[id])
  const first = ADAPTERS[id].parse(files)
  expect(ADAPTERS[id].parse(files)).toEqual(first)
  expect(new Set(first.parties.map((party) => party.entryId)).size).toBe(first.parties.length)
  expect(first.parties.length).toBeGreaterThan(0)
})

const PAGE = new TextEncoder().encode("\n<!DOCTYPE html><html><body>Sign in to continue</body></html>\n")

test.each([...SOURCE_IDS])("%s refuses a web page in place of each of its files", (id) => {
  const files = asSourceFiles(sampleLists({ publishedAt: PUBLISHED_AT })[id])
  for (const file of files) {
    const { findings, parties } = ADAPTERS[id].parse(
      files.map((each) => (each === file ? { ...each, bytes: PAGE } : each)),
    )
    expect(hardCodes(findings)).toContain("NOT_DATA")
    expect(parties).toEqual([])
  }
})

test.each([...SOURCE_IDS])("%s refuses an empty folder without throwing", (id) => {
  expect(hardCodes(ADAPTERS[id].parse([]).findings)).toContain("MISSING_FILE")
})

test.each([...SOURCE_IDS])("%s refuses empty files", (id) => {
  const files = asSourceFiles(sampleLists({ publishedAt: PUBLISHED_AT })[id])
  const { findings } = ADAPTERS[id].parse(files.map((file) => ({ ...file, bytes: new Uint8Array() })))
  expect(hardCodes(findings)).toContain("TRUNCATED")
})

test.each([...SOURCE_IDS])("%s reports on any bytes and never throws", (id) => {
  const files = asSourceFiles(sampleLists({ publishedAt: PUBLISHED_AT })[id])
  const damage = fc.record({
    at: fc.double({ min: 0, max: 0.999, noNaN: true }),
    bytes: fc.uint8Array({ maxLength: 8 }),
  })
  fc.assert(
    fc.property(fc.nat(files.length - 1), fc.oneof(damage, fc.uint8Array({ maxLength: 200 })), (index, change) => {
      const damaged = files.map((file, position) => {
        if (position !== index) return file
        if (change instanceof Uint8Array) return { ...file, bytes: change }
        const bytes = Uint8Array.from(file.bytes)
        const at = Math.floor(change.at * bytes.length)
        bytes.set(change.bytes.subarray(0, bytes.length - at), at)
        return { ...file, bytes }
      })
      const { parties, findings } = ADAPTERS[id].parse(damaged)
      if (hardCodes(findings).length > 0) expect(parties).toEqual([])
      else expect(parties.length).toBeGreaterThan(0)
    }),
    { numRuns: 300 },
  )
})

test("sample lists written to a folder are read back by every adapter", () => {
  const dir = mkdtempSync(join(tmpdir(), "sample-lists-"))
  try {
    const folders = writeSampleLists(dir, { publishedAt: PUBLISHED_AT })
    for (const id of SOURCE_IDS) {
      const files = readdirSync(folders[id]).map((name) => ({
        name,
        bytes: new Uint8Array(readFileSync(join(folders[id], name))),
        modifiedAt: statSync(join(folders[id], name)).mtimeMs,
      }))
      expect(files.map((file) => file.modifiedAt)).toEqual(files.map(() => PUBLISHED_AT))
      expect(hardCodes(ADAPTERS[id].parse(files).findings)).toEqual([])
    }
  } finally {
    rmSync(dir, { recursive: true })
  }
})
