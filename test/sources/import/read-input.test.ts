import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { mkdirSync, symlinkSync, truncateSync, utimesSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { INPUT_LIMITS, readInput } from "../../../src/sources/import/read-input.ts"
import { MANIFEST_BYTES_MAX } from "../../../src/sources/import/read-manifest.ts"
import { InputError } from "../../../src/sources/records/input-error.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { foundInput } from "./found-input.ts"

const SDN = "US_OFAC_SDN"
const RETRIEVED = "2026-10-08T09:00:00.000Z"
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")

/** Files by relative path under a fresh directory. */
function folderOf(files: Readonly<Record<string, string>>) {
  const fresh = freshDirectory()
  for (const [name, text] of Object.entries(files)) {
    const path = join(fresh.path, name)
    mkdirSync(join(path, ".."), { recursive: true })
    writeFileSync(path, text)
  }
  return { at: (...names: string[]) => join(fresh.path, ...names), [Symbol.dispose]: () => fresh[Symbol.dispose]() }
}

const stated = (name: string, text: string) => ({ name, sha256: sha256(text), bytes: text.length })

function manifest(files: readonly unknown[], changed: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ format: "svc-snapshot-1", source_id: SDN, retrieved_at: RETRIEVED, files, ...changed })
}

const read = (...paths: string[]) => foundInput(paths, SDN)
const names = (paths: string[]) => read(...paths).files.map(({ name }) => name)

test("files are read byte for byte with their own times", () => {
  using folder = folderOf({ "sdn.csv": "one\r\n\u001a" })
  utimesSync(folder.at("sdn.csv"), 1_700_000_000.5, 1_700_000_000.5)
  const { files, retrievedAt, findings } = read(folder.at("sdn.csv"))
  expect(files).toEqual([
    { name: "sdn.csv", bytes: new TextEncoder().encode("one\r\n\u001a"), modifiedAt: 1_700_000_000_500 },
  ])
  expect([retrievedAt, findings]).toEqual([null, []])
})

test("only the plain files of a folder are read, in a fixed order and without sub-folders", () => {
  using folder = folderOf({ "b.csv": "b", "a.csv": "a", ".hidden": "h", "deeper/c.csv": "c" })
  expect(names([folder.at()])).toEqual(["a.csv", "b.csv"])
})

test("a manifest folder gives the manifest's retrieval time, only its files, and their stated times", () => {
  using folder = folderOf({
    "sdn.csv": "one",
    "add.csv": "two",
    "stray.txt": "not named",
    "manifest.json": manifest([
      { ...stated("sdn.csv", "one"), last_modified: "2026-10-07T00:00:00Z" },
      stated("add.csv", "two"),
    ]),
  })
  const { files, retrievedAt, findings } = read(folder.at())
  expect([retrievedAt, findings]).toEqual([Date.parse(RETRIEVED), []])
  // Without a stated time, a copied file's own time would be the time of the copy.
  expect(files.map(({ name, modifiedAt }) => [name, modifiedAt])).toEqual([
    ["add.csv", Date.parse(RETRIEVED)],
    ["sdn.csv", Date.parse("2026-10-07T00:00:00Z")],
  ])
})

test.each([
  ["one changed byte", { "sdn.csv": "onE" }, "CORRUPT"],
  ["more bytes", { "sdn.csv": "one " }, "CORRUPT"],
  ["fewer bytes", { "sdn.csv": "on" }, "TRUNCATED"],
  ["a missing file", { "add.csv": "two" }, "MISSING_FILE"],
  ["a file name in another case", { "SDN.CSV": "one", "add.csv": "two" }, "MISSING_FILE"],
])("%s against the manifest gives a hard finding", (_name, files, code) => {
  using folder = folderOf({
    ...files,
    "manifest.json": manifest([stated("sdn.csv", "one"), ...("add.csv" in files ? [stated("add.csv", "two")] : [])]),
  })
  expect(read(folder.at()).findings).toMatchObject([{ code, severity: "hard", file: "sdn.csv" }])
})

