/**
 * Verifies a Payment Decision offline: exact bytes, digests, signature, key, time. The signed capsule covers the digest of everything
 * except `billing` and `delivery`. So any other edit fails, even if every digest that needs no key was recomputed. `billing` and `delivery`
 * have only a digest that anyone can recompute, and the report says so.
 */
import { Value } from "@sinclair/typebox/value"
import type { Case } from "../../../schemas/case.ts"
import type { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { caseOf } from "../../case/case-of.ts"
import { findPolicy } from "../../checks/policy/find-policy.ts"
import { reasonsInWords } from "../../checks/policy/reasons-in-words.ts"
import { idOfContent } from "../../core/agent-id.ts"
import { capsuleViewOfCore, capsuleViewOfRequest, coreOf, digestedResponse } from "../../core/capsule/capsule-view.ts"
import { digestedRequest } from "../../core/unsigned-request.ts"
import { without } from "../../core/without.ts"
import { examine, type Kind, type Step } from "../examine.ts"
import type { Report } from "../report.ts"
import {
  checkAgreement,
  checkBundledFacts,
  checkDigest,
  checkPolicy,
  differing,
  noteBundledKeys,
  type RequestCheck,
} from "../steps/content.ts"
import { bytesStep, type OpenedDocument, permittingSteps } from "../steps/shared-steps.ts"
import { checkEnvironment } from "../steps/terms.ts"
import type { Stated, VerifyInput, VerifyResult } from "../verify-input.ts"
import { type DecisionDocument, type DecisionForm, readDecisionDocument } from "./decision-document.ts"

interface DecisionInput extends VerifyInput {
  readonly decision: DecisionForm
}

/** A delivery, alone or in the deliverable of a job. */
export interface OpenedDelivery extends OpenedDocument {
  readonly delivery: DecisionResponse
}

type DeliveryStep = Step<VerifyInput, OpenedDelivery>

export function verifyDecision(input: VerifyInput, decision: DecisionForm): VerifyResult {
  const { report, document } = examine(DECISION, { ...input, decision })
  if (document === null) return { report, stated: null, case: null }
  const { delivery, bundle } = document
  const given = { request: bundle?.request ?? input.request, facts: bundle?.facts }
  return { report, stated: statedBy(delivery, decision), case: caseBy(delivery, given, decision) }
}

/** What every kind judges of a delivery. Null after reporting that it is synthetic. */
export function openDelivery(report: Report, delivery: DecisionResponse): Omit<OpenedDelivery, "value"> | null {
  const { proof_capsule: signed, machine_action: action } = delivery
  const { environment } = signed.payload
  return checkEnvironment(report, environment) ? { delivery, signed, window: delivery, environment, action } : null
}

const digests: DeliveryStep = ({ report, document: { delivery }, given }) => {
  const { digestOf } = given.crypto
  const { proof_capsule: capsule, economic_risk: risk } = delivery
  const assessment = digestOf(without(risk, "assessment_digest", "assessment_id"))
  checkDigest(report, "response digest", digestOf(digestedResponse(delivery)), delivery.delivery.response_digest)
  checkDigest(report, "capsule digest", digestOf(capsule.payload), capsule.capsule_digest)
  checkDigest(report, "core digest", digestOf(coreOf(delivery)), capsule.payload.core_digest)
  checkDigest(report, "assessment digest", assessment, risk.assessment_digest)
  checkDigest(report, "assessment id", idOfContent("asm", assessment), risk.assessment_id)
}

const capsule: DeliveryStep = ({ report, document: { delivery }, given }) =>
  checkAgreement(report, capsuleViewOfCore(coreOf(delivery), given.crypto.digestOf), delivery.proof_capsule.payload)

/** What a delivery says about itself, alone or in a deliverable. */
export const DELIVERY_DIGESTS: readonly DeliveryStep[] = [digests, capsule]

type DecisionStep = Step<DecisionInput, OpenedDelivery & DecisionDocument>

const bundled: DecisionStep = ({ report, document: { delivery, bundle }, given: { decision, crypto } }) => {
  if (bundle === null) return
  checkRequest(report, { check: "bundled request", question: "GENUINE", crypto }, delivery, bundle.request)
  checkBundledFacts(report, bundle, crypto.digestOf(bundle.facts), delivery.proof_capsule.payload.facts_digest)
  checkPolicy(report, findPolicy(decision, delivery.policy), bundle.policy_checksum, crypto)
  noteBundledKeys(report)
}

/** The request that the reader gave. */
export const requestStep: DeliveryStep = ({ report, document: { delivery }, given: { request, crypto } }) => {
  if (request !== undefined) checkRequest(report, { check: "request", question: "ASKED", crypto }, delivery, request)
}

const unsigned: DecisionStep = ({ report }) => report.unsigned("billing, delivery", "digest only, not signed")

const DECISION: Kind<DecisionInput, OpenedDelivery & DecisionDocument> = {
  open: ({ bytes }, report) => {
    const document = readDecisionDocument(bytes, report)
    const opened = document && openDelivery(report, document.delivery)
    return opened && { ...document, ...opened }
  },
  steps: permittingSteps({
    content: [bytesStep, ...DELIVERY_DIGESTS],
    compared: [bundled, requestStep],
    unsigned: [unsigned],
  }),
}

export function statedBy(delivery: DecisionResponse, rules: DecisionForm): Stated {
  return {
    product: delivery.product,
    decisionId: delivery.decision_id,
    reference: delivery.delivery.response_digest,
    decision: delivery.decision,
    machineAction: delivery.machine_action,
    reasons: reasonsInWords(findPolicy(rules, delivery.policy)?.reasons ?? null, delivery),
    validUntil: delivery.valid_until,
    environment: delivery.proof_capsule.payload.environment,
  }
}

/** The report compares the request that a reader gives, so the case may show it. */
export function caseBy(
  delivery: DecisionResponse,
  given: { readonly request?: unknown; readonly facts?: unknown },
  rules: DecisionForm,
): Case | null {
  return caseOf({ answer: delivery, ...given, policy: findPolicy(rules, delivery.policy) })
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
    {
      ok: delivery.request_digest,
      invalid: isAnswered ? `differs from the capsule: ${wrong.join(", ")}` : "this delivery answers another request",
    },
    question,
  )
}
