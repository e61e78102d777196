/** The invented parties that the corpus lists in addition to those of the sample lists, one for each kind of hit. */

import { GB_NAME } from "../../test/fixtures/gb.ts"
import { leiFrom } from "../../test/fixtures/lei.ts"
import type { SampleEntry } from "../../test/fixtures/sample-parties.ts"
import type { UkRow } from "../../test/fixtures/uk-sanctions-list.ts"

/** The entry that an operator judges. */
export const SIMILAR_ENTRY = "90102"

/** More names than the facts of one answer keep entries of. */
const NAMESAKES: readonly SampleEntry[] = Array.from({ length: 12 }, (_, at) => ({
  number: 90111 + at,
  name: "LARCH HOLLOW FREIGHT LLC",
  programs: ["SDGT"],
  addresses: [{ street: `${at + 1} Larch Lane`, city: "Hollow Town", country: "Belarus" }],
}))

/** Of a party on the SDN list. */
export const LISTED_LEI = leiFrom("LSTEDPARTY01")

/** Has a UEI. */
export const LISTED_SAM: Readonly<Record<string, string>> = {
  Classification: "Firm",
  Name: "CINDER PEAK ROOFING INC",
  City: "DAYTON",
  "State / Province": "OH",
  Country: "USA",
  "Unique Entity ID": "LSTEDPARTY01",
  "Exclusion Program": "Reciprocal",
  "Excluding Agency": "DOL",
  "Exclusion Type": "Ineligible (Proceedings Completed)",
  "Active Date": "03/04/2025",
  "Termination Date": "Indefinite",
  "SAM Number": "S4TEST900",
}

/** Its entry is longer than the facts of one answer keep of it. The number leaves room for the numbers of its addresses. */
const MANY_ADDRESSES: SampleEntry = {
  number: 90200,
  name: "MARSH HERON LOGISTICS LLC",
  programs: ["SDGT"],
  addresses: Array.from({ length: 120 }, (_, at) => ({
    street: `Warehouse ${at + 1}, Invented Industrial Park, Gate ${(at % 9) + 1}`,
    city: "Heron Town",
    country: "Belarus",
  })),
}

/** On the SDN list and no longer on the one after it. */
export const REMOVED_SDN: SampleEntry = {
  number: 90101,
  name: "ZEPHYR MARLOWE SYNDICATE",
  programs: ["SDGT"],
  addresses: [{ city: "Minsk", country: "Belarus" }],
}

export const LISTED_SDN: readonly SampleEntry[] = [
  { number: Number(SIMILAR_ENTRY), name: "QUIET COVE MARINE OVERSEAS LLC", programs: ["SDGT"] },
  {
    number: 90103,
    name: "BASALT KESTREL HOLDINGS",
    programs: ["RUSSIA-EO14024"],
    addresses: [{ city: "Murmansk", country: "Russia" }],
    remarks: "a.k.a. 'GREY PLOVER EXPORT'.",
  },
  {
    number: 90105,
    name: "SABLE FORGE METALS LLC",
    programs: ["RUSSIA-EO14024"],
    remarks: `Legal Entity Number ${LISTED_LEI} (Russia).`,
  },
  ...NAMESAKES,
  MANY_ADDRESSES,
]

/** Legal names that only the newest SDN list has. */
export const LISTED_SINCE = {
  other: "Orchid Vale Maritime LLC",
  drilling: "Tallow Reach Drilling LLC",
  turbines: "Saltmarsh Turbine Works LLC",
  /** The list has the name with one more word. */
  fabrication: "Osprey Hollow Fabrication LLC",
} as const

export const ADDED_SDN: readonly SampleEntry[] = [
  LISTED_SINCE.other,
  LISTED_SINCE.drilling,
  LISTED_SINCE.turbines,
  "Osprey Hollow Fabrication Overseas LLC",
].map((name, at) => ({ number: 90231 + at, name: name.toUpperCase(), programs: ["RUSSIA-EO14024"] }))

function ukRow(id: string, name: string): UkRow {
  return {
    "Last Updated": "31/07/2026",
    "Unique ID": id,
    "Name 6": name,
    "Name type": "Primary Name",
    "Regime Name": "The Invented Matters (Sanctions) Regulations 2025",
    "Designation Type": "Entity",
    "Designation source": "UK",
    "Sanctions Imposed": "Asset freeze",
    "UK Statement of Reasons": "An invented reason.",
    "Address Line 1": "1 Imaginary Quay",
    "Address Country": "Russia",
    "Date Designated": "24/02/2025",
  }
}

/** A party of every edition of the UK list, with another name than the companies of the cases. */
export const UK_LISTED = ukRow("TST9100", "PALE CORMORANT TRADING")
export const UK_SIMILAR = ukRow("TST9002", "HARBOUR LANTERN JOINERY OVERSEAS LIMITED")
export const UK_MATCH = ukRow("TST9001", GB_NAME)