const manifests: readonly [name: string, text: string][] = [
  ["a name that leaves the folder", manifest([stated("../secret", "x")])],
  ["an absolute name", manifest([stated("/etc/passwd", "x")])],
  ["a name with a backslash", manifest([stated("..\\secret", "x")])],
  ["a name with a line feed", manifest([stated("a\nb", "x")])],
  ["its own name", manifest([stated("manifest.json", "x")])],
  ["the name of our parties file", manifest([stated("Parties.JSON", "x")])],
  ["a file twice", manifest([stated("sdn.csv", "one"), stated("sdn.csv", "one")])],
  ["no files", manifest([])],
  ["a file that is not an object", manifest([null])],
  ["a file without a digest", manifest([{ name: "sdn.csv", bytes: 3 }])],
  ["another format", manifest([stated("sdn.csv", "one")], { format: "svc-snapshot-2" })],
  ["another source", manifest([stated("sdn.csv", "one")], { source_id: "US_TRADE_CSL" })],
  ["an invalid time", manifest([stated("sdn.csv", "one")], { retrieved_at: "yesterday" })],
  ["a null in place of the object", "null"],
  ["a member twice", `{"format":"svc-snapshot-1",${manifest([stated("sdn.csv", "one")]).slice(1)}`],
  ["text that is not JSON", "<html>"],
  ["more bytes than the limit", manifest([stated("sdn.csv", "one")], { note: "x".repeat(MANIFEST_BYTES_MAX) })],
]
test.each(manifests)("a manifest with %s is not used", (_name, text) => {
  using folder = folderOf({ "sdn.csv": "one", "manifest.json": text })
  expect(() => read(folder.at())).toThrow(InputError)
})

test("a manifest folder together with further paths is refused, because its loose files would look fresh", () => {
  using folder = folderOf({
    "old/sdn.csv": "one",
    "old/manifest.json": manifest([stated("sdn.csv", "one")]),
    "x.csv": "x",
  })
  expect(() => read(folder.at("old"), folder.at("x.csv"))).toThrow("name that folder alone")
  expect(() => read(folder.at("old/sdn.csv"), folder.at("old/manifest.json"))).toThrow("no snapshot may hold")
})

test.each(["manifest.json", "MANIFEST.JSON", "parties.json", "a\nb.csv", `${"x".repeat(201)}.csv`])(
  "a file named %j is refused in a snapshot folder",
  (name) => {
    using folder = folderOf({ [name]: "x" })
    expect(() => read(folder.at(name))).toThrow(InputError)
  },
)

test("two files with one name are refused, from two folders or with names that differ only in case", () => {
  using folder = folderOf({ "a/sdn.csv": "one", "b/sdn.csv": "two", "c/SDN.csv": "three", "c/sdn.CSV": "four" })
  expect(() => read(folder.at("a"), folder.at("b"))).toThrow("two files of one name")
  expect(() => read(folder.at("a", "sdn.csv"), folder.at("a", "sdn.csv"))).toThrow("two files of one name")
  expect(() => read(folder.at("c"))).toThrow("two files of one name")
})

test("a symbolic link inside a folder is refused; one that the operator names is followed", () => {
  using folder = folderOf({ "secret.csv": "s", "list/sdn.csv": "one" })
  symlinkSync(folder.at("secret.csv"), folder.at("list", "add.csv"))
  expect(() => read(folder.at("list"))).toThrow("symbolic link")
  expect(names([folder.at("list", "add.csv")])).toEqual(["add.csv"])
  symlinkSync(folder.at("nowhere"), folder.at("list", "add2.csv"))
  expect(() => read(folder.at("list", "add2.csv"))).toThrow(InputError)
})

test("a device is not read", () => {
  expect(() => read("/dev/zero")).toThrow("neither a file nor a folder")
})

test("a path without a file, a missing path and no path at all are refused", () => {
  using folder = folderOf({ ".hidden": "h" })
  expect(() => read(folder.at())).toThrow("no file found")
  expect(() => read(folder.at("nowhere"))).toThrow("does not exist")
  expect(() => read()).toThrow("no file found")
})

test("input exactly at the limits is accepted", () => {
  using folder = folderOf({ "a.csv": "123", "b.csv": "4567" })
  expect(readInput([folder.at()], SDN, { files: 2, bytes: 7 }).files).toHaveLength(2)
  expect(() => readInput([folder.at()], SDN, { files: 1, bytes: 7 })).toThrow("2 files given, more than 1")
  expect(() => readInput([folder.at()], SDN, { files: 2, bytes: 6 })).toThrow("7 bytes, more than 6")
})

test("a gigabyte over the limit is refused before it is read", () => {
  using folder = folderOf({ "a.csv": "" })
  truncateSync(folder.at("a.csv"), INPUT_LIMITS.bytes + 1)
  expect(() => read(folder.at("a.csv"))).toThrow("more than 1073741824")
})
