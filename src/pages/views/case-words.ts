/** Words for the codes of a case. Text and page print the same ones. */
import type { CaseGate, CaseHit, CaseWay, Comparison } from "../../../schemas/case.ts"

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

export const MISSING_FACTS =
  "Without the facts of the answer nothing is compared. The operator exports them: bizauth export ID --data DIR --out BUNDLE.json"
