import { expect, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { prepareLists } from "../../../scripts/demo/lists.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { sampleLists } from "../../fixtures/sample-lists.ts"
import { BLOCKED_ORGANISATION } from "../../fixtures/sample-parties.ts"

const AT = Date.UTC(2026, 10, 20, 10)

test("without a folder all four lists are samples", () => {
  using folder = freshDirectory()
  const { lists, listedName } = prepareLists(folder.path, null, AT)
  expect(lists.map(({ origin }) => origin)).toEqual(["SAMPLE", "SAMPLE", "SAMPLE", "SAMPLE"])
  expect(listedName).toBe(BLOCKED_ORGANISATION)
})

test("a folder's own list is used and its first plainly named organisation is blocked; the other lists are samples", () => {
  using folder = freshDirectory()
  const own = join(folder.path, "own")
  mkdirSync(join(own, "US_OFAC_SDN"), { recursive: true })
  for (const { name, bytes } of sampleLists({ publishedAt: AT }).US_OFAC_SDN) {
    const file = join(own, "US_OFAC_SDN", name === "sdn.csv" ? "SDN.CSV" : name)
    // Another company may have the short first name by chance.
    writeFileSync(file, name === "sdn.csv" ? Buffer.concat([Buffer.from('1,"ACME CO",-0- ,"X"\r\n'), bytes]) : bytes)
  }
  const { lists, listedName } = prepareLists(join(folder.path, "scratch"), own, AT)
  expect(lists.find(({ origin }) => origin === "OPERATOR")).toMatchObject({ sourceId: "US_OFAC_SDN" })
  expect(lists.filter(({ origin }) => origin === "SAMPLE")).toHaveLength(3)
  expect(listedName).toBe(BLOCKED_ORGANISATION)
})

test("a folder without any source is an error, not a demo on samples", () => {
  using folder = freshDirectory()
  mkdirSync(join(folder.path, "own"))
  expect(() => prepareLists(folder.path, join(folder.path, "own"), AT)).toThrow("US_OFAC_SDN")
})
