/** Which questions a judgement lifts: those in which a product asks for exactly the judged party. */
import { checkSupplierIdentifiers } from "../checks/us/supplier-identifiers.ts"
import { nameQuery } from "../products/gb/supplier-facts.ts"
import { supplierQuery } from "../products/us/screening.ts"
import { REQUIRED_US_SOURCES } from "../sources/records/party.ts"
import type { ScreenQuery } from "../sources/screening/screen.ts"
import { type ScreenedParty, screenedPartyDigest } from "../sources/screening/suppress.ts"

export interface LiftedQuestions {
  /** The products that screen the entry's list. */
  readonly products: "US" | "UK"
  readonly isLifted: boolean
  /** Why those products never ask for this party. Empty if they do. */
  readonly differences: readonly string[]
}

/** The questions of the products that screen the list `sourceId`. `bizauth screen` asks with its own flags, so it can ask for any party. */
export function liftedQuestions(party: ScreenedParty, sourceId: string): LiftedQuestions {
  const isUs = (REQUIRED_US_SOURCES as readonly string[]).includes(sourceId)
  const question = isUs ? usQuestion(party) : nameQuery(party.name)
  const isLifted = question !== null && screenedPartyDigest(question) === screenedPartyDigest(party)
  return { products: isUs ? "US" : "UK", isLifted, differences: isLifted ? [] : differencesOf(party, isUs) }
}

/** As the US products ask when a request has this name and these identifiers; null if they refuse such a request. */
function usQuestion({ name, identifiers }: ScreenedParty): ScreenQuery | null {
  const given = Object.fromEntries(identifiers.map(({ scheme, value }) => [scheme, value]))
  const { supplierKey, invalid } = checkSupplierIdentifiers(given)
  if (supplierKey === null || invalid.length > 0) return null
  return supplierQuery({ legal_name: name, identifiers: given }, "MEDIUM")
}

function differencesOf({ type, countries, birthDates = [], identifiers }: ScreenedParty, isUs: boolean): string[] {
  return [
    ...(type === "org" ? [] : ["they ask for an organization: --type org"]),
    ...(countries.length === 0 ? [] : ["they ask without a country"]),
    ...(birthDates.length === 0 ? [] : ["they ask without a date of birth"]),
    ...(isUs
      ? usIdentifiers(identifiers)
      : identifiers.length === 0
        ? []
        : ["they ask without an identifier, unless the list has the company's number"]),
  ]
}

function usIdentifiers(identifiers: ScreenedParty["identifiers"]): string[] {
  const isComplete =
    usQuestion({ name: "", type: "org", identifiers, countries: [] })?.identifiers.length === identifiers.length
  return isComplete
    ? []
    : ["they ask with every uei, cage, lei, cik and ein of the request, at least one beside an ein: --id uei:…"]
}

/** For people: two or more lines. */
export function liftedText(party: ScreenedParty, sourceId: string): string[] {
  const { products, isLifted, differences } = liftedQuestions(party, sourceId)
  const ids = party.identifiers.map(({ scheme, value }) => `${scheme}:${value}`)
  const exactly = `the name ${party.name} with ${ids.length === 0 ? "no identifier" : `${ids.join(", ")} and no other identifier`}`
  const lines = isLifted
    ? [
        `  lifts   ${products} answers that ask for ${exactly}`,
        "  lifts no question with one more or one fewer identifier, or with another name",
      ]
    : [`  lifts no ${products} answer: ${differences.join("; ")}`]
  return [...lines, "  lifts   bizauth screen with the same name, type, identifiers, country and date of birth"]
}

export function liftedAsJson(party: ScreenedParty, sourceId: string) {
  const { products, isLifted, differences } = liftedQuestions(party, sourceId)
  return { products, is_lifted: isLifted, differences }
}
