/**
 * Verifies a delivery offline: exact bytes, digests, signature, key, time. The signed capsule covers the digest of everything except
 * `billing` and `delivery`. So any other edit fails, even if every digest that needs no key was recomputed. `billing` and `delivery` have
 * only a digest that anyone can recompute, and the report says so.
 */
import { Value } from "@sinclair/typebox/value"
import type { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import type { DeliveryBundle } from "../../../schemas/us/delivery-bundle.ts"
import { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { findPolicy } from "../../checks/policy/find-policy.ts"
import { reasonsInWords } from "../../checks/policy/reasons-in-words.ts"
import { capsuleViewOfCore, capsuleViewOfRequest, coreOf, digestedResponse } from "../../core/capsule/capsule-view.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { digestedRequest } from "../../core/unsigned-request.ts"
import { without } from "../../core/without.ts"
import { type Question, Report } from "../report.ts"
import {
  checkAgreement,
  checkBundledFacts,
  checkBytes,
  checkDigest,
  checkEnvironment,
  checkRequired,
  checkTime,
  differing,
  noteBundledKeys,
  noteRevocation,
  type Stated,
  sayEnvironment,
  type VerifyInput,
  type VerifyResult,
} from "../steps/check-document.ts"
import { checkSignature } from "../steps/issuer-keys.ts"
import { type DecisionForm, readDecisionDocument } from "./decision-document.ts"

export function verifyDelivery(input: VerifyInput, rules: DecisionForm): VerifyResult {
  const report = new Report(input.reformatted)
  const document = readDecisionDocument(input.bytes, report)
  if (!document) return { report, stated: null }
  const { delivery, bundle } = document
  const { environment } = delivery.proof_capsule.payload
  if (!checkEnvironment(report, environment)) return { report, stated: statedBy(delivery, rules) }
  checkBytes(report, "bytes", input.bytes, document.value)
  checkDelivery(report, delivery, input)
  if (bundle) checkBundle(report, bundle, rules, input.crypto)
  if (input.request !== undefined)
    checkRequest(report, { check: "request", question: "ASKED", crypto: input.crypto }, delivery, input.request)
  checkRequired(report, input, delivery.machine_action)
  sayEnvironment(report, input, environment)
  report.unsigned("billing, delivery", "digest only, not signed")
  noteRevocation(report)
  return { report, stated: statedBy(delivery, rules) }
}

/** Digests, capsule, signature and time: what a delivery proves about itself, alone or in a deliverable. */
export function checkDelivery(
  report: Report,
  delivery: DecisionResponse,
  { keys, at, crypto }: Pick<VerifyInput, "keys" | "at" | "crypto">,
): void {
  checkDigests(report, delivery, crypto)
  checkAgreement(report, capsuleViewOfCore(coreOf(delivery), crypto.digestOf), delivery.proof_capsule.payload)
  checkSignature(report, delivery.proof_capsule, { keys, crypto })
  checkTime(report, delivery, at)
}

function policyOf(rules: DecisionForm, { policy }: DecisionResponse) {
  return findPolicy(rules, policy.id, policy.version)
}

export function statedBy(delivery: DecisionResponse, rules: DecisionForm): Stated {
  return {
    product: delivery.product,
    decisionId: delivery.decision_id,
    reference: delivery.delivery.response_digest,
    decision: delivery.decision,
    machineAction: delivery.machine_action,
    reasons: reasonsInWords(policyOf(rules, delivery)?.reasons ?? null, delivery),
    validUntil: delivery.valid_until,
    environment: delivery.proof_capsule.payload.environment,
  }
}

function checkDigests(report: Report, delivery: DecisionResponse, { digestOf }: DocumentCrypto): void {
  const { proof_capsule: capsule, economic_risk: risk } = delivery
  const assessment = digestOf(without(risk, "assessment_digest", "assessment_id"))
  const assessmentId = `asm_${assessment.slice("sha256:".length, "sha256:".length + 32)}`
  checkDigest(report, "response digest", digestOf(digestedResponse(delivery)), delivery.delivery.response_digest)
  checkDigest(report, "capsule digest", digestOf(capsule.payload), capsule.capsule_digest)
  checkDigest(report, "core digest", digestOf(coreOf(delivery)), capsule.payload.core_digest)
  checkDigest(report, "assessment digest", assessment, risk.assessment_digest)
  checkDigest(report, "assessment id", assessmentId, risk.assessment_id)
}

function checkBundle(report: Report, bundle: DeliveryBundle, rules: DecisionForm, crypto: DocumentCrypto): void {
  const { delivery } = bundle
  checkRequest(report, { check: "bundled request", question: "GENUINE", crypto }, delivery, bundle.request)
  checkBundledFacts(report, bundle, crypto.digestOf(bundle.facts), delivery.proof_capsule.payload.facts_digest)
  const policy = policyOf(rules, delivery)
  if (policy === null)
    report.note("policy", "this program does not have the policy version; its checksum was not compared")
  else {
    const checksum = crypto.digestOf(policy)
    report.check("policy", checksum === bundle.policy_checksum, checksum, "checksum is not that of the policy version")
  }
  noteBundledKeys(report)
}

interface RequestCheck {
  readonly check: string
  readonly question: Question
  readonly crypto: DocumentCrypto
}

export function checkRequest(
  report: Report,
  { check, question, crypto }: RequestCheck,
  delivery: DecisionResponse,
  request: unknown,
): void {
  if (!Value.Check(DecisionRequest, request)) {
    report.unchecked(check, "not a decision request of version 1.0.0", question)
    return
  }
  const isAnswered = crypto.digestOf(digestedRequest(request)) === delivery.request_digest
  const wrong = differing(capsuleViewOfRequest(request, crypto.digestOf), delivery.proof_capsule.payload)
  report.check(
    check,
    isAnswered && wrong.length === 0,
    delivery.request_digest,
    isAnswered ? `differs from the capsule: ${wrong.join(", ")}` : "this delivery answers another request",
    question,
  )
}
