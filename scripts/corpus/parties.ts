/** The invented parties on the lists of the corpus, one for each kind of hit, and companies without any record. */
import { canonicalize } from "../../src/core/canonical-json.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { supplierQuery } from "../../src/products/us/screening.ts"
import type { SourceBoard, SourceState } from "../../src/sources/boards/source-board.ts"
import { bookOf } from "../../src/sources/boards/suppression-book.ts"
import type { Party } from "../../src/sources/records/party.ts"
import { entryHash, type SuppressionBook, screenedPartyDigest } from "../../src/sources/screening/suppress.ts"
import { registerBoard, registered } from "../../test/fixtures/register-board.ts"
import { listedParty, staticBoard } from "../../test/fixtures/test-server.ts"

export const LISTED_WALLET = `0x${"Ee".repeat(20)}`
export const LISTED_UEI = "LSTEDPARTY01"

/** Its full name matches, and so does its wallet. */
const BLOCKED = listedParty({ identifiers: [{ scheme: "wallet", value: LISTED_WALLET, currency: "ETH" }] })

/** "Quiet Cove Marine LLC" is similar enough to be a possible match. */
const SIMILAR = listedParty({
  entryId: "90002",
  names: [{ text: "QUIET COVE MARINE OVERSEAS LLC", kind: "primary" }],
})

const WEAK_ALIAS = listedParty({
  entryId: "90003",
  names: [
    { text: "BASALT KESTREL HOLDINGS", kind: "primary" },
    { text: "GREY PLOVER EXPORT", kind: "weak" },
  ],
  countries: ["RU"],
})

const IDENTIFIED = listedParty({
  sourceId: "US_SAM_EXCLUSIONS",
  entryId: "S-0001",
  list: "EXCLUSIONS",
  programs: ["RECIPROCAL"],
  names: [{ text: "CINDER PEAK ROOFING INC", kind: "primary" }],
  identifiers: [{ scheme: "uei", value: LISTED_UEI }],
  countries: ["US"],
})

const HELD_LIST = listedParty({
  sourceId: "US_TRADE_CSL",
  entryId: "c0ffee04",
  list: "UVL",
  programs: [],
  measure: "hold",
  names: [{ text: "COBALT WHARF TRADING LLC", kind: "primary" }],
  countries: ["AE"],
})

const CONDITIONED = listedParty({
  sourceId: "US_OFAC_CONSOLIDATED",
  entryId: "91001",
  list: "SSI",
  programs: ["UKRAINE-EO13662"],
  measure: "condition",
  names: [{ text: "PALISADE NORTHERN ENERGY JSC", kind: "primary" }],
  countries: ["RU"],
})

/** Legal names by their screening result. */
export const NAMES = {
  match: "Vostok Meridian Trading LLC",
  similar: "Quiet Cove Marine LLC",
  nearMiss: "Basalt Kestrel Holding Systems",
  listedInside: "Global Vostok Meridian Trading Supplies LLC",
  weakAlias: "Grey Plover Export LLC",
  /** With another UEI than the listed one. */
  otherIdentifier: "Cinder Peak Roofing Inc",
  heldList: "Cobalt Wharf Trading LLC",
  condition: "Palisade Northern Energy JSC",
  /** Without the legal form there is nothing to screen. */
  unscreenable: "LLC",
} as const

const PARTIES: readonly Party[] = [BLOCKED, SIMILAR, WEAK_ALIAS, IDENTIFIED, HELD_LIST, CONDITIONED]

/** The four US lists, fresh and healthy unless `change` modifies them. */
export function usBoard(more: readonly Party[] = [], change?: (state: SourceState) => SourceState): SourceBoard {
  return staticBoard([...PARTIES, ...more], change)
}

/** One list is older than its publisher's interval, and not yet stale. */
export const agingBoard = usBoard([], (state) =>
  state.sourceId === "US_OFAC_SDN" ? { ...state, freshness: "AGING", reasonCodes: ["SOURCE_AGING"] } : state,
)

/** A newer SDN list with one more party. */
export function newerBoard(text: string): SourceBoard {
  const listed = listedParty({ entryId: "90009", names: [{ text, kind: "primary" }] })
  return usBoard([listed], (state) =>
    state.sourceId === "US_OFAC_SDN" && state.snapshot
      ? { ...state, snapshot: { ...state.snapshot, sourceVersion: "2026-11-22#9" } }
      : state,
  )
}

let companies = 0

/** Returns a company with its own UEI, and its own name unless one is given. Two of one name would be linked as one supplier. */
export function newCompany(legal_name?: string) {
  companies++
  return {
    legal_name: legal_name ?? `Harbor Light Instruments ${companies} LLC`,
    identifiers: { uei: `CRPSCMPAN${String(companies).padStart(3, "A")}` },
  }
}

/** Same, in the form of a supplier in a Payment Decision. */
export function newSupplier(legal_name?: string) {
  const company = newCompany(legal_name)
  return { entity_id: `supplier:${company.identifiers.uei.toLowerCase()}`, ...company }
}

type Named = ReturnType<typeof newCompany>

/** Returns a register that has the company under `name`, or lacks it if `name` is null. */
export function samRegister({ identifiers: { uei } }: Named, name: string | null) {
  return registerBoard(["US_SAM_ENTITY"], name === null ? [] : [registered("US_SAM_ENTITY", "uei", uei, name)])
}

/** The operator's suppression: this company is not {@link SIMILAR}. */
export function judgedOtherParty(company: Named, tolerance: "MEDIUM" | "HIGH"): SuppressionBook {
  const query = supplierQuery(company, tolerance)
  const at = Date.now()
  return bookOf([
    {
      suppressionId: "sup_AAAAAAAAAAAAAAAAAAAAAA",
      partyDigest: screenedPartyDigest(query) ?? "",
      party: canonicalize(query),
      sourceId: SIMILAR.sourceId,
      entryId: SIMILAR.entryId,
      entryHash: entryHash(SIMILAR),
      author: "R. Reviewer",
      reason: "another owner",
      createdAt: formatInstant(at - DAY),
      expiresAt: formatInstant(at + DAY),
      detailsVersion: null,
      detailsDigest: null,
    },
  ])
}
