/** The listed entries that the screened names and wallets resemble, each beside the party as it was screened. */
import type { CaseHit, ComparedRow, Comparison } from "../../schemas/case.ts"
import type { StoredEntry } from "../../schemas/entry-details.ts"
import { checkSupplierIdentifiers, identifiersOfKeys, isIdentifierKind } from "../checks/us/supplier-identifiers.ts"
import { companyOf } from "./compare-company.ts"
import { type CaseParts, compared, type Origin, originOf, type RowsOf } from "./compared-row.ts"
import { caseEntry, entriesOf, type PrintedMember, printedOf } from "./entries.ts"
import { at, itemsAt, numberAt, textAt, textMembersAt, textsAt, type Value } from "./members.ts"

type Identifiers = readonly (readonly [scheme: string, value: string])[]

/** One screening of the facts: which party it screened, and its result. */
interface Screened {
  readonly role: string
  readonly name: string | null
  /** As the lists were asked for them. */
  readonly identifiers: Identifiers
  /** False if a register or the buyer's records state the name, so that no request changes it. */
  readonly isGiven: boolean
  readonly screening: Value
}

export interface FoundHits {
  readonly hits: readonly CaseHit[]
  /** Hits that a screening counted and did not keep. */
  readonly leftOut: number
  /** Hits of which a screening did not keep the entry, because entries take too much room. */
  readonly entriesLeftOut: number
  /** Screened names, or parts of them, that the program could not read. */
  readonly problems: readonly NameProblem[]
}

interface NameProblem {
  readonly name: string
  readonly isGiven: boolean
}

/** One hit of the facts, and what was screened when it was found. */
interface Found {
  readonly hit: Value
  readonly terms: ScreenedTerms
}

export function hitsOf(parts: CaseParts): FoundHits {
  const screenings = screeningsOf(parts)
  const inFacts = [...screenings.flatMap((one) => screeningHits(one, parts)), ...walletHits(parts)]
  const found = [...inFacts, ...(screenings.length === 0 ? candidates(parts) : [])]
  const entryOf = entriesOf(found.map(({ hit }) => hit))
  return {
    hits: found.map(({ hit, terms }, index) => ({ number: index + 1, ...hitOf(hit, terms, entryOf(hit)) })),
    leftOut: screenings.reduce((sum, { screening }) => sum + leftOutOf(screening), 0),
    entriesLeftOut: screenings.reduce((sum, { screening }) => sum + (numberAt(screening, "entries_left_out") ?? 0), 0),
    problems: screenings.flatMap(problemsOf),
  }
}

/** What a case says of a judged hit whose entry forbids payment. */
export const BLOCK_REMAINS_A_HOLD =
  "The entry of a judged hit forbids payment, so a hold remains. Nothing here turns it into a payment."

function problemsOf({ name, isGiven, screening }: Screened): readonly NameProblem[] {
  const found = textsAt(screening, "name_problems")
  const isUnread = ["SCRIPT_UNSUPPORTED", "INSUFFICIENT"].includes(textAt(screening, "state") ?? "")
  const problems = found.length === 0 && isUnread ? [name ?? "no name"] : found
  return problems.map((problem) => ({ name: problem, isGiven }))
}

function leftOutOf(screening: Value): number {
  return Math.max(0, (numberAt(screening, "hit_count") ?? 0) - itemsAt(screening, "hits").length)
}

/** Words for the roles in which the UK products screen a name. */
const ROLES: Readonly<Record<string, string>> = {
  REGISTERED_NAME: "registered name",
  PREVIOUS_NAME: "former name",
  INVOICE_NAME: "name on the invoice",
}

const RECORDED_COMPANY = "company, with the identifiers of the buyer's records"
const RECORDED_NAME = "name in the buyer's records"
/** Of what only the buyer's records know. */
export const RECORDED_ROLES: ReadonlySet<string> = new Set([RECORDED_COMPANY, RECORDED_NAME])

/** In the order of the facts. The products screen the same parties: a test compares them with `screenedPartiesOf`. */
function screeningsOf({ request, facts }: CaseParts): Screened[] {
  const own = at(facts, "screening")
  const name = screenedName(request, at(facts, "registration"))
  const identifiers = givenIdentifiers(request)
  const number = textAt(request, "company_number")
  return [
    ...(own === undefined ? [] : [{ role: "company", name, identifiers, isGiven: true, screening: own }]),
    ...recordedScreenings(request, facts),
    ...itemsAt(facts, "screened_names").map((one) => ({
      role: ROLES[textAt(one, "role") ?? ""] ?? "name",
      name: textAt(one, "name"),
      identifiers:
        textAt(one, "role") === "REGISTERED_NAME" && number !== null ? [["registration", number] as const] : [],
      isGiven: textAt(one, "role") === "INVOICE_NAME",
      screening: at(one, "screening"),
    })),
  ]
}

