import { expect, test } from "bun:test"
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { writeTar } from "../../../src/core/tar/tar.ts"
import { readInput } from "../../../src/sources/import/read-input.ts"
import { InputError } from "../../../src/sources/records/input-error.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { foundInput } from "./found-input.ts"

const SDN = "US_OFAC_SDN"
const RETRIEVED = "2026-10-08T09:00:00.000Z"
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex")
const stated = (name: string, text: string, more: object = {}) => ({
  name,
  sha256: sha256(text),
  bytes: text.length,
  ...more,
})
const manifest = (files: readonly unknown[], changes: object = {}) =>
  JSON.stringify({ format: "svc-snapshot-1", source_id: SDN, retrieved_at: RETRIEVED, files, ...changes })

function archiveOf(entries: readonly (readonly [name: string, text: string])[], name = "list.tar") {
  const fresh = freshDirectory()
  const path = join(fresh.path, name)
  const pieces = writeTar(
    entries.map(([one, text]) => {
      const bytes = new TextEncoder().encode(text)
      return { name: one, size: bytes.length, modifiedAt: 9, pieces: [bytes] }
    }),
  )
  writeFileSync(path, Buffer.concat([...pieces]))
  return { path, directory: fresh.path, [Symbol.dispose]: () => fresh[Symbol.dispose]() }
}

test("an archive gives the manifest's time and the times, tags and addresses of its files, never its own times", () => {
  const facts = { last_modified: "2026-10-07T00:00:00Z", url: "https://lists.example/sdn.csv", etag: '"7"' }
  using made = archiveOf([
    ["manifest.json", manifest([stated("sdn.csv", "one", facts), stated("add.csv", "two")])],
    ["sdn.csv", "one"],
    ["add.csv", "two"],
  ])
  const { files, retrievedAt, findings } = foundInput([made.path], SDN)
  expect([retrievedAt, findings]).toEqual([Date.parse(RETRIEVED), []])
  expect(files.map(({ bytes, ...rest }) => [rest, new TextDecoder().decode(bytes)])).toEqual([
    [{ name: "sdn.csv", modifiedAt: Date.parse("2026-10-07T00:00:00Z"), url: facts.url, etag: facts.etag }, "one"],
    [{ name: "add.csv", modifiedAt: Date.parse(RETRIEVED) }, "two"],
  ])
})

test.each([
  ["one changed byte", "onE", "CORRUPT"],
  ["more bytes", "one ", "CORRUPT"],
  ["fewer bytes", "on", "TRUNCATED"],
])("%s against the manifest gives a hard finding", (_what, text, code) => {
  using made = archiveOf([
    ["manifest.json", manifest([stated("sdn.csv", "one")])],
    ["sdn.csv", text],
  ])
  expect(foundInput([made.path], SDN).findings).toMatchObject([{ code, severity: "hard", file: "sdn.csv" }])
})

test("a file in the manifest that the archive does not contain gives a hard finding", () => {
  using made = archiveOf([
    ["manifest.json", manifest([stated("sdn.csv", "one"), stated("add.csv", "two")])],
    ["sdn.csv", "one"],
  ])
  expect(foundInput([made.path], SDN).findings).toMatchObject([{ code: "MISSING_FILE", file: "add.csv" }])
})

const own = ["manifest.json", manifest([stated("sdn.csv", "one")])] as const
test.each<readonly [what: string, entries: readonly (readonly [string, string])[]]>([
  ["without a manifest", [["sdn.csv", "one"]]],
  ["without a list", [own]],
  ["with a file its manifest does not name", [own, ["sdn.csv", "one"], ["stray.txt", "x"]]],
  ["with two manifests", [own, own, ["sdn.csv", "one"]]],
  ["with two files apart in case only", [own, ["sdn.csv", "one"], ["SDN.csv", "two"]]],
  ["with a name that leaves its folder", [own, ["../sdn.csv", "one"]]],
  ["with an absolute name", [own, ["/etc/cron.d/x", "one"]]],
  ["with our own parties", [own, ["sdn.csv", "one"], ["parties.json", "{}"]]],
  [
    "of another source",
    [
      ["manifest.json", manifest([stated("sdn.csv", "one")], { source_id: "US_TRADE_CSL" })],
      ["sdn.csv", "one"],
    ],
  ],
  [
    "with a manifest that is not JSON",
    [
      ["manifest.json", "<html>"],
      ["sdn.csv", "one"],
    ],
  ],
])("an archive %s is not read", (_what, entries) => {
  using made = archiveOf(entries)
  expect(() => readInput([made.path], SDN)).toThrow(InputError)
})

test("an archive together with further paths is refused, and a folder named like an archive is read as a folder", () => {
  using made = archiveOf([own, ["sdn.csv", "one"]])
  expect(() => readInput([made.path, made.path], SDN)).toThrow("name it alone")
  using folder = freshDirectory()
  writeFileSync(join(folder.path, "sdn.csv"), "one")
  expect(readInput([folder.path], SDN).files).toHaveLength(1)
})

test("the limits are the same as for loose files", () => {
  using made = archiveOf([
    ["manifest.json", manifest([stated("sdn.csv", "one"), stated("add.csv", "two")])],
    ["sdn.csv", "one"],
    ["add.csv", "two"],
  ])
  expect(readInput([made.path], SDN, { files: 2, bytes: 100_000 }).files).toHaveLength(2)
  expect(() => readInput([made.path], SDN, { files: 1, bytes: 100_000 })).toThrow("more than 2 files")
  using large = archiveOf([own, ["sdn.csv", "x".repeat(70_000)]])
  expect(() => readInput([large.path], SDN, { files: 2, bytes: 5000 })).toThrow("more than 5000")
})

test("with pinned keys an unsigned archive and loose files are refused", () => {
  const key = "A".repeat(43)
  using made = archiveOf([own, ["sdn.csv", "one"]])
  for (const path of [made.path, made.directory]) {
    writeFileSync(join(made.directory, "loose.csv"), "x")
    const codes = readInput([path], SDN, undefined, [key]).findings.map(({ code, severity }) => [code, severity])
    expect(codes).toEqual([["UNSIGNED", "hard"]])
  }
})
