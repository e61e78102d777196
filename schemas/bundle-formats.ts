/**
 * The formats of exported bundles, by the format of the facts in them. INVARIANT: facts of another form are another bundle format, because a
 * program that does not know a member calls the bundle not genuine, and one that does not know the format only says that it was not checked
 * (rulings 98). A reader knows every format in this file.
 */
import { type TObject, Type } from "@sinclair/typebox"
import type { AnswerFacts } from "./answer-facts.ts"
import { closed } from "./common.ts"
import type { DecisionFacts } from "./us/decision-facts.ts"

export const ANSWER_BUNDLE_FORMATS = {
  "svc.answer-facts.v1": "svc.answer-bundle.v1",
  "svc.answer-facts.v2": "svc.answer-bundle.v2",
  "svc.answer-facts.v3": "svc.answer-bundle.v3",
} as const satisfies Readonly<Record<AnswerFacts["format"], string>>

export const DELIVERY_BUNDLE_FORMATS = {
  "svc.payment-decision-facts.v1": "svc.delivery-bundle.v1",
  "svc.payment-decision-facts.v2": "svc.delivery-bundle.v2",
  "svc.payment-decision-facts.v3": "svc.delivery-bundle.v3",
} as const satisfies Readonly<Record<DecisionFacts["format"], string>>

export type AnswerBundleFormat = (typeof ANSWER_BUNDLE_FORMATS)[AnswerFacts["format"]]
export type DeliveryBundleFormat = (typeof DELIVERY_BUNDLE_FORMATS)[DecisionFacts["format"]]

export function isAnswerBundleFormat(format: unknown): format is AnswerBundleFormat {
  return Object.values<unknown>(ANSWER_BUNDLE_FORMATS).includes(format)
}

export function isDeliveryBundleFormat(format: unknown): format is DeliveryBundleFormat {
  return Object.values<unknown>(DELIVERY_BUNDLE_FORMATS).includes(format)
}

/** Returns the members of a bundle that name its form: `format`, and `facts` of the one format that belongs to it. */
export function factsOfFormat<F extends TObject, Bundle extends string>(
  facts: F,
  formats: Readonly<Record<string, Bundle>>,
  bundle: Bundle,
) {
  const own = Object.keys(formats).filter((one) => formats[one] === bundle)
  return {
    format: Type.Literal(bundle),
    facts: closed({ ...facts.properties, format: Type.Union(own.map((one) => Type.Literal(one))) }),
  }
}