/** The company under the identifiers of the buyer's records: by the name of the request, then by each other name of the records. */
function recordedScreenings(request: Value, facts: Value): Screened[] {
  const recorded = at(facts, "recorded_supplier")
  if (recorded === undefined) return []
  const identifiers = recordedIdentifiers(recorded)
  return [
    {
      role: RECORDED_COMPANY,
      name: screenedName(request, at(recorded, "registration"), at(facts, "registration")),
      identifiers,
      isGiven: true,
      screening: at(recorded, "screening"),
    },
    ...itemsAt(recorded, "other_names").map((one) => ({
      role: RECORDED_NAME,
      name: textAt(one, "legal_name"),
      identifiers,
      isGiven: false,
      screening: at(one, "screening"),
    })),
  ]
}

function givenIdentifiers(request: Value): Identifiers {
  const given = Object.fromEntries(textMembersAt(companyOf(request), "identifiers"))
  return checkSupplierIdentifiers(given).identifiers.map(pairOf)
}

function recordedIdentifiers(recorded: Value): Identifiers {
  const keys = textsAt(recorded, "identifiers").filter((key) => isIdentifierKind(key.split(":", 1)[0] ?? ""))
  return identifiersOfKeys(keys).map(pairOf)
}

function pairOf({ kind, value }: { readonly kind: string; readonly value: string }): Identifiers[number] {
  return [kind, value]
}

/** Each screened name with the result of its screening. */
export const screenedNames: RowsOf = (parts) =>
  screeningsOf(parts).map(({ role, name, screening }) => {
    const state = textAt(screening, "state")
    return compared([`screening of the ${role}`, name, state], state === "CLEAR", { source: null, date: null })
  })

/** The legal name of the request, or where none was given the first name that a registration has. */
function screenedName(request: Value, ...registrations: readonly Value[]): string | null {
  const lookups = registrations.flatMap((registration) => itemsAt(registration, "lookups"))
  const registered = lookups.map((one) => textAt(one, "registered_name"))
  return textAt(companyOf(request), "legal_name") ?? registered.find((name) => name !== null) ?? null
}

function screeningHits({ role, name, identifiers, screening }: Screened, { facts }: CaseParts): Found[] {
  const threshold = numberAt(screening, "threshold")
  const terms = { role, screened: name, name, type: SCREENED_TYPE, threshold, identifiers, facts }
  return [...itemsAt(screening, "hits"), ...itemsAt(screening, "suppressed_hits")].map((hit) => ({ hit, terms }))
}

/** Every product screens its company as an organisation. */
const SCREENED_TYPE = "organisation"

interface ScreenedTerms {
  readonly role: string
  /** The name or the wallet. */
  readonly screened: string | null
  /** Null if no name was compared. */
  readonly name: string | null
  readonly type: string | null
  readonly threshold: number | null
  readonly identifiers: Identifiers
  readonly facts: Value
}

function hitOf(hit: Value, terms: ScreenedTerms, entry: StoredEntry | null): Omit<CaseHit, "number"> {
  const judged = at(hit, "suppression")
  return {
    role: terms.role,
    screened: terms.screened,
    source_id: textAt(hit, "source_id") ?? "unknown list",
    entry_id: textAt(hit, "entry_id") ?? "unknown entry",
    list: textAt(hit, "list"),
    programs: [...textsAt(hit, "programs")],
    party_type: textAt(hit, "party_type"),
    // A candidate of an answer calls it `matched_on`.
    matched_name: textAt(hit, "matched_name") ?? textAt(hit, "matched_on"),
    name_kind: textAt(hit, "name_kind"),
    score: numberAt(hit, "score"),
    threshold: terms.threshold,
    basis: textAt(hit, "basis"),
    tier: textAt(hit, "tier"),
    compared: hitRows(hit, terms, entry),
    entry: entry && caseEntry(entry),
    suppression:
      judged === undefined
        ? null
        : { suppression_id: textAt(judged, "suppression_id") ?? "unknown", expires_at: textAt(judged, "expires_at") },
  }
}

