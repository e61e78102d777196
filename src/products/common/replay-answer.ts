/**
 * Repeats the decision of a business answer from its stored facts with the policy version it names, and compares bytes. It queries no
 * source and signs and charges nothing.
 */
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import type { AnswerPolicyDocument } from "../../checks/policy/answer-policy.ts"
import { findPolicy } from "../../checks/policy/find-policy.ts"
import { policyChecksum } from "../../checks/policy/policy.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { answerCapsulePayload } from "../../core/capsule/answer-capsule.ts"
import { coreOfAnswer } from "../../core/capsule/answer-view.ts"
import { digestOf } from "../../core/digest.ts"
import { readAnswerDocument } from "../../offline/kinds/answer-document.ts"
import { Report } from "../../offline/report.ts"
import { checkBundledSignature } from "../../offline/steps/bundled-keys.ts"
import { checkDigest } from "../../offline/steps/content.ts"
import type { IssuerKeys } from "../../offline/steps/issuer-keys.ts"
import { checkEnvironment } from "../../offline/steps/terms.ts"
import type { AnyBusinessAnswerRules } from "./answer-rules.ts"

/** `keys` null: use the keys of the bundle itself. That shows consistency, not origin. */
export function replayAnswer(
  bytes: Uint8Array,
  keys: IssuerKeys | null,
  known: readonly AnyBusinessAnswerRules[],
): Report {
  const report = new Report()
  const document = readAnswerDocument(bytes, known, report)
  if (!document) return report
  const { rules, bundle } = document
  if (!bundle) {
    report.unchecked(
      "facts",
      "an answer does not contain its facts; replay needs the bundle that bizauth export writes",
    )
    return report
  }
  const { answer, capsule, facts } = bundle
  if (!checkEnvironment(report, capsule.payload.environment) || !checkEnvironment(report, facts.environment)) {
    return report
  }
  const { id, version, checksum } = answer.policy
  const policy = findPolicy(rules, id, version)
  if (!policy) report.unchecked("policy", `this program does not have ${id} ${version}`)
  else {
    const isSame = policyChecksum(policy) === checksum && checksum === bundle.policy_checksum
    report.check("policy", isSame, `${id} ${version}`, "checksum is of another policy")
    compareAnswers(report, rules, bundle, policy)
  }
  checkDigest(report, "capsule digest", digestOf(capsule.payload), capsule.capsule_digest)
  checkBundledSignature(report, capsule, keys, bundle.issuer_jwks)
  return report
}

function compareAnswers(
  report: Report,
  rules: AnyBusinessAnswerRules,
  { answer, capsule, request, facts }: AnswerBundle,
  policy: AnswerPolicyDocument,
): void {
  let again: AnswerCore
  try {
    again = rules.decide(request, facts, policy)
  } catch (error) {
    // The closed schemas have accepted both documents. They allow a time so close to the end of the year 9999 that no answer can end after
    // it.
    if (!(error instanceof TypeError)) throw error
    report.check("decision", false, "", "no answer follows: it would expire after the year 9999")
    return
  }
  const isSame = canonicalize(again) === canonicalize(coreOfAnswer(answer))
  report.check("decision", isSame, `${again.decision}, byte for byte`, "deciding again gives another answer")
  const payload = canonicalize(answerCapsulePayload(again, facts, digestOf(request)))
  report.check(
    "capsule payload",
    payload === canonicalize(capsule.payload),
    "byte for byte",
    "the capsule was made from something else",
  )
}
