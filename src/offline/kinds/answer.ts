/**
 * Verifies a business answer offline with the capsule that was delivered with it. It accepts any copy: the paid one with its token, a
 * repetition, or the copy by execution id. All copies have the same core, and any edit of the core fails. The payment and the members that
 * differ between copies are not signed, and the report says so.
 */
import { Value } from "@sinclair/typebox/value"
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import { findPolicy } from "../../checks/policy/find-policy.ts"
import { reasonsInWords } from "../../checks/policy/reasons-in-words.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { capsuleViewOfAnswer, coreOfAnswer, NO_TOKEN_ISSUED } from "../../core/capsule/answer-view.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { type Question, Report } from "../report.ts"
import {
  checkAgreement,
  checkBundledFacts,
  checkBytes,
  checkDigest,
  checkEnvironment,
  checkRequired,
  checkTime,
  noteBundledKeys,
  noteRevocation,
  type Stated,
  sayEnvironment,
  type VerifyInput,
  type VerifyResult,
} from "../steps/check-document.ts"
import { checkSignature } from "../steps/issuer-keys.ts"
import { type AnswerDocument, readAnswerDocument, readCapsule } from "./answer-document.ts"
import type { AnswerForm } from "./answer-form.ts"

export interface VerifyAnswerInput extends VerifyInput {
  /** The capsule of an answer without a bundle. A bundle has its own capsule; a capsule given in addition must be equal to it. */
  readonly capsule?: Uint8Array
}

export function verifyAnswer(input: VerifyAnswerInput, known: readonly AnswerForm[]): VerifyResult {
  const { digestOf } = input.crypto
  const report = new Report(input.reformatted)
  const document = readAnswerDocument(input.bytes, known, report)
  if (!document) return { report, stated: null }
  const { rules, answer, bundle } = document
  const core = coreOfAnswer(answer)
  const unsigned = statedBy(rules, answer, digestOf(core))
  checkBytes(report, "bytes", input.bytes, document.value)
  const capsule = capsuleOf(report, document, input)
  if (!capsule) return { report, stated: unsigned }
  const { payload } = capsule
  const { environment } = payload
  const stated = { ...unsigned, environment }
  if (!checkEnvironment(report, environment)) return { report, stated }
  checkDigest(report, "core digest", digestOf(core), payload.core_digest)
  checkDigest(report, "capsule digest", digestOf(payload), capsule.capsule_digest)
  checkAgreement(report, capsuleViewOfAnswer(core, digestOf), payload)
  checkPolicy(report, rules, answer, digestOf)
  checkToken(report, answer)
  checkSignature(report, capsule, input)
  checkTime(report, answer, input.at)
  if (bundle) checkBundle(report, rules, bundle, digestOf)
  if (input.request !== undefined)
    checkRequest(report, { check: "request", question: "ASKED", digestOf }, rules, capsule, input.request)
  checkRequired(report, input, answer.machine_action)
  sayEnvironment(report, input, environment)
  report.unsigned("payment, economic_activity, replayed, authorization_token", "not signed")
  noteRevocation(report)
  return { report, stated }
}

function statedBy(rules: AnswerForm, answer: BusinessAnswer, reference: string): Stated {
  const { policy } = answer
  return {
    product: answer.product_or_solution,
    decisionId: null,
    reference,
    decision: answer.decision,
    machineAction: answer.machine_action,
    reasons: reasonsInWords(findPolicy(rules, policy.id, policy.version)?.reasons ?? null, answer),
    validUntil: answer.valid_until,
    // Only the capsule says it.
    environment: null,
  }
}

/** Returns null after reporting why there is no signed document. */
function capsuleOf(
  report: Report,
  { answer, bundle }: AnswerDocument<unknown>,
  input: VerifyAnswerInput,
): AnswerCapsule | null {
  if (answer.delivery_id === "") {
    report.unchecked("capsule", `${answer.decision} is not a delivery: it was not charged, and it is not signed`)
    return null
  }
  const given = input.capsule && readCapsule(input.capsule, report)
  if (given) checkBytes(report, "capsule bytes", given.bytes, given.value)
  if (bundle) {
    const isSame = !given || canonicalize(given.capsule) === canonicalize(bundle.capsule)
    if (given) report.check("capsule given", isSame, "the bundle's own", "differs from the bundle's")
    return bundle.capsule
  }
  if (given === undefined)
    report.unchecked("capsule", "the capsule of an answer is a separate file: give it with --capsule")
  return given?.capsule ?? null
}

/** The signed answer names its policy and its checksum. The checksum must equal that of the version in this program. */
function checkPolicy(
  report: Report,
  rules: AnswerForm,
  { policy }: BusinessAnswer,
  digestOf: DocumentCrypto["digestOf"],
): void {
  const known = findPolicy(rules, policy.id, policy.version)
  if (!known) report.note("policy", "this program does not have the policy version; its checksum was not compared")
  else {
    const { checksum } = policy
    report.check("policy", digestOf(known) === checksum, checksum, "checksum is not that of the policy version")
  }
}

/** The token itself is not signed. The statement that no token was issued is signed. */
function checkToken(report: Report, { limitations, result }: BusinessAnswer): void {
  if (!limitations.includes(NO_TOKEN_ISSUED)) return
  const token = (result as { readonly authorization_token?: string }).authorization_token
  report.check("token", !token, "none, as the answer says", "the signed answer says that none was issued")
}

function checkBundle(
  report: Report,
  rules: AnswerForm,
  bundle: AnswerBundle,
  digestOf: DocumentCrypto["digestOf"],
): void {
  const { answer, capsule } = bundle
  checkRequest(report, { check: "bundled request", question: "GENUINE", digestOf }, rules, capsule, bundle.request)
  checkBundledFacts(report, bundle, digestOf(bundle.facts), capsule.payload.facts_digest)
  const isNamed = bundle.policy_checksum === answer.policy.checksum
  report.check("bundled policy", isNamed, bundle.policy_checksum, "not the checksum in the answer")
  noteBundledKeys(report)
}

interface RequestCheck extends Pick<DocumentCrypto, "digestOf"> {
  readonly check: string
  readonly question: Question
}

function checkRequest(
  report: Report,
  { check, question, digestOf }: RequestCheck,
  { id, schemas }: AnswerForm,
  { payload }: AnswerCapsule,
  request: unknown,
): void {
  if (!Value.Check(schemas.request, request)) report.unchecked(check, `not a request for ${id}`, question)
  else {
    const isAnswered = digestOf(request) === payload.request_digest
    report.check(check, isAnswered, payload.request_digest, "this answers another request", question)
  }
}
