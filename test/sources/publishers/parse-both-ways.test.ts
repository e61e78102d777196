/** Characters that nobody sees must not hide a listed party, in any list and wherever they are. */
import { describe, expect, test } from "bun:test"
import { unzipSync, zipSync } from "fflate"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { SourceAdapter, SourceFile } from "../../../src/sources/records/adapter.ts"
import type { Party, SourceId } from "../../../src/sources/records/party.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { sampleLists, sampleSdnXml } from "../../fixtures/sample-lists.ts"
import { asSourceFiles, hardCodes, PUBLISHED_AT } from "../../fixtures/source-files.ts"
import { query } from "../screening/sample-parties.ts"

const UNSEEN = [
  "\0",
  "\u0001",
  "\u001f",
  "\u007f",
  "\u0081",
  "\u00ad",
  "\u200b",
  "\u200f",
  "\u202e",
  "\u2066",
  "\ufeff",
  "\0\u200b\0",
]

const lists = sampleLists({ publishedAt: PUBLISHED_AT })
const sets: readonly (readonly [name: string, adapter: SourceAdapter, files: readonly SourceFile[]])[] = [
  ...(Object.keys(ADAPTERS) as SourceId[]).map((id) => [id, ADAPTERS[id], asSourceFiles(lists[id])] as const),
  ["SDN.XML", ADAPTERS.US_OFAC_SDN, asSourceFiles([sampleSdnXml({ publishedAt: PUBLISHED_AT })])],
]

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)
const bytes = (of: string) => new TextEncoder().encode(of)

function changed(files: readonly SourceFile[], change: (text: string) => string): readonly SourceFile[] {
  return files.map((file) => {
    if (!file.name.toLowerCase().endsWith(".zip")) return { ...file, bytes: bytes(change(text(file.bytes))) }
    const entries = Object.entries(unzipSync(file.bytes)).map(([name, entry]) => [name, bytes(change(text(entry)))])
    return { ...file, bytes: zipSync(Object.fromEntries(entries)) }
  })
}

/** The longest name of letters and spaces, so that nothing else in the file changes with it. */
function plainName(parties: readonly Party[]): string {
  const names = parties.flatMap((party) => party.names.map((name) => name.text))
  const [longest] = names
    .filter((name) => /^[A-Za-z]{4,}(?: [A-Za-z]{4,})+$/.test(name))
    .sort((a, b) => b.length - a.length)
  if (longest === undefined) throw new Error("the sample has no plain name")
  return longest
}

describe.each(sets)("%s", (_, adapter, files) => {
  const clean = adapter.parse(files)
  const name = plainName(clean.parties)
  const found = (parties: readonly Party[], given: string) =>
    screen(new NameIndex({ snapshotIds: {}, parties }), query(given, { type: null })).hits[0]
  const expected = found(clean.parties, name)?.score ?? 0

  test("has a plain name that is found", () => {
    expect(hardCodes(clean.findings)).toEqual([])
    expect(expected).toBeGreaterThanOrEqual(0.9)
  })

  test.each(UNSEEN)("with %j between all letters of a name gives the name", (unseen) => {
    const { parties, findings } = adapter.parse(changed(files, (of) => of.replaceAll(name, [...name].join(unseen))))
    expect(hardCodes(findings)).toEqual([])
    expect(parties.flatMap((party) => party.names.map((one) => one.text))).toContain(name)
    expect(found(parties, name)?.score).toBe(expected)
    expect(found(parties, `Global ${name} Services`)?.score).toBe(
      found(clean.parties, `Global ${name} Services`)?.score,
    )
  })

  test.each(UNSEEN)("with %j for the spaces of a name gives the name", (unseen) => {
    const { parties } = adapter.parse(changed(files, (of) => of.replaceAll(name, name.replaceAll(" ", unseen))))
    expect(found(parties, name)?.score).toBe(expected)
    expect(found(parties, `Global ${name} Services`)?.score).toBe(
      found(clean.parties, `Global ${name} Services`)?.score,
    )
  })

  test("with an unseen character after every letter of the file gives the same parties", () => {
    const everywhere = changed(files, (of) => of.replace(/(?<=[A-Za-z])(?=[A-Za-z])/g, "\u200b"))
    const named = ({ parties }: { parties: readonly Party[] }) => parties.map((party) => party.names[0]?.text)
    const { parties } = adapter.parse(everywhere)
    expect(named({ parties })).toEqual(named(clean))
    expect(parties.map(({ measure, type }) => [measure, type])).toEqual(
      clean.parties.map(({ measure, type }) => [measure, type]),
    )
    for (const [at, { identifiers }] of clean.parties.entries())
      expect(parties[at]?.identifiers).toEqual(expect.arrayContaining([...identifiers]))
  })

  test("without an unseen character is read as by the earlier parser", () => {
    for (const earlier of adapter.earlierParsers) expect(earlier.parse(files).parties).toEqual([...clean.parties])
  })
})

test("a reference to an unseen character in XML is read as the character", () => {
  const files = asSourceFiles([sampleSdnXml({ publishedAt: PUBLISHED_AT })])
  const name = plainName(ADAPTERS.US_OFAC_SDN.parse(files).parties)
  const { parties } = ADAPTERS.US_OFAC_SDN.parse(
    changed(files, (of) => of.replaceAll(name, [...name].join("&#x200b;"))),
  )
  expect(parties.flatMap((party) => party.names.map((one) => one.text))).toContain(name)
})

test("U+0092 is the apostrophe of Windows-1252", () => {
  const [, csl, files] = sets.find(([id]) => id === "US_TRADE_CSL")!
  const name = plainName(csl.parse(files).parties)
  const { parties } = csl.parse(changed(files, (of) => of.replaceAll(name, `${name} Gui\u0092an`)))
  expect(parties.flatMap((party) => party.names.map((one) => one.text))).toContain(`${name} Gui’an`)
})
