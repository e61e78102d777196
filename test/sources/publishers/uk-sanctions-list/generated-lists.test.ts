/** Lists generated in the published form, read by the adapter and by an independent CSV reader. */
import { expect } from "bun:test"
import { parse as parseCsv } from "csv-parse/sync"
import fc from "fast-check"
import { ukSanctionsList } from "../../../../src/sources/publishers/uk-sanctions-list/adapter.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { hardCodes } from "../../../fixtures/source-files.ts"
import { type UkForm, type UkRow, ukSanctionsCsv } from "../../../fixtures/uk-sanctions-list.ts"

const test = slowTests(import.meta.path)

/** Cells that need care: commas, quotes, line ends of both kinds, blanks at the ends, other scripts. */
const prose = fc
  .array(fc.constantFrom("a", "B7", " ", ",", '"', '""', "\n", "\r\n", "|", ";", "é", "Ж", "شر", "漢"), {
    maxLength: 12,
  })
  .map((parts) => parts.join(""))
const word = fc.array(fc.constantFrom("Ar", "ko", "Ve", "lis", "MOR", "É", '"', ","), { minLength: 1, maxLength: 4 })
const name = fc.record({
  "Name 1": fc.oneof(
    fc.constant(""),
    word.map((parts) => ` ${parts.join("")} `),
  ),
  "Name 6": word.map((parts) => parts.join("")),
  "Name type": fc.constantFrom("Primary Name", "Primary name variation", "Alias", "ALIAS "),
  "Alias strength": fc.constantFrom("", "Good quality a.k.a", "Low quality a.k.a"),
})
const entry = fc.record({
  id: fc.integer({ min: 1, max: 9999 }).map((number) => `GEN${String(number).padStart(4, "0")}`),
  type: fc.constantFrom("Individual", "Entity", "Ship"),
  sanctions: fc.constantFrom("Asset freeze", "Travel Ban", "Travel Ban|Asset freeze", ""),
  names: fc.array(name, { minLength: 1, maxLength: 4 }),
  addresses: fc.array(prose, { minLength: 1, maxLength: 3 }),
  birthDates: fc.array(fc.constantFrom("01/02/1970", "dd/mm/1971", "00/00/1972"), { minLength: 1, maxLength: 2 }),
  reasons: prose,
})
type Entry = typeof entry extends fc.Arbitrary<infer Value> ? Value : never

/** One row for every combination, as the publisher prints them. */
function rowsOf({ id, type, sanctions, names, addresses, birthDates, reasons }: Entry): UkRow[] {
  return names.flatMap((each) =>
    addresses.flatMap((address) =>
      birthDates.map((birthDate) => ({
        ...each,
        "Unique ID": id,
        "Designation Type": type,
        "Sanctions Imposed": sanctions,
        "Address Line 1": address,
        "D.O.B": birthDate,
        "UK Statement of Reasons": reasons,
      })),
    ),
  )
}

const form: fc.Arbitrary<UkForm> = fc.record({
  newline: fc.constantFrom("\n" as const, "\r\n" as const),
  byteOrderMark: fc.boolean(),
  quoteAll: fc.boolean(),
})
const list = fc.uniqueArray(entry, { minLength: 1, maxLength: 6, selector: ({ id }) => id })
const read = (text: string) =>
  ukSanctionsList.parse([{ name: "UK-Sanctions-List.csv", bytes: new TextEncoder().encode(text), modifiedAt: 0 }])
const oneLine = (text: string) => text.replace(/\s+/g, " ").trim()

test("each entry is one party with every name, address and birth date once, in any form of the file", () => {
  fc.assert(
    fc.property(list, form, fc.infiniteStream(fc.nat()), (entries, written, order) => {
      const rows = entries.flatMap(rowsOf).map((row) => ({ row, at: order.next().value }))
      const shuffled = rows.sort((a, b) => a.at - b.at).map(({ row }) => row)
      const { parties, counts, findings } = read(ukSanctionsCsv("09-Oct-2026", shuffled, written))
      expect(hardCodes(findings)).toEqual([])
      expect(counts.rows).toBe(rows.length)
      expect(parties.map(({ entryId }) => entryId).sort()).toEqual(entries.map(({ id }) => id).sort())
      for (const { id, sanctions, names, addresses, birthDates } of entries) {
        const party = parties.find(({ entryId }) => entryId === id)
        const texts = new Set(names.map((each) => oneLine(`${each["Name 1"]} ${each["Name 6"]}`)))
        expect(new Set(party?.names.map(({ text }) => text))).toEqual(texts)
        expect(party?.names).toHaveLength(texts.size)
        expect(party?.names[0]?.kind === "primary").toBe(names.some((each) => each["Name type"] === "Primary Name"))
        expect(new Set(party?.addresses)).toEqual(new Set(addresses.map(oneLine).filter((text) => text !== "")))
        expect(new Set(party?.birthDates)).toEqual(new Set(birthDates))
        expect(party?.measure).toBe(sanctions.includes("Asset freeze") ? "block" : "hold")
      }
    }),
    { numRuns: 300 },
  )
})

test("an independent CSV reader finds the same entries under the same names", () => {
  fc.assert(
    fc.property(list, form, (entries, written) => {
      const text = ukSanctionsCsv("09-Oct-2026", entries.flatMap(rowsOf), written)
      const records = parseCsv(text, { bom: true, from_line: 2, columns: true, trim: true }) as UkRow[]
      const expected = new Map<string, Set<string>>()
      for (const record of records) {
        const id = record["Unique ID"] ?? ""
        const texts = expected.get(id) ?? new Set<string>()
        expected.set(id, texts.add(oneLine(`${record["Name 1"]} ${record["Name 6"]}`)))
      }
      const ours = new Map(read(text).parties.map((party) => [party.entryId, new Set(party.names.map((n) => n.text))]))
      expect(ours).toEqual(expected)
    }),
    { numRuns: 100 },
  )
})

test("each party has the line on which its first row begins, even after cells of several lines", () => {
  fc.assert(
    fc.property(list, form, (entries, written) => {
      const text = ukSanctionsCsv("09-Oct-2026", entries.flatMap(rowsOf), written)
      const lines = text.split("\n")
      for (const { entryId, line } of read(text).parties) expect(lines[line.number - 1]).toContain(entryId)
    }),
    { numRuns: 100 },
  )
})
