/** The Payment Decision: its delivery, its bundle, and the deliverable of an ACP job. */

import { publishedAt } from "../../case/compared-row.ts"
import { at, itemsAt, labelled, leavesOf, textAt, textsAt, type Value } from "../../case/members.ts"
import { environmentWarnings } from "../../case/words/case-words.ts"
import type { DocumentView, FactView, SourceView } from "./view.ts"
import { adviceOf, caseIn, reasonsOf, statedDecision } from "./words.ts"

export function deliveryView(value: Value): DocumentView {
  const one = caseIn({ answer: value })
  return { ...decisionView("a delivered Payment Decision", value, [], []), case: one }
}

export function deliveryBundleView(value: Value): DocumentView {
  const request = at(value, "request")
  const answer = at(value, "delivery")
  const one = caseIn({ answer, request, facts: at(value, "facts") })
  return { ...decisionView("a bundle of a Payment Decision", answer, partiesOf(request), sourcesOf(value)), case: one }
}

export function deliverableView(value: Value): DocumentView {
  const job = leavesOf(at(value, "job"), "job")
  const funding = labelled([["funding transaction", textAt(value, "funding_observation", "tx_hash")]])
  const answer = at(value, "response")
  const view = decisionView("the deliverable of an ACP job", answer, [...job, ...funding], [])
  return { ...view, case: caseIn({ answer }) }
}

function decisionView(
  kind: string,
  delivery: Value,
  more: readonly FactView[],
  sources: readonly SourceView[],
): DocumentView {
  const capsule = at(delivery, "proof_capsule", "payload")
  const decision = statedDecision(textAt(delivery, "decision"), textAt(delivery, "machine_action"))
  const validUntil = textAt(delivery, "valid_until")
  const amount = textAt(capsule, "amount")
  const cost = textAt(delivery, "decision_cost", "amount")
  return {
    kind,
    warnings: environmentWarnings(textAt(capsule, "environment")),
    decision,
    case: null,
    advice: adviceOf(textsAt(delivery, "conditions"), validUntil),
    reasons: reasonsOf(
      textsAt(delivery, "reason_codes"),
      textAt(delivery, "product"),
      textAt(delivery, "policy", "version"),
    ),
    facts: [
      ...labelled([
        ["payment", amount === null ? null : `${amount} ${textAt(capsule, "currency") ?? ""}`.trim()],
        ["obligation", textAt(capsule, "obligation_id")],
        ["supplier", textAt(capsule, "supplier_entity_id")],
        ["paying agent", textAt(capsule, "agent_id")],
        ["issuer", textAt(capsule, "issuer")],
      ]),
      ...more,
      ...labelled([
        ["limits of its coverage", textsAt(delivery, "coverage", "limitations").join(", ") || null],
        ["price of the decision", cost === null ? null : `${cost} ${textAt(delivery, "decision_cost", "asset") ?? ""}`],
        ["settlement", textAt(delivery, "billing", "settlement_reference")],
        ["valid from", textAt(delivery, "valid_as_of")],
        ["valid until", validUntil],
        ["decision id", textAt(delivery, "decision_id")],
      ]),
    ],
    sources,
  }
}

function partiesOf(request: Value): FactView[] {
  return [...leavesOf(at(request, "supplier"), "supplier"), ...leavesOf(at(request, "buyer"), "buyer")]
}

/** Of the facts of a bundle. */
export function sourcesOf(bundle: Value): SourceView[] {
  return itemsAt(bundle, "facts", "sources").flatMap((source) => {
    const name = textAt(source, "source_id")
    if (name === null) return []
    const entries = at(source, "entries")
    const count = typeof entries === "number" ? `, ${entries.toLocaleString("en-US")} entries` : ""
    return [
      {
        name,
        published: publishedAt(source, textsAt(source, "limitations")),
        retrieved: textAt(source, "retrieved_at"),
        detail: `${textAt(source, "health") ?? ""}${count}`,
      },
    ]
  })
}
