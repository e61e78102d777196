/** The bundle of a business answer: the answer, its capsule, and what it was decided from. It contains no token, because none is stored. */
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import { ANSWER_BUNDLE_FORMATS } from "../../../schemas/bundle-formats.ts"
import type { AnswerCore, BusinessAnswer } from "../../../schemas/business-answer.ts"
import { findPolicy } from "../../checks/policy/find-policy.ts"
import { policyChecksum } from "../../checks/policy/policy-checksum.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { answerCapsulePayload } from "../../core/capsule/answer-capsule.ts"
import { coreOfAnswer } from "../../core/capsule/answer-view.ts"
import { digestOf } from "../../core/digest.ts"
import { readAnswerDocument } from "../../offline/kinds/answer-document.ts"
import { snapshotsOf } from "../../offline/steps/content.ts"
import type { AnswerRequest, AnyBusinessAnswerRules } from "./answer-rules.ts"
import type { BundleKind, OpenBundle } from "./replay-bundle.ts"
import type { StoredDelivery } from "./stored-delivery.ts"

export function answerBundles(known: readonly AnyBusinessAnswerRules[]): BundleKind {
  return {
    alone: "an answer",
    includes: (product) => known.some(({ id }) => id === product),
    pack: (stored) => canonicalBytes(answerBundleOf(stored)),
    open: (bytes, report) => {
      const document = readAnswerDocument(bytes, known, report)
      return document && { bundle: document.bundle && openAnswer(document.rules, document.bundle) }
    },
  }
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

function openAnswer(rules: AnyBusinessAnswerRules, bundle: AnswerBundle): OpenBundle {
  const { answer, capsule, request, facts } = bundle
  const policy = findPolicy(rules, answer.policy)
  return {
    capsule,
    facts,
    issuerJwks: bundle.issuer_jwks,
    policy: answer.policy,
    knownChecksum: policy && policyChecksum(policy),
    statedChecksums: [answer.policy.checksum, bundle.policy_checksum],
    core: coreOfAnswer(answer),
    decideAgain() {
      const core = policy && decideIfItEnds(() => rules.decide(request, facts, policy))
      return core && { core, capsulePayload: answerCapsulePayload(core, facts, digestOf(request)) }
    },
    digests: [],
  }
}

/** The closed schemas allow a time so close to the end of the year 9999 that no answer can end after it. Then the result is null. */
function decideIfItEnds(decide: () => AnswerCore): AnswerCore | null {
  try {
    return decide()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    return null
  }
}
