/** The answers of the answer products, their bundles and capsules, and the company passport. */

import { publishedAt } from "../../case/compared-row.ts"
import { at, itemsAt, labelled, leavesOf, textAt, textsAt, type Value } from "../../case/members.ts"
import { environmentWarnings } from "../../case/words/case-words.ts"
import { ANSWER_RULES } from "../../products/products.ts"
import { sourcesOf } from "./decision-view.ts"
import type { DocumentView, FactView, SourceView } from "./view.ts"
import { adviceOf, caseIn, publicCaseIn, reasonsOf, statedDecision } from "./words.ts"

export function answerView(value: Value): DocumentView {
  return { ...viewOf(`a delivered answer of ${productOf(value)}`, value, [], null), case: caseIn({ answer: value }) }
}

interface Delivered {
  readonly answer: Value
  readonly request: Value
  readonly facts: Value
  /** Of the service: a stored answer does not name it. */
  readonly environment: string
}

/** An answer as the service stored it, for whoever has its address. */
export function deliveredView({ environment, ...documents }: Delivered): DocumentView {
  const view = answerView(documents.answer)
  return { ...view, warnings: environmentWarnings(environment), case: publicCaseIn(documents) }
}

export function answerBundleView(value: Value): DocumentView {
  const answer = at(value, "answer")
  const view = viewOf(
    `a bundle of an answer of ${productOf(answer)}`,
    answer,
    leavesOf(at(value, "request"), "request"),
    textAt(value, "capsule", "payload", "environment"),
  )
  const one = caseIn({ answer, request: at(value, "request"), facts: at(value, "facts") })
  const sources = view.sources.length > 0 ? view.sources : sourcesOf(value)
  return { ...view, case: one, sources }
}

function productOf(answer: Value): string {
  const product = textAt(answer, "product_or_solution")
  return ANSWER_RULES.some(({ id }) => id === product) ? String(product) : "an unknown product"
}

function viewOf(kind: string, answer: Value, more: readonly FactView[], environment: string | null): DocumentView {
  const decision = statedDecision(textAt(answer, "decision"), textAt(answer, "machine_action"))
  const reasons = reasonsOf(
    textsAt(answer, "reason_codes"),
    textAt(answer, "product_or_solution"),
    textAt(answer, "policy", "version"),
  )
  const validUntil = textAt(answer, "valid_until")
  const conditions = textsAt(answer, "conditions")
  return {
    kind,
    warnings: environmentWarnings(environment),
    decision,
    case: null,
    advice: [
      ...adviceOf(conditions, validUntil),
      ...textsAt(answer, "required_information").map((code) => `Missing: ${code}.`),
    ],
    reasons,
    facts: [
      ...leavesOf(withoutToken(at(answer, "result"))),
      ...more,
      ...labelled([
        ["limitations", textsAt(answer, "limitations").join(", ") || null],
        ["payment", billingOf(answer)],
        ["valid from", textAt(answer, "valid_as_of")],
        ["valid until", validUntil],
        ["request id", textAt(answer, "request_id")],
        ["delivery id", textAt(answer, "delivery_id")],
      ]),
    ],
    sources: itemsAt(answer, "evidence").flatMap(observed),
  }
}

/** A token gives a right to whoever reads it. */
function withoutToken(result: Value): Value {
  if (typeof result !== "object" || result === null || Array.isArray(result)) return result
  return Object.fromEntries(Object.entries(result).filter(([name]) => !/token$/.test(name)))
}

function billingOf(answer: Value): string | null {
  const status = textAt(answer, "payment", "payment_status")
  const price = at(answer, "payment", "charged_price_usd")
  return status === null ? null : `${status}, ${String(price ?? 0)} ${textAt(answer, "payment", "asset") ?? ""}`.trim()
}

function observed(observation: Value): SourceView[] {
  const name = textAt(observation, "source_id")
  if (name === null) return []
  return [
    {
      name,
      published: publishedAt(observation, textsAt(observation, "claims")),
      retrieved: textAt(observation, "retrieved_at"),
      detail: textsAt(observation, "claims").join(", "),
    },
  ]
}

/** The signed proof of an answer. It has digests in place of what was asked and found. */
export function capsuleView(value: Value): DocumentView {
  const payload = at(value, "payload")
  const decision = statedDecision(textAt(payload, "decision"), textAt(payload, "machine_action"))
  return {
    kind: "the capsule of an answer",
    warnings: environmentWarnings(textAt(payload, "environment")),
    decision,
    case: caseIn({ answer: payload }),
    advice: adviceOf(textsAt(payload, "conditions"), textAt(payload, "valid_until")),
    reasons: reasonsOf(
      textsAt(payload, "reason_codes"),
      textAt(payload, "product"),
      textAt(payload, "policy", "version"),
    ),
    facts: labelled([
      ["product", textAt(payload, "product")],
      ["issuer", textAt(payload, "issuer")],
      ["limitations", textsAt(payload, "limitations").join(", ") || null],
      ["valid from", textAt(payload, "valid_as_of")],
      ["valid until", textAt(payload, "valid_until")],
      ["delivery id", textAt(payload, "delivery_id")],
    ]),
    sources: [],
  }
}

export function passportView(value: Value): DocumentView {
  const payload = at(value, "payload")
  const check = at(payload, "check")
  const decision = statedDecision(textAt(check, "decision"), textAt(check, "machine_action"))
  const validUntil = textAt(payload, "valid_until")
  return {
    kind: "a company passport",
    warnings: [
      ...environmentWarnings(textAt(payload, "environment")),
      "A passport shows what a company check proved. It permits no payment.",
    ],
    decision,
    case: null,
    advice: validUntil === null ? [] : [`It is valid until ${validUntil}. After that, ask for a newer one.`],
    reasons: reasonsOf(textsAt(check, "reason_codes"), textAt(check, "product"), textAt(check, "policy", "version")),
    facts: [
      ...leavesOf(at(payload, "company"), "company"),
      ...labelled([
        ["identity", textAt(payload, "identity_state")],
        ["restricted-party screening", textAt(payload, "restricted_party", "state")],
        ["limitations", textsAt(payload, "limitations").join(", ") || null],
        ["issuer", textAt(payload, "issuer")],
        ["valid from", textAt(payload, "valid_as_of")],
        ["valid until", validUntil],
        ["passport id", textAt(payload, "passport_id")],
      ]),
    ],
    sources: itemsAt(payload, "sources").flatMap(observed),
  }
}
