/** Which questions a judgement lifts: those in which a product asks for exactly the judged party. */
import { identifierKey, isIdentifierKind, readIdentifier } from "../checks/us/supplier-identifiers.ts"
import { listedNumbers, nameQuery, writtenNumbers } from "../products/gb/supplier-facts.ts"
import { supplierQuery } from "../products/us/screening.ts"
import { REQUIRED_US_SOURCES } from "../sources/records/party.ts"
import type { QueryIdentifier } from "../sources/screening/identifiers.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import type { ScreenQuery } from "../sources/screening/screen.ts"
import { type ScreenedParty, screenedPartyDigest } from "../sources/screening/suppress.ts"

export interface LiftedQuestions {
  /** The products that screen the entry's list. */
  readonly products: "US" | "UK"
  readonly isLifted: boolean
  /** Why those products never ask for this party. Empty if they do. */
  readonly differences: readonly string[]
}

/**
 * The questions of the products that screen the list `sourceId`. `bizauth screen` asks with its own flags, so it can ask for any party. `index` has
 * the UK lists; null for the party of an answer, whose numbers the lists have.
 */
export function liftedQuestions(
  party: ScreenedParty,
  sourceId: string,
  index: NameIndex | null = null,
): LiftedQuestions {
  const isUs = (REQUIRED_US_SOURCES as readonly string[]).includes(sourceId)
  const question = isUs ? usQuestion(party) : ukQuestion(party, index)
  const { type, countries, birthDates = [], name, identifiers } = party
  const named: ScreenedParty = { type: "org", countries: [], name, identifiers }
  const isQuestion = question !== null && screenedPartyDigest(question) === screenedPartyDigest(named)
  const differences = [
    ...(type === "org" ? [] : ["they ask for an organization: --type org"]),
    ...(countries.length === 0 ? [] : ["they ask without a country"]),
    ...(birthDates.length === 0 ? [] : ["they ask without a date of birth"]),
    ...(isQuestion ? [] : [isUs ? US_IDENTIFIERS : UK_IDENTIFIERS]),
  ]
  return { products: isUs ? "US" : "UK", isLifted: differences.length === 0, differences }
}

const US_IDENTIFIERS =
  "they ask with every uei, cage, lei, cik and ein of the request, at least one beside an ein: --id uei:…"
const UK_IDENTIFIERS = "they ask without an identifier, unless the list has the company's number"

/**
 * As the US products ask when the request and the records of its owner have this name and these identifiers; null if no request has them. Records
 * may know several identifiers of one scheme.
 */
function usQuestion({ name, identifiers }: ScreenedParty): ScreenQuery | null {
  const keys: string[] = []
  for (const { scheme, value } of identifiers) {
    const read = isIdentifierKind(scheme) ? readIdentifier(scheme, value) : null
    if (!isIdentifierKind(scheme) || read === null) return null
    keys.push(identifierKey({ kind: scheme, value: read }))
  }
  if (identifiers.every(({ scheme }) => scheme === "ein")) return null
  return supplierQuery({ legal_name: name, identifiers: {} }, "MEDIUM", keys)
}

/** As the UK products ask for a name: without an identifier, or for the registered one with the company's number, if the list has it. */
function ukQuestion({ name, identifiers }: ScreenedParty, index: NameIndex | null): ScreenQuery {
  const [first] = identifiers
  if (!first) return nameQuery(name)
  const number = first.value.padStart(8, "0")
  const isOwn = (form: QueryIdentifier) => identifiers.some(({ value }) => value === form.value)
  const asked = index === null ? writtenNumbers(number).filter(isOwn) : listedNumbers(index, number)
  return { ...nameQuery(name), identifiers: asked }
}

/** For people: two or more lines. */
export function liftedText(party: ScreenedParty, { products, isLifted, differences }: LiftedQuestions): string[] {
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

export function liftedAsJson({ products, isLifted, differences }: LiftedQuestions) {
  return { products, is_lifted: isLifted, differences }
}
