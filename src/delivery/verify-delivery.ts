/**
 * Verifies a delivery offline: exact bytes, digests, signature, key, time. Fails on any edit outside `billing` and `delivery` even
 * when every digest that needs no key was recomputed, because the signed capsule covers the digest of all the rest. Those two are
 * covered by a digest anyone can recompute, and the report says so.
 */
import { Value } from "@sinclair/typebox/value"
import type { DecisionResponse } from "../../schemas/us/decision-response.ts"
import type { DeliveryBundle } from "../../schemas/us/delivery-bundle.ts"
import { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { MachineAction } from "../../schemas/us/proof-capsule.ts"
import { canonicalBytes, canonicalize } from "../core/canonical-json.ts"
import { capsuleViewOfCore, capsuleViewOfRequest, coreOf, responseDigest } from "../core/capsule.ts"
import { digestOf, without } from "../core/digest.ts"
import { formatInstant, parseInstant, SECOND } from "../core/time.ts"
import { type ReplayRules, readDeliveryDocument, snapshotsOf } from "./bundle.ts"
import { checkSignature, type IssuerKeys } from "./issuer-keys.ts"
import { Report } from "./report.ts"

export interface VerifyInput {
  readonly bytes: Uint8Array
  readonly keys: IssuerKeys
  /** ms: the time the delivery is judged at. */
  readonly at: number
  /** Accept other bytes than the canonical ones, e.g. a pretty-printed copy. */
  readonly reformatted: boolean
  /** The parsed request this must be the answer to. */
  readonly request?: unknown
  readonly require?: MachineAction
}

export interface VerifyResult {
  readonly report: Report
  /** Null when the document could not be read. */
  readonly delivery: DecisionResponse | null
}

/** Clocks of two honest machines differ; only the start of the window forgives it, never its end. */
const SKEW_MAX = 30 * SECOND

export function verifyDelivery(input: VerifyInput, rules: ReplayRules): VerifyResult {
  const report = new Report()
  const document = readDeliveryDocument(input.bytes, report)
  if (!document) return { report, delivery: null }
  const { delivery, bundle } = document
  if (input.reformatted) report.note("bytes", "not compared: --reformatted")
  else {
    const isExact = Buffer.compare(canonicalBytes(document.value), input.bytes) === 0
    report.check(
      "bytes",
      isExact,
      "SVC-C14N-JSON-1",
      "not the canonical bytes that were sent (--reformatted allows them)",
    )
  }
  checkDigests(report, delivery)
  checkCapsuleAgrees(report, delivery)
  checkSignature(report, delivery.proof_capsule, input.keys)
  checkTime(report, delivery, input.at)
  if (bundle) checkBundle(report, bundle, rules)
  if (input.request !== undefined) checkRequest(report, "request", delivery, input.request, rules)
  if (input.require !== undefined) {
    const { machine_action: action } = delivery
    report.check("require", action === input.require, action, `machine_action is ${action}, not ${input.require}`)
  }
  const { environment } = delivery.proof_capsule.payload
  report.note("environment", environment === "live" ? "live" : "test: no decision about real money")
  report.note("billing, delivery", "digest only, not signed")
  report.note("revocation", "offline: the key's status is as of the issuer keys given")
  return { report, delivery }
}

function checkDigests(report: Report, delivery: DecisionResponse): void {
  const { proof_capsule: capsule, economic_risk: risk } = delivery
  const assessment = digestOf(without(risk, "assessment_digest", "assessment_id"))
  const same = (name: string, computed: string, stated: string) =>
    report.check(name, computed === stated, stated, "does not recompute")
  same("response digest", responseDigest(delivery), delivery.delivery.response_digest)
  same("capsule digest", digestOf(capsule.payload), capsule.capsule_digest)
  same("core digest", digestOf(coreOf(delivery)), capsule.payload.core_digest)
  same("assessment digest", assessment, risk.assessment_digest)
  same("assessment id", `asm_${assessment.slice("sha256:".length, "sha256:".length + 32)}`, risk.assessment_id)
}

function checkCapsuleAgrees(report: Report, delivery: DecisionResponse): void {
  const wrong = differing(capsuleViewOfCore(coreOf(delivery)), delivery.proof_capsule.payload)
  report.check(
    "capsule",
    wrong.length === 0,
    "agrees with the response",
    `differs from the response: ${wrong.join(", ")}`,
  )
}

function checkTime(report: Report, delivery: DecisionResponse, at: number): void {
  const { valid_as_of: from, valid_until: until } = delivery
  const start = parseInstant(from)
  const end = parseInstant(until)
  if (start === null || end === null) {
    report.check("time", false, "", "a validity time does not exist")
  } else if (at < start - SKEW_MAX) {
    report.check("time", false, "", `not valid before ${from}`)
  } else {
    report.check("time", at < end, `valid until ${until}`, `expired ${until}, judged at ${formatInstant(at)}`)
  }
}

function checkBundle(report: Report, bundle: DeliveryBundle, rules: ReplayRules): void {
  const { delivery, facts } = bundle
  checkRequest(report, "bundled request", delivery, bundle.request, rules)
  const factsDigest = delivery.proof_capsule.payload.facts_digest
  report.check("bundled facts", digestOf(facts) === factsDigest, factsDigest, "not the facts the capsule names")
  const namesThem = canonicalize(bundle.snapshots) === canonicalize(snapshotsOf(facts))
  report.check("bundled snapshots", namesThem, `${bundle.snapshots.length} as in the facts`, "not those of the facts")
  const checksum = rules.policyChecksum(delivery.policy.id, delivery.policy.version)
  if (checksum === null)
    report.note("policy", "this program does not have the policy version; its checksum was not compared")
  else
    report.check("policy", checksum === bundle.policy_checksum, checksum, "checksum is not that of the policy version")
  report.note("bundled issuer keys", "not used: a file does not vouch for itself")
}

function checkRequest(
  report: Report,
  name: string,
  delivery: DecisionResponse,
  request: unknown,
  rules: ReplayRules,
): void {
  if (!Value.Check(DecisionRequest, request)) {
    report.unchecked(name, "not a decision request of version 1.0.0")
    return
  }
  const isAnswered = rules.requestDigest(request) === delivery.request_digest
  const wrong = differing(capsuleViewOfRequest(request), delivery.proof_capsule.payload)
  report.check(
    name,
    isAnswered && wrong.length === 0,
    delivery.request_digest,
    isAnswered ? `differs from the capsule: ${wrong.join(", ")}` : "this delivery answers another request",
  )
}

function differing(expected: object, actual: object): string[] {
  const given: Readonly<Record<string, unknown>> = { ...actual }
  return Object.entries(expected).flatMap(([name, value]) =>
    canonicalize(value) === canonicalize(given[name]) ? [] : [name],
  )
}
