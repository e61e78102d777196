/** A listed entry in the facts is beside the party that was screened, in every view the same. */
import { describe, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { Case } from "../../schemas/case.ts"
import { canonicalBytes } from "../../src/core/canonical-json.ts"
import { SECOND } from "../../src/core/time.ts"
import { DECIDED_AT, issuerJwks } from "../fixtures/decision.ts"
import { heldByEntries, listedEntry } from "../fixtures/listed-entry.ts"
import { caseText, unwrapped, viewsOf, wordsOf } from "./views-of.ts"

const issuer = JSON.stringify(issuerJwks())
const verified = (document: Uint8Array) => viewsOf({ document, issuer, now: DECIDED_AT + SECOND })
const hrefs = (markup: string) => [...markup.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)

describe("an entry with all that a publisher prints", async () => {
  const { bundle } = heldByEntries({ hits: [{ entry: listedEntry() }] })
  const { view, showText, verifyText, showPage, verifyPage, verifyJson, page } = await verified(bundle)
  const hit = view.case?.hits[0]

  test("is in the case: what the screening compared, then the entry as it is printed", () => {
    expect(Value.Check(Case, view.case)).toBe(true)
    const rows = hit?.compared.map(({ what, asked, found, result }) => [what, asked, found, result])
    expect(rows).toEqual([
      ["name", "Harbor Light Instruments LLC", "HARBOR LIGHT INSTRUMENTS", "DIFFERS"],
      ["word", "harbor", "harbor", "SAME"],
      ["identifiers", "LEI 5493001KJTIIGC8Y1R12, UEI ZQGGHJH74DW7", "Tax ID No. CU-7781 (Cuba)", "NOT_STATED"],
      ["country", null, "Cuba", "NOT_ASKED"],
      ["address", null, "Calle 4, Havana, Cuba", "NOT_ASKED"],
      ["date of birth", null, "12 May 1961", "NOT_ASKED"],
      ["person or organisation", "organisation", "organisation", "SAME"],
    ])
    expect(hit?.entry).toEqual({
      details_version: "us-ofac-details/1",
      rows: [
        ["name", "HARBOR LIGHT INSTRUMENTS"],
        ["weak alias", "H.L.I. TRADING"],
        ["type", "Entity"],
        ["program", "CUBA"],
        ["born", "12 May 1961"],
        ["nationality", "Cuba"],
        ["address", "Calle 4, Havana, Cuba"],
        ["Tax ID No.", "CU-7781 (Cuba)"],
        ["remarks", "Remarks: Linked to a shipping line of Havana."],
        ["listed from", "1 Aug 1986"],
        ["listed by", "OFAC"],
      ].map(([label = "", value = ""]) => ({ label, value })),
      link: "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=306",
    })
  })

  test("is the same in every view", () => {
    expect([page.case, verifyJson.case]).toEqual([view.case, view.case])
    const text = view.case === null ? "" : caseText(view.case)
    for (const whole of [showText, verifyText]) expect(whole).toContain(text)
    const link = hit?.entry?.link ?? ""
    for (const words of [unwrapped(text), wordsOf(showPage), wordsOf(verifyPage)]) {
      for (const { label, value } of hit?.entry?.rows ?? []) expect(words).toContain(`${label} ${value}`)
      expect(words).toContain(link)
    }
    for (const markup of [showPage, verifyPage]) expect(hrefs(markup)).toContain(link)
  })
})

test("a second hit of one entry shows it too, although the facts keep it once", async () => {
  const hits = [{ entry: listedEntry() }, { matched_name: "H.L.I. TRADING", name_kind: "alias" }, { entry_id: "307" }]
  const { view, verifyText } = await verified(heldByEntries({ hits }).bundle)
  const [first, second, third] = view.case?.hits ?? []
  expect(first?.entry).not.toBeNull()
  expect(second?.entry).toEqual(first?.entry ?? null)
  expect(third?.entry).toBeNull()
  expect(unwrapped(verifyText)).toContain(
    "This document keeps no copy of listed entry 3. The operator can look it up: bizauth sources entry SOURCE:ID --data DIR",
  )
})

test("entries that an answer left out for their length are counted", async () => {
  const { bundle } = heldByEntries({ hits: [{ entry: listedEntry() }], entriesLeftOut: 2 })
  const { view, showText } = await verified(bundle)
  const note = "An answer keeps a limited amount of what publishers print. It left out the entries of 2 hits."
  expect(view.case?.notes).toContain(note)
  expect(unwrapped(showText)).toContain(note)
})

test("many identifiers and addresses are counted in the comparison, and all of them are below", async () => {
  const addresses = Array.from({ length: 9 }, (_, at) => ({ text: `${at} Quay Street` }))
  const { bundle } = heldByEntries({ hits: [{ entry: listedEntry({ addresses }) }] })
  const { view } = await verified(bundle)
  const row = view.case?.hits[0]?.compared.find(({ what }) => what === "address")
  expect(row?.found).toBe("0 Quay Street; 1 Quay Street; 2 Quay Street; and 6 more below")
  const printed = view.case?.hits[0]?.entry?.rows.filter(({ label }) => label === "address")
  expect(printed?.map(({ value }) => value)).toEqual(addresses.map(({ text }) => text))
})

describe("an address that the table of this program does not make for the entry is neither a link nor shown", () => {
  test.each([
    "https://sanctionssearch.ofac.treas.gov/Details.aspx?id=307",
    "https://sanctionssearch.ofac.treas.gov.evil.example/Details.aspx?id=306",
    "https://evil.example/?https://sanctionssearch.ofac.treas.gov/Details.aspx?id=306",
    "https://www.federalregister.gov/citation/82-FR-48792/../../../evil",
    "https://www.federalregister.gov/citation/9999-FR-1",
    "https://search-uk-sanctions-list.service.gov.uk/designations/RUS2176/Ship",
    "javascript:alert(1)//306",
    "http://sanctionssearch.ofac.treas.gov/Details.aspx?id=306",
  ])("%s", async (link) => {
    const { bundle } = heldByEntries({ hits: [{ entry: listedEntry({ link }) }] })
    const { view, showPage, verifyPage, showText } = await verified(bundle)
    expect(view.case?.hits[0]?.entry?.link).toBeNull()
    for (const output of [showPage, verifyPage, showText]) expect(output).not.toContain(link)
    expect(hrefs(verifyPage)).toEqual([])
    expect(hrefs(showPage).filter((href) => !href?.startsWith("/docs/reasons/"))).toEqual([])
  })

  test.each([
    ["RUS2176", "https://search-uk-sanctions-list.service.gov.uk/designations/RUS2176/Ship"],
    ["S-1", "https://www.federalregister.gov/citation/82-FR-48792"],
  ])("but %s has its own: %s", async (entry_id, link) => {
    const { bundle } = heldByEntries({ hits: [{ entry_id, entry: listedEntry({ entry_id, link }) }] })
    const { verifyPage } = await verified(bundle)
    expect(hrefs(verifyPage)).toEqual([link])
  })
})

test("an entry of another form, in a document that nobody verified, is no entry", async () => {
  const bundle = JSON.parse(new TextDecoder().decode(heldByEntries({ hits: [{}] }).bundle))
  for (const entry of [
    null,
    7,
    "x",
    [],
    { names: 7 },
    { ...listedEntry(), more: 1 },
    { ...listedEntry(), names: [7] },
  ]) {
    bundle.facts.screening.hits[0].entry = entry
    const { view } = await verified(canonicalBytes(bundle))
    expect([entry, view.case?.hits[0]?.entry, Value.Check(Case, view.case)]).toEqual([entry, null, true])
  }
})