/** The whole name, then word by word, then what else was compared. */
function hitRows(hit: Value, terms: ScreenedTerms, entry: StoredEntry | null): ComparedRow[] {
  const { name, type, identifiers, facts } = terms
  const list = itemsAt(facts, "sources").find((one) => textAt(one, "source_id") === textAt(hit, "source_id"))
  const origin = { source: textAt(hit, "source_id"), date: originOf(list).date }
  const own = identifiers.map(([one, value]) => `${one.toUpperCase()} ${value}`).join(", ") || null
  const further = [
    ["identifiers", "identifier", own],
    ["country", "country", null],
    ["address", "address", null],
    ["date of birth", "birth_date", null],
    ["person or organisation", "type", type],
  ] as const
  return [
    compared(["name", name, textAt(hit, "matched_name")], textAt(hit, "basis") === "EXACT_NAME", origin),
    ...wordRows(at(hit, "explanation"), origin),
    ...further.map(([what, member, asked]) => furtherRow({ hit, entry }, { what, member, asked }, origin)),
  ].filter(({ asked, found }) => asked !== null || found !== null)
}

interface FurtherRow {
  readonly what: string
  readonly member: PrintedMember
  readonly asked: string | null
}

/** The screening says whether it agrees. An entry of the facts says what the publisher prints. */
function furtherRow(
  { hit, entry }: { readonly hit: Value; readonly entry: StoredEntry | null },
  { what, member, asked }: FurtherRow,
  origin: Origin,
): ComparedRow {
  const result = agreement(textAt(hit, "corroboration", member))
  const printed = inHit(hit, member) ?? (entry && printedOf(entry, member))
  const found = printed ?? (result === "NOT_STATED" ? null : AGREEMENT_WORDS[result])
  const isUnasked = result === "NOT_STATED" && found !== null && asked === null
  return { ...origin, what, asked, found, result: isUnasked ? "NOT_ASKED" : result }
}

/** What the hit itself names of the entry. */
function inHit(hit: Value, member: PrintedMember): string | null {
  if (member === "identifier") return equalIdentifier(hit)
  return member === "type" ? (TYPE_WORDS[textAt(hit, "party_type") ?? ""] ?? null) : null
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  person: "person",
  org: SCREENED_TYPE,
  vessel: "vessel",
  aircraft: "aircraft",
}

function equalIdentifier(hit: Value): string | null {
  const equal = textAt(hit, "explanation", "identifier", "value")
  return equal && `${(textAt(hit, "explanation", "identifier", "scheme") ?? "").toUpperCase()} ${equal}`.trim()
}

const AGREEMENT_WORDS: Readonly<Record<Comparison, string>> = {
  SAME: "agrees with the entry",
  DIFFERS: "is another one in the entry",
  NOT_ASKED: "not asked",
  NOT_STATED: "not stated",
}

function agreement(text: string | null): Comparison {
  return text === "MATCH" ? "SAME" : text === "CONFLICT" ? "DIFFERS" : "NOT_STATED"
}

function wordRows(explanation: Value, origin: Origin): ComparedRow[] {
  const pairs = itemsAt(explanation, "pairs").map((pair) => {
    const words = ["word", textAt(pair, "query"), textAt(pair, "listed")] as const
    return compared(words, numberAt(pair, "similarity") === 1, origin)
  })
  const ours = textsAt(explanation, "query_left_over").map((word) => compared(["word", word, null], false, origin))
  const theirs = textsAt(explanation, "listed_left_over").map((word) => compared(["word", null, word], false, origin))
  return [...pairs, ...ours, ...theirs]
}

const PAYEE_WALLET = "wallet of the payee"
const DESTINATION_WALLET = "wallet of the destination"
export const WALLET_ROLES: ReadonlySet<string> = new Set([PAYEE_WALLET, DESTINATION_WALLET])

function walletHits({ request, facts }: CaseParts): Found[] {
  return (["payee", "payment_destination"] as const).flatMap((member) => {
    const hit = at(facts, "wallet_hits", member)
    if (hit === undefined || hit === null) return []
    const wallet = textAt(request, member, "value")
    const role = member === "payee" ? PAYEE_WALLET : DESTINATION_WALLET
    const identifiers = wallet === null ? [] : [["wallet", wallet] as const]
    const terms = { role, screened: wallet, name: null, type: null, threshold: null, identifiers, facts }
    return [{ hit, terms }]
  })
}

/** A delivered company check without its facts names its candidates. */
function candidates({ answer, facts }: CaseParts): Found[] {
  const nothing = { screened: null, name: null, type: null, threshold: null, identifiers: [] }
  const terms = { role: "company", ...nothing, facts }
  return itemsAt(answer, "result", "restricted_party", "candidates").map((hit) => ({ hit, terms }))
}
