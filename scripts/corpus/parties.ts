/** The companies of the corpus by their screening result, and companies without any record. */
import { canonicalize } from "../../src/core/canonical-json.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { supplierQuery } from "../../src/products/us/screening.ts"
import type { SourceBoard } from "../../src/sources/boards/source-board.ts"
import { bookOf } from "../../src/sources/boards/suppression-book.ts"
import type { Party } from "../../src/sources/records/party.ts"
import { screen } from "../../src/sources/screening/screen.ts"
import { entryHash, type SuppressionBook, screenedPartyDigest } from "../../src/sources/screening/suppress.ts"
import { registerBoard, registered } from "../../test/fixtures/register-board.ts"
import { SIMILAR_ENTRY } from "./listed-parties.ts"

/** Legal names by their screening result. */
export const NAMES = {
  match: "Vostok Meridian Trading LLC",
  similar: "Quiet Cove Marine LLC",
  nearMiss: "Basalt Kestrel Holding Systems",
  listedInside: "Global Vostok Meridian Trading Supplies LLC",
  weakAlias: "Grey Plover Export LLC",
  /** With another UEI than the listed one. */
  otherIdentifier: "Cinder Peak Roofing Inc",
  heldList: "Palisade Northern Energy JSC",
  condition: "Cobalt Wharf Trading LLC",
  /** The list had it until two hours ago. */
  removed: "Zephyr Marlowe Syndicate",
  longEntry: "Marsh Heron Logistics LLC",
  namesakes: "Larch Hollow Freight LLC",
  /** Without the legal form there is nothing to screen. */
  unscreenable: "LLC",
} as const

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

/** The operator's suppression: this company is not the listed party whose name is like its own. */
export function judgedOtherParty(company: Named, tolerance: "MEDIUM" | "HIGH") {
  return (board: SourceBoard): SuppressionBook => {
    const query = supplierQuery(company, tolerance)
    const hits: Party[] = []
    screen(board.index(), query, (listed) => {
      hits.push(listed)
      return null
    })
    const judged = hits.find(({ entryId }) => entryId === SIMILAR_ENTRY)
    if (!judged) throw new Error(`${company.legal_name} does not hit ${SIMILAR_ENTRY}`)
    const at = Date.now()
    return bookOf([
      {
        suppressionId: "sup_AAAAAAAAAAAAAAAAAAAAAA",
        partyDigest: screenedPartyDigest(query) ?? "",
        party: canonicalize(query),
        sourceId: judged.sourceId,
        entryId: judged.entryId,
        entryHash: entryHash(judged),
        author: "R. Reviewer",
        reason: "another owner",
        createdAt: formatInstant(at - DAY),
        expiresAt: formatInstant(at + DAY),
        detailsVersion: null,
        detailsDigest: null,
      },
    ])
  }
}
