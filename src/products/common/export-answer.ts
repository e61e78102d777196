/** Exports a business answer as a bundle that verifies and replays on another machine. */
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import { ANSWER_BUNDLE_FORMATS } from "../../../schemas/bundle-formats.ts"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { snapshotsOf } from "../../offline/steps/content.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { AnswerRequest, AnyBusinessAnswerRules } from "./answer-rules.ts"
import { readStoredDelivery, requireCanonical, type StoredDelivery } from "./stored-delivery.ts"

/**
 * Returns bundle bytes by execution, delivery or request id, or null if no acquired answer of a product in `known` has this id. The bundle
 * contains no token, because no token is stored. Throws if the stored data is damaged.
 */
export async function exportAnswer(
  store: Store,
  id: string,
  known: readonly AnyBusinessAnswerRules[],
): Promise<Uint8Array | null> {
  const stored = await store.read(() => readStoredDelivery(id))
  if (!stored || !known.some((rules) => rules.id === stored.product)) return null
  requireCanonical(id, stored)
  return canonicalBytes(answerBundleOf(stored))
}

/** The format of the bundle is that of the stored facts, so that a stored answer is exported to the same bytes by every later release. */
export function answerBundleOf(stored: StoredDelivery): AnswerBundle {
  const answer = JSON.parse(stored.body) as BusinessAnswer
  const facts = JSON.parse(stored.factsJson) as AnswerFacts
  return {
    format: ANSWER_BUNDLE_FORMATS[facts.format],
    answer,
    capsule: JSON.parse(stored.capsuleJson) as AnswerCapsule,
    request: JSON.parse(stored.requestJson) as AnswerRequest,
    facts,
    policy_checksum: answer.policy.checksum,
    issuer_jwks: stored.issuerJwks,
    snapshots: snapshotsOf(facts),
  }
}
