/** Turns the JSON of any document that the service or its commands make into a view. Offline and without a key: nothing is verified. */

import { ACP_DELIVERABLE_TYPE } from "../../../schemas/acp/terms.ts"
import { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import { isAnswerBundleFormat, isDeliveryBundleFormat } from "../../../schemas/bundle-formats.ts"
import { ANSWER_PRODUCTS } from "../../../schemas/products.ts"
import { CompanyPassportPayload } from "../../../schemas/us/company-passport.ts"
import { at, leavesOf, textAt } from "../../case/members.ts"
import { environmentWarnings } from "../../case/words/case-words.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { recogniseFile } from "../../offline/kinds/recognise-file.ts"
import { answerBundleView, answerView, capsuleView, passportView } from "./answer-view.ts"
import { deliverableView, deliveryBundleView, deliveryView } from "./decision-view.ts"
import type { DocumentView } from "./view.ts"

/** `bytes`: those of `value`, which name the kind of other files. Null for a document that this program does not know. */
export function describeDocument(value: JsonValue, bytes: Uint8Array): DocumentView | null {
  const format = textAt(value, "format")
  const domain = textAt(value, "payload", "domain")
  if (textAt(value, "type") === ACP_DELIVERABLE_TYPE) return deliverableView(value)
  if (isDeliveryBundleFormat(format)) return deliveryBundleView(value)
  if (isAnswerBundleFormat(format)) return answerBundleView(value)
  if (textAt(value, "product_or_solution") !== null) return answerView(value)
  if (at(value, "proof_capsule") !== undefined) return deliveryView(value)
  if (domain === CompanyPassportPayload.properties.domain.const) return passportView(value)
  if (domain === AnswerCapsule.properties.payload.properties.domain.const) return capsuleView(value)
  const what = recogniseFile(bytes, ANSWER_PRODUCTS)?.what ?? nameOfOther(value)
  return what === null ? null : otherView(what, value)
}

/** Names a document by the member that only its kind has. */
const OTHERS: readonly (readonly [what: string, ...path: readonly string[]])[] = [
  ["a signed document", "payload", "domain"],
  ["a signed receipt", "receipt", "statement"],
  ["the profile of an agent identity", "agent_id"],
  ["the health of the sources", "sources"],
  ["an authorization token's state", "token_state"],
]

function nameOfOther(value: JsonValue): string | null {
  const found = OTHERS.find(([, ...path]) => at(value, ...path) !== undefined)
  return found === undefined ? null : found[0]
}

/** Members that only machines read, or that must not be shown. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "signature",
  "signatures",
  "keys",
  "d",
  "events",
  "operational",
  "recovery",
])

function otherView(what: string, value: JsonValue): DocumentView {
  const body = at(value, "payload") ?? value
  const shown =
    typeof body === "object" && body !== null && !Array.isArray(body)
      ? Object.fromEntries(Object.entries(body).filter(([name]) => !LEFT_OUT.has(name)))
      : body
  return {
    kind: what,
    warnings: [
      ...environmentWarnings(textAt(body, "environment")),
      "This document contains no decision about a payment.",
    ],
    decision: null,
    case: null,
    advice: [],
    reasons: [],
    facts: leavesOf(shown),
    sources: [],
  }
}
