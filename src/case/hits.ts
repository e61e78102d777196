/** The listed entries that the screened names and wallets resemble, each beside the party as it was screened. */
import type { CaseHit, ComparedRow, Comparison } from "../../schemas/case.ts"
import { companyOf } from "./compare-company.ts"
import { type CaseParts, compared, type Origin, originOf, type RowsOf } from "./compared-row.ts"
import { at, itemsAt, numberAt, textAt, textMembersAt, textsAt, type Value } from "./members.ts"

/** One screening of the facts: which name it screened, and its result. */
interface Screened {
  readonly role: string
  readonly name: string | null
  readonly screening: Value
}

export interface FoundHits {
  readonly hits: readonly CaseHit[]
  /** Hits that a screening counted and did not keep. */
  readonly leftOut: number
  /** Screened names, or parts of them, that the program could not read. */
  readonly problems: readonly string[]
}

export function hitsOf(parts: CaseParts): FoundHits {
  const screenings = screeningsOf(parts)
  const found = screenings.flatMap((one) => screeningHits(one, parts))
  const all = [...found, ...walletHits(parts), ...(screenings.length === 0 ? candidates(parts) : [])]
  return {
    hits: all.map((hit, index) => ({ number: index + 1, ...hit })),
    leftOut: screenings.reduce((sum, { screening }) => sum + leftOutOf(screening), 0),
    problems: [...new Set(screenings.flatMap(problemsOf))],
  }
}

function problemsOf({ name, screening }: Screened): readonly string[] {
  const found = textsAt(screening, "name_problems")
  const isUnread = ["SCRIPT_UNSUPPORTED", "INSUFFICIENT"].includes(textAt(screening, "state") ?? "")
  return found.length === 0 && isUnread ? [name ?? "no name"] : found
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

function screeningsOf({ request, facts }: CaseParts): Screened[] {
  const own = at(facts, "screening")
  const recorded = at(facts, "recorded_supplier")
  return [
    ...(own === undefined ? [] : [{ role: "company", name: screenedName(request, facts), screening: own }]),
    ...(recorded === undefined
      ? []
      : [
          {
            role: "company, with the identifiers of the buyer's records",
            name: screenedName(request, facts),
            screening: at(recorded, "screening"),
          },
          ...itemsAt(recorded, "other_names").map((one) => ({
            role: "name in the buyer's records",
            name: textAt(one, "legal_name"),
            screening: at(one, "screening"),
          })),
        ]),
    ...itemsAt(facts, "screened_names").map((one) => ({
      role: ROLES[textAt(one, "role") ?? ""] ?? "name",
      name: textAt(one, "name"),
      screening: at(one, "screening"),
    })),
  ]
}

/** Each screened name with the result of its screening. */
export const screenedNames: RowsOf = (parts) =>
  screeningsOf(parts).map(({ role, name, screening }) => {
    const state = textAt(screening, "state")
    return compared([`screening of the ${role}`, name, state], state === "CLEAR", { source: null, date: null })
  })

/** The legal name of the request, or the registered one where none was given. */
function screenedName(request: Value, facts: Value): string | null {
  const registered = itemsAt(facts, "registration", "lookups").map((one) => textAt(one, "registered_name"))
  return textAt(companyOf(request), "legal_name") ?? registered.find((name) => name !== null) ?? null
}

type Unnumbered = Omit<CaseHit, "number">

function screeningHits({ role, name, screening }: Screened, { request, facts }: CaseParts): Unnumbered[] {
  const identifiers = textMembersAt(companyOf(request), "identifiers")
  const threshold = numberAt(screening, "threshold")
  const terms = { role, name, threshold, identifiers, facts }
  return [
    ...itemsAt(screening, "hits").map((hit) => hitOf(hit, terms)),
    ...itemsAt(screening, "suppressed_hits").map((hit) => hitOf(hit, terms)),
  ]
}

interface ScreenedTerms {
  readonly role: string
  readonly name: string | null
  readonly threshold: number | null
  readonly identifiers: readonly (readonly [scheme: string, value: string])[]
  readonly facts: Value
}

function hitOf(hit: Value, terms: ScreenedTerms): Unnumbered {
  const judged = at(hit, "suppression")
  return {
    role: terms.role,
    screened: terms.name,
    source_id: textAt(hit, "source_id") ?? "unknown list",
    entry_id: textAt(hit, "entry_id") ?? "unknown entry",
    list: textAt(hit, "list"),
    programs: [...textsAt(hit, "programs")],
    party_type: textAt(hit, "party_type"),
    matched_name: textAt(hit, "matched_name"),
    name_kind: textAt(hit, "name_kind"),
    score: numberAt(hit, "score"),
    threshold: terms.threshold,
    basis: textAt(hit, "basis"),
    tier: textAt(hit, "tier"),
    compared: hitRows(hit, terms),
    suppression:
      judged === undefined
        ? null
        : { suppression_id: textAt(judged, "suppression_id") ?? "unknown", expires_at: textAt(judged, "expires_at") },
  }
}

/** The whole name, then word by word, then what else was compared. */
function hitRows(hit: Value, { name, identifiers, facts }: ScreenedTerms): ComparedRow[] {
  const list = itemsAt(facts, "sources").find((one) => textAt(one, "source_id") === textAt(hit, "source_id"))
  const origin = { source: textAt(hit, "source_id"), date: originOf(list).date }
  const basis = textAt(hit, "basis")
  const listed = textAt(hit, "matched_name")
  const equal = textAt(hit, "explanation", "identifier", "value")
  const scheme = textAt(hit, "explanation", "identifier", "scheme")
  const own = identifiers.map(([one, value]) => `${one.toUpperCase()} ${value}`).join(", ") || null
  const agreed = equal === null ? null : `${(scheme ?? "").toUpperCase()} ${equal}`.trim()
  const of = (member: string) => agreement(textAt(hit, "corroboration", member))
  return [
    compared(["name", name, listed], basis === "EXACT_NAME", origin),
    ...wordRows(at(hit, "explanation"), origin),
    { ...origin, what: "identifiers", asked: own, found: agreed, result: of("identifier") },
    ...(["country", "address", "birth_date", "type"] as const).map((member) => ({
      ...origin,
      what: member === "birth_date" ? "date of birth" : member === "type" ? "person or organisation" : member,
      asked: null,
      found: AGREEMENT_WORDS[of(member)],
      result: of(member),
    })),
  ].filter(({ result, asked }) => result !== "NOT_STATED" || asked !== null)
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

function walletHits({ request, facts }: CaseParts): Unnumbered[] {
  return (["payee", "payment_destination"] as const).flatMap((member) => {
    const hit = at(facts, "wallet_hits", member)
    if (hit === undefined || hit === null) return []
    const wallet = textAt(request, member, "value")
    const role = member === "payee" ? "wallet of the payee" : "wallet of the destination"
    const identifiers = wallet === null ? [] : [["wallet", wallet] as const]
    const terms = { role, name: null, threshold: null, identifiers, facts }
    return [{ ...hitOf(hit, terms), screened: wallet }]
  })
}

/** A delivered company check without its facts names its candidates. */
function candidates({ answer, facts }: CaseParts): Unnumbered[] {
  return itemsAt(answer, "result", "restricted_party", "candidates").map((candidate) => ({
    ...hitOf(candidate, { role: "company", name: null, threshold: null, identifiers: [], facts }),
    matched_name: textAt(candidate, "matched_on"),
  }))
}
