/** Words for the codes of a case. Text and page print the same ones. */
import type { Case, CaseEntry, CaseGate, CaseHit, CaseWay, Comparison } from "../../../schemas/case.ts"
import type { Labelled } from "../members.ts"
import { timeInWords } from "./headline.ts"

export const COMPARISON_WORDS: Readonly<Record<Comparison, string>> = {
  SAME: "agrees",
  DIFFERS: "differs",
  NOT_ASKED: "not asked",
  NOT_STATED: "not stated",
}

export const GATE_WORDS: Readonly<Record<CaseGate["outcome"], string>> = {
  PASS: "passed",
  CONDITION: "passed with a condition",
  HOLD: "holds the payment",
  BLOCK: "forbids the payment",
  INCONCLUSIVE: "could not decide",
  NOT_RUN: "did not run",
}

const ACTORS: Readonly<Record<NonNullable<CaseWay["who"]>, string>> = {
  BUYER: "the buyer",
  SUPPLIER: "the supplier",
  OPERATOR: "the operator of this service",
  REVIEWER: "a reviewer of the operator of this service",
  NOBODY: "nobody",
}

export function whoMay({ who }: CaseWay): string {
  return who === null ? "This program does not know who may." : `Who may: ${ACTORS[who]}.`
}

export function purchaseWords({ is_bought_again: isBoughtAgain, who }: CaseWay): string {
  if (who === "NOBODY") return "No purchase changes it."
  return isBoughtAgain ? "Then the buyer buys a new answer; this one stays as it is." : "No new purchase is needed."
}

/** "US_OFAC_SDN:90001, VOSTOK MERIDIAN TRADING LLC (program RUSSIA-EO14024)". */
export function entryWords({ source_id: source, entry_id: id, matched_name: name, programs }: CaseHit): string {
  const named = name === null ? "" : `, ${name}`
  return `${source}:${id}${named}${programs.length === 0 ? "" : ` (program ${programs.join(", ")})`}`
}

export function scoreWords({ score, threshold, basis, tier }: CaseHit): string {
  const shown = score === null ? null : `score ${score}${threshold === null ? "" : `, hits begin at ${threshold}`}`
  return [shown, basis, tier].filter((text) => text !== null).join(", ")
}

export const NO_POLICY = "This program does not have the policy that gave this reason."

const MISSING_FACTS =
  "Without the facts of the answer nothing is compared. The operator exports them: bizauth export ID --data DIR --out BUNDLE.json"

export const ENTRY_TITLE = "As its publisher prints it"

/** Of one text of a listed entry. The facts keep an entry of 8 KiB, so this only stops a document that was made to flood a terminal. */
export const PRINTED_CHARACTERS_MAX = 20_000

/** The rows of an entry, with its page. */
export function shownEntry({ rows, link }: CaseEntry): readonly Labelled[] {
  return link === null ? rows : [...rows, { label: PAGE_LABEL, value: link }]
}

export const PAGE_LABEL = "page of the publisher"

/** Empty if nobody judged the hit. */
export function judgedWords({ suppression }: CaseHit): string {
  if (suppression === null) return ""
  const { suppression_id: id, expires_at: end } = suppression
  const until = end === null ? "an unknown time" : timeInWords(end, null)
  return `The operator judged it to be another party (${id}), until ${until}.`
}

/** What a reader needs to know beside the gates, a sentence or two each. */
export function caseNotes({ notes, hits, missing }: Case): readonly string[] {
  const bare = hits.filter(({ entry }) => entry === null).map(({ number }) => number)
  return [
    ...notes,
    ...(bare.length > 0
      ? [
          `This document keeps no copy of listed entry ${bare.join(", ")}. The operator can look it up: bizauth sources entry SOURCE:ID --data DIR`,
        ]
      : []),
    ...(missing.includes("FACTS") ? [MISSING_FACTS] : []),
  ]
}

/** "Conditions" of an answer that permits something, and else what it was stopped by. */
export function reasonsTitle({ permission }: Case): string {
  return permission === "PAY_IF" ? "Conditions" : "What stopped it"
}

export const UNKNOWN_WAY = "This program does not know this remediation."

/** "Screened as company:", "Quiet Cove Marine LLC". */
export function screenedWords({ role, screened }: CaseHit): readonly [role: string, screened: string] {
  return [`Screened as ${role}:`, screened ?? "not stated"]
}

/** Sentences about where a document counts. `environment`: null when the document names none. */
export function environmentWarnings(environment: string | null): readonly string[] {
  if (environment === "sandbox")
    return ["This document is synthetic. It was made in the sandbox, to rehearse. It decides nothing."]
  if (environment === "test") return ["This document is of a test environment. It decides nothing about real money."]
  return []
}
