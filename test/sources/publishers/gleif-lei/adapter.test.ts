import { describe, expect, test } from "bun:test"
import { gleifLei } from "../../../../src/sources/publishers/gleif-lei/adapter.ts"
import {
  type LeiCells as Cells,
  goldenCopy as copy,
  LEI_HEADER as HEADER,
  leiRow as row,
} from "../../../fixtures/lei-golden-copy.ts"
import { readRegister, zipped } from "../../../fixtures/register-files.ts"

const NAME = "20261101-0800-gleif-goldencopy-lei2-golden-copy.csv"
const read = (text: string) => readRegister(gleifLei, [NAME, text])
const lei = (at: number) => `5493001KJTIIGC8Y${String(at).padStart(4, "0")}`

test("an entity has its LEI, its legal names apart from its other names, and the state of its registration", async () => {
  const cells: Cells = {
    legalName: 'Меридиан "Восток" ООО',
    jurisdiction: "RU",
    transliterated1: "Meridian Vostok OOO",
    transliteratedType1: "AUTO_ASCII_TRANSLITERATED_LEGAL_NAME",
    other1: "Meridian East LLC",
    otherType1: "ALTERNATIVE_LANGUAGE_LEGAL_NAME",
    other2: "Meridian",
    otherType2: "TRADING_OR_OPERATING_NAME",
    other3: "Old Meridian",
    otherType3: "PREVIOUS_LEGAL_NAME",
  }
  const reading = await read(copy([row(cells)]))
  expect(reading).toMatchObject({
    version: "2026-11-01T08:00:00.000Z",
    timestamp: "2026-11-01T08:00:00.000Z",
    declaredRecords: null,
    rows: 1,
    failed: 0,
    counts: { current: 1, not_current: 0 },
    hard: [],
    soft: ["END_UNPROVEN", "BELOW_EXPECTED"],
    entries: [
      {
        key: "5493001KJTIIGC8Y1R12",
        otherKeys: [],
        name: 'Меридиан "Восток" ООО',
        record: {
          legal_names: ['Меридиан "Восток" ООО', "Meridian Vostok OOO", "Meridian East LLC"],
          other_names: ["Meridian", "Old Meridian"],
          status: "ISSUED",
          is_current: true,
          expires: null,
          country: "RU",
        },
      },
    ],
  })
})

test("the zipped copy gives the same, and the archive proves its end", async () => {
  const text = copy([row({})])
  const reading = await readRegister(gleifLei, [`${NAME}.zip`, zipped(NAME, text)])
  expect(reading.entries).toEqual((await read(text)).entries)
  expect(reading.soft).not.toContain("END_UNPROVEN")
  expect(reading.timestamp).toBe("2026-11-01T08:00:00.000Z")
})

describe("a registration", () => {
  for (const [entity, registration, stands] of [
    ["ACTIVE", "ISSUED", true],
    ["ACTIVE", "PENDING_TRANSFER", true],
    ["ACTIVE", "LAPSED", false],
    ["INACTIVE", "ISSUED", false],
    ["INACTIVE", "RETIRED", false],
    ["ACTIVE", "DUPLICATE", false],
    ["ACTIVE", "ANNULLED", false],
    ["ACTIVE", "A_NEW_WORD", false],
  ] as const) {
    test(`is ${stands ? "" : "not "}current when the entity is ${entity} and it is ${registration}`, async () => {
      const { entries } = await read(copy([row({ entityStatus: entity, registrationStatus: registration })]))
      expect(entries[0]?.record).toMatchObject({ status: registration, is_current: stands })
    })
  }
})

describe("the golden copy is refused", () => {
  const renamed = HEADER.map((name) => (name === "Entity.LegalName" ? "Entity.Name" : name))
  for (const [why, text, code] of [
    ["with a renamed column", copy([row({})], renamed), "SCHEMA_BREAK"],
    ["without rows", copy([]), "TRUNCATED"],
    ["ending inside a cell", copy([row({})]).slice(0, -40), "TRUNCATED"],
    ["as a page of HTML", "<html></html>", "NOT_DATA"],
    ["when over a thousandth of its rows cannot be read", copy([row({}), row({ lei: "short" })]), "SCHEMA_BREAK"],
  ] as const) {
    test(`${why}: ${code}`, async () => expect((await read(text)).hard).toContain(code))
  }
})

test("columns may come in another order", async () => {
  const columns = HEADER.map((name, at) => [name, at] as const).reverse()
  const cells = row({}).slice(1, -1).split('","')
  const turned = columns.map(([, at]) => `"${cells[at]}"`).join(",")
  const { entries } = await read(
    copy(
      [turned],
      columns.map(([name]) => name),
    ),
  )
  expect(entries).toEqual((await read(copy([row({})]))).entries)
})

test("rows are returned one by one", async () => {
  const { entries, rows } = await read(copy(Array.from({ length: 5000 }, (_, at) => row({ lei: lei(at) }))))
  expect([rows, entries.length, new Set(entries.map(({ key }) => key)).size]).toEqual([5000, 5000, 5000])
})

test("a key is looked up in capital letters", () => {
  expect(gleifLei.canonicalKey("lei", " 5493001kjtiigc8y1r12")).toBe("5493001KJTIIGC8Y1R12")
  for (const value of ["", "5493001KJTIIGC8Y1R1X", "5493001KJTIIGC8Y1R1"]) {
    expect(gleifLei.canonicalKey("lei", value)).toBeNull()
  }
})
