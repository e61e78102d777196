/** Characters that nobody sees do not change what a register says of a company. */
import { describe, expect, test } from "bun:test"
import type { BulkColumn } from "../../../src/sources/publishers/uk-companies-house/bulk-columns.ts"
import { readRow } from "../../../src/sources/publishers/uk-companies-house/bulk-record.ts"
import { REGISTER_ADAPTERS } from "../../../src/sources/register-registry.ts"
import { goldenCopy, leiRow } from "../../fixtures/lei-golden-copy.ts"
import { readRegister } from "../../fixtures/register-files.ts"
import { samExtract, samLine } from "../../fixtures/sam-entity-extract.ts"

const NAME = "Harbor Light Instruments LLC"
const adapterOf = (id: string) => REGISTER_ADAPTERS.find((one) => one.id === id)!
const SAM = "SAM_PUBLIC_UTF-8_MONTHLY_V2_20261101.dat"
const LEI = "20261101-0800-gleif-goldencopy-lei2-golden-copy.csv"

describe.each(["\0", "\u0001", "\u007f", "\u0081", "\u200b", "\u202e", "\ufeff"])("%j", (unseen) => {
  const hidden = (text: string) => [...text].join(unseen)

  test("in GLEIF's golden copy", async () => {
    const cells = { legalName: hidden(NAME), lei: hidden("5493001KJTIIGC8Y1R12") }
    const { entries } = await readRegister(adapterOf("GLEIF_LEI"), [LEI, goldenCopy([leiRow(cells)])])
    expect(entries).toMatchObject([{ key: "5493001KJTIIGC8Y1R12", name: NAME, record: { legal_names: [NAME] } }])
  })

  test("in SAM's extract", async () => {
    const line = samLine({ 1: hidden("ZQGGHJH74DW7"), 4: hidden("1ABC2"), 12: hidden(NAME) })
    const { entries } = await readRegister(adapterOf("US_SAM_ENTITY"), [SAM, samExtract([line])])
    const otherKeys = [{ scheme: "cage", value: "1ABC2" }]
    expect(entries).toMatchObject([{ key: "ZQGGHJH74DW7", otherKeys, record: { legal_names: [NAME] } }])
  })

  test("in the SEC's file", async () => {
    const text = JSON.stringify({ 0: { cik_str: 320193, ticker: "HLI", title: hidden(NAME) } })
    const { entries } = await readRegister(adapterOf("US_SEC_EDGAR"), ["company_tickers.json", text])
    expect(entries).toMatchObject([{ key: "0000320193", name: NAME }])
  })

  test("in the file of Companies House", () => {
    const cells: Partial<Record<BulkColumn, string>> = {
      name: hidden("HARBOR LIGHT LIMITED"),
      number: hidden("SP2715RS"),
      status: "Active",
    }
    const { record } = readRow((column) => cells[column] ?? "", null)
    expect([record.company_name, record.company_number]).toEqual(["HARBOR LIGHT LIMITED", "SP2715RS"])
  })
})
