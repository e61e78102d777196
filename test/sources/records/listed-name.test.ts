import { describe, expect, test } from "bun:test"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import { parsed } from "../../../src/sources/publishers/reading.ts"
import { usTradeCsl } from "../../../src/sources/publishers/us-trade-csl/adapter.ts"
import { LISTED_NAME_CHARACTERS_MAX, LISTED_NAME_WORDS_MAX } from "../../../src/sources/records/listed-name.ts"
import type { Party, PartyName } from "../../../src/sources/records/party.ts"
import { NameIndex } from "../../../src/sources/screening/name-index.ts"
import { screen } from "../../../src/sources/screening/screen.ts"
import { cslFile, sampleLists } from "../../fixtures/sample-lists.ts"
import { cslRows } from "../../fixtures/sample-parties.ts"
import { asSourceFiles, hardCodes, PUBLISHED_AT, softCodes } from "../../fixtures/source-files.ts"

const [listed] = ADAPTERS.US_TRADE_CSL.parse(asSourceFiles([cslFile()])).parties
if (!listed) throw new Error("the sample list is empty")

const named = (...texts: string[]): Party => ({
  ...listed,
  names: texts.map((text): PartyName => ({ text, kind: "primary" })),
})

/** The result for one row of many. */
const read = (party: Party, rows = 2000) =>
  parsed({
    parties: [party],
    counts: { ...ADAPTERS.US_TRADE_CSL.parse([]).counts, rows },
    version: "1",
    findings: [],
  })

const words = (count: number) => Array.from({ length: count }, (_, at) => `word${at}`).join(" ")

describe("a listed name", () => {
  test.each([
    ["U+0092, as a real list has it", "Gui\u0092an New District", "Gui an New District"],
    ["a line break", "Harbor\nTrading", "Harbor Trading"],
    ["a tabulator", "Harbor\tTrading", "Harbor Trading"],
    ["U+0000, U+001F, U+007F and U+009F", "a\u0000b\u001fc\u007fd\u009fe", "a b c d e"],
  ])("keeps a space in place of %s", (_what, text, kept) => {
    const { parties, findings } = read(named(text))
    expect(parties[0]?.names).toEqual([{ text: kept, kind: "primary" }])
    expect(findings).toEqual([])
  })

  test("of exactly 1,000 characters or 64 words is kept complete, however much memory a character takes", () => {
    const whole = ["𐎀".repeat(LISTED_NAME_CHARACTERS_MAX), words(LISTED_NAME_WORDS_MAX), "x".repeat(1000)]
    const { parties, findings } = read(named(...whole))
    expect(parties[0]?.names.map(({ text }) => text)).toEqual(whole)
    expect(findings).toEqual([])
  })

  test("over a limit keeps its first part; its entry, identifiers and other names stay, and a soft finding names the row", () => {
    const long = ["𐎀".repeat(LISTED_NAME_CHARACTERS_MAX + 1), words(LISTED_NAME_WORDS_MAX + 1), "x".repeat(100_000)]
    const party = { ...named("Short Name", ...long), identifiers: [{ scheme: "lei", value: "L1" }] }
    const { parties, findings } = read(party)
    expect(parties).toEqual([
      {
        ...party,
        names: ["Short Name", "𐎀".repeat(1000), words(64), "x".repeat(1000)].map((text) => ({ text, kind: "primary" })),
      },
    ])
    expect(findings).toMatchObject([{ code: "NAME_UNSCREENABLE", severity: "soft" }])
    expect(findings[0]?.detail).toStartWith("1 of 2000 rows have a name over 1000 characters or 64 words")
    expect(findings[0]?.detail).toContain(`line ${party.line.number} (entry ${party.entryId})`)
  })

  test("over a limit refuses the list if more than one row in a thousand has one", () => {
    const long = named("x".repeat(1001))
    expect(softCodes(read(long, 1000).findings)).toEqual(["NAME_UNSCREENABLE"])
    const refused = read(long, 999)
    expect(hardCodes(refused.findings)).toEqual(["NAME_UNSCREENABLE"])
    expect(refused.parties).toEqual([])
  })
})

test("a name over a limit is found by its first part and by an identifier, and never by its excess", () => {
  const excess = "Quibblestone Hawthorne Merriweather"
  const party = {
    ...named(`Halcyon Ridge ${"x".repeat(1000)} ${excess}`),
    identifiers: [{ scheme: "lei", value: "5493001KJTIIGC8Y1R12" }],
  }
  const { parties } = read(party)
  const index = new NameIndex({ snapshotIds: {}, parties })
  const ask = (name: string, identifiers: readonly { scheme: string; value: string }[] = []) =>
    screen(index, { name, type: null, identifiers, countries: [], threshold: 0.75 })
  expect(ask(excess).hits).toEqual([])
  const [hit] = ask(excess, party.identifiers).hits
  expect(hit).toMatchObject({ basis: "IDENTIFIER", entryId: party.entryId })
  expect(hit?.matchedName.length).toBe(LISTED_NAME_CHARACTERS_MAX)
})

test("fifty hits on names of 100,000 characters give an answer under 200 KB", () => {
  const text = `Harbor Trading ${words(20_000)}`
  const parties = Array.from({ length: 60 }, (_, at) => ({ ...named(text), entryId: `e${at}` }))
  const { parties: bounded } = parsed({
    parties,
    counts: { ...ADAPTERS.US_TRADE_CSL.parse([]).counts, rows: 100_000 },
    version: "1",
    findings: [],
  })
  const index = new NameIndex({ snapshotIds: {}, parties: bounded })
  const result = screen(index, { name: text, type: null, identifiers: [], countries: [], threshold: 0.75 })
  expect(result.hits).toHaveLength(50)
  expect(JSON.stringify(result).length).toBeLessThan(200_000)
})

test("every adapter of a text list applies the limits to its names", () => {
  const long = "x".repeat(1001)
  const row = { ...cslRows[2], name: `Gui\u0092an ${long}` }
  const { counts, findings } = usTradeCsl.parse(asSourceFiles([cslFile([...cslRows.slice(0, 2), row])]))
  // One of three rows is more than one in a thousand.
  expect(counts.rows).toBe(3)
  expect(hardCodes(findings)).toContain("NAME_UNSCREENABLE")
  for (const [id, files] of Object.entries(sampleLists({ publishedAt: PUBLISHED_AT }))) {
    if (files.some(({ name }) => /\.zip$/i.test(name))) continue
    const adapter = ADAPTERS[id as keyof typeof ADAPTERS]
    const [party] = adapter.parse(asSourceFiles(files)).parties
    const name = party?.names[0]?.text.split(" ")[0] ?? ""
    const marked = asSourceFiles(files).map((file) => ({
      ...file,
      bytes: new Uint8Array(Buffer.from(Buffer.from(file.bytes).toString("utf8").replaceAll(name, `${name}${long}`))),
    }))
    expect([id, hardCodes(adapter.parse(marked).findings)]).toEqual([id, expect.arrayContaining(["NAME_UNSCREENABLE"])])
  }
})
