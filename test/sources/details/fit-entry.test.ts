import { expect, test } from "bun:test"
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import { federalRegisterLink, ofacLink, ukLink } from "../../../src/catalogue/publisher-pages.ts"
import { decodeEntities } from "../../../src/sources/details/decode-entities.ts"
import { fitEntry } from "../../../src/sources/details/fit-entry.ts"

const many = (count: number, what: string) =>
  Array.from({ length: count }, (_, at) => `${what} ${at} ${"x".repeat(60)}`)

function details(counts: { addresses: number; names: number; records: number; remarks: number }): EntryDetails {
  return {
    source_id: "US_SAM_EXCLUSIONS",
    entry_id: "S4",
    names: [
      { text: "PRIMARY", kind: "primary", quality: "NOT_STATED" },
      ...many(counts.names, "alias").map((text) => ({ text, kind: "alias", quality: "NOT_STATED" }) as const),
      { text: "MATCHED", kind: "alias", quality: "NOT_STATED" },
    ],
    addresses: many(counts.addresses, "address").map((text) => ({ text })),
    records: many(counts.records, "record").map((text) => [{ label: "cell", text }]),
    remarks: [{ label: "Remarks", text: "é😀".repeat(counts.remarks) }],
  }
}

const fit = (given: EntryDetails, bytesMax = 8192) =>
  fitEntry({ details: given, detailsVersion: "v/1", matchedName: "MATCHED", bytesMax })
const bytes = (value: unknown) => Buffer.byteLength(JSON.stringify(value))

test("a short entry stays whole and states no cut", () => {
  const short = details({ addresses: 2, names: 2, records: 2, remarks: 10 })
  expect(fit(short)).toEqual({ details_version: "v/1", ...short })
})

test.each([
  ["addresses alone", { addresses: 200, names: 5, records: 5, remarks: 10 }, ["addresses"]],
  ["then names", { addresses: 50, names: 200, records: 5, remarks: 10 }, ["addresses", "names"]],
  ["then records", { addresses: 50, names: 50, records: 200, remarks: 10 }, ["addresses", "names", "records"]],
  [
    "then remarks",
    { addresses: 50, names: 50, records: 50, remarks: 6000 },
    ["addresses", "names", "records", "remarks"],
  ],
] as const)("%s are cut, and counted", (_, counts, cut) => {
  const entry = fit(details(counts))
  expect(bytes(entry)).toBeLessThanOrEqual(8192)
  expect(bytes(entry)).toBeGreaterThan(7500)
  expect(Object.keys(entry?.truncated ?? {}).sort()).toEqual([...cut].sort())
  const { addresses = 0, names = 0, records = 0, remarks = 0 } = entry?.truncated ?? {}
  expect((entry?.addresses?.length ?? 0) + addresses).toBe(counts.addresses)
  expect((entry?.names.length ?? 0) + names).toBe(counts.names + 2)
  expect((entry?.records?.length ?? 0) + records).toBe(counts.records)
  expect((entry?.remarks?.[0]?.text.length ?? 0) + remarks).toBe(counts.remarks * 3)
  expect(entry?.names.map(({ text }) => text)).toContain("PRIMARY")
  expect(entry?.names.map(({ text }) => text)).toContain("MATCHED")
  // No half of a pair is left.
  expect(entry?.remarks?.[0]?.text.isWellFormed()).toBe(true)
})

test("every limit is kept; an entry that cannot be cut so far is left out", () => {
  const large = details({ addresses: 60, names: 60, records: 60, remarks: 900 })
  for (let bytesMax = 0; bytesMax < 9000; bytesMax += 97) {
    const entry = fit(large, bytesMax)
    if (entry) expect(bytes(entry)).toBeLessThanOrEqual(bytesMax)
    else expect(bytesMax).toBeLessThan(1500)
  }
  expect(fit({ ...large, title: ["t".repeat(9000)] })).toBeNull()
})

test("entities are decoded once, and a number that is no character stays", () => {
  expect(decodeEntities("A &amp;amp; B &#38;lt; &#x41;&quot;&nbsp;c&apos;")).toBe("A &amp; B &lt; A\"\u00a0c'")
  expect(decodeEntities("&#0; &#xD800; &#x110000; &unknown; &")).toBe("&#0; &#xD800; &#x110000; &unknown; &")
})

test("links have a fixed host and path, and take nothing else from a file", () => {
  expect(ofacLink("306")).toBe("https://sanctionssearch.ofac.treas.gov/Details.aspx?id=306")
  expect(ofacLink("306&x=1")).toBeNull()
  expect(ukLink("RUS2176", "Ship")).toBe("https://search-uk-sanctions-list.service.gov.uk/designations/RUS2176/Ship")
  expect([ukLink("../x", "Ship"), ukLink("RUS2176", "//evil")]).toEqual([null, null])
  expect(federalRegisterLink("82 F.R. 48792 10/20/2017")).toBe("https://www.federalregister.gov/citation/82-FR-48792")
  expect(federalRegisterLink("83F.R. 28801 6/21/2018")).toBe("https://www.federalregister.gov/citation/83-FR-28801")
  expect(federalRegisterLink("Vol. 83, No. 91, 05/10/2018")).toBeNull()
})
