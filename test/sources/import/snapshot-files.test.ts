import { describe, expect, test } from "bun:test"
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { digestBytes } from "../../../src/core/digest.ts"
import {
  isKeepable,
  type Manifest,
  readSnapshot,
  removeOrphans,
  snapshotFault,
  snapshotFolder,
  writeSnapshot,
} from "../../../src/sources/import/snapshot-files.ts"
import type { SnapshotRow } from "../../../src/store/sources/sources.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const AT = "2026-11-20T12:00:00.000Z"
const ID = "snp_one"
const bytes = new TextEncoder().encode('1,"A"\r\n\u001a')
const stored = { parties: [], removed: [] }

function written(root: string): SnapshotRow {
  const sha256 = digestBytes(bytes).slice("sha256:".length)
  const manifest: Manifest = {
    format: "svc-snapshot-1",
    source_id: "US_OFAC_SDN",
    source_url: "https://lists.example/sdn",
    source_version: "v1",
    source_timestamp: null,
    retrieved_at: AT,
    retrieved_by: "test",
    files: [{ name: "sdn.csv", sha256, bytes: bytes.length, last_modified: AT }],
  }
  const files = [{ name: "sdn.csv", bytes, modifiedAt: 0 }]
  const partiesSha256 = writeSnapshot(root, { snapshotId: ID, manifest, files, stored })
  const row = { sourceId: "US_OFAC_SDN", snapshotId: ID, partiesSha256, files: JSON.stringify(manifest.files) }
  return row as SnapshotRow
}

test("a written snapshot is read back unchanged, and other users cannot open it", () => {
  using fresh = freshDirectory()
  const row = written(fresh.path)
  expect(readSnapshot(fresh.path, row)).toEqual({ stored, fault: null })
  expect(snapshotFault(fresh.path, row)).toBeNull()
  const folder = snapshotFolder(fresh.path, row.sourceId, ID)
  expect(readdirSync(join(fresh.path, row.sourceId))).toEqual([ID])
  expect(readdirSync(folder).sort()).toEqual(["manifest.json", "parties.json", "sdn.csv"])
  for (const name of readdirSync(folder)) expect(statSync(join(folder, name)).mode & 0o077).toBe(0)
  expect(readFileSync(join(folder, "sdn.csv")).equals(bytes)).toBe(true)
})

describe("a folder that does not match its row gives no parties and a reason", () => {
  const rows: readonly [name: string, says: string, harm: (folder: string) => void][] = [
    ["gone", "ENOENT", (folder) => rmSync(folder, { recursive: true })],
    ["without a raw file", "ENOENT", (folder) => rmSync(join(folder, "sdn.csv"))],
    ["with an edited raw file", "sdn.csv has other bytes", (folder) => writeFileSync(join(folder, "sdn.csv"), "")],
    [
      "with edited parties",
      "parties.json has other bytes",
      (folder) => writeFileSync(join(folder, "parties.json"), "{}"),
    ],
    [
      "with a folder in place of a file",
      "EISDIR",
      (folder) => {
        rmSync(join(folder, "sdn.csv"))
        mkdirSync(join(folder, "sdn.csv"))
      },
    ],
  ]
  test.each(rows)("%s", (_name, says, harm) => {
    using fresh = freshDirectory()
    const row = written(fresh.path)
    harm(snapshotFolder(fresh.path, row.sourceId, ID))
    const read = readSnapshot(fresh.path, row)
    expect(read.stored).toBeNull()
    expect(read.fault).toContain(says)
    expect(snapshotFault(fresh.path, row)).toContain(says)
  })

  test("parties stored in the shape of another release", () => {
    using fresh = freshDirectory()
    const row = written(fresh.path)
    const old = JSON.stringify({ format: "svc-parties-0", ...stored })
    writeFileSync(join(snapshotFolder(fresh.path, row.sourceId, ID), "parties.json"), old)
    const read = readSnapshot(fresh.path, { ...row, partiesSha256: digestBytes(old) })
    expect(read).toEqual({ stored: null, fault: "parties.json is of another release: import the files again" })
  })
})

test("a snapshot id is never written twice", () => {
  using fresh = freshDirectory()
  written(fresh.path)
  expect(() => written(fresh.path)).toThrow()
})

test("orphans are folders with our names and no row; a source without a folder has none", () => {
  using fresh = freshDirectory()
  expect(removeOrphans(fresh.path, "US_OFAC_SDN", new Set())).toEqual([])
  written(fresh.path)
  const parent = join(fresh.path, "US_OFAC_SDN")
  for (const name of [".staging-snp_x", "snp_lost", "notes"]) mkdirSync(join(parent, name))
  chmodSync(join(parent, "snp_lost"), 0o500)
  expect([...removeOrphans(fresh.path, "US_OFAC_SDN", new Set([ID]))].sort()).toEqual([".staging-snp_x", "snp_lost"])
  expect(readdirSync(parent).sort()).toEqual(["notes", ID].sort())
})

const names: readonly [name: string, keepable: boolean][] = [
  ["SDN.XML", true],
  ["SAM_Exclusions_Public_Extract_V2_26325.ZIP", true],
  ["Liste à jour (1).csv", true],
  ["manifest.json", false],
  ["Parties.JSON", false],
  [".hidden", false],
  ["..", false],
  ["", false],
  ["a/b", false],
  ["a\\b", false],
  ["a\nb", false],
  ["x".repeat(201), false],
]
test.each(names)("the file name %j may be stored: %p", (name, keepable) => {
  expect(isKeepable(name)).toBe(keepable)
})
