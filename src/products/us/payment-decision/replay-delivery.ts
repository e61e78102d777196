/**
 * Repeats the decision from the stored facts with the policy version it names, and compares bytes. This shows that the answer follows from
 * what the service knew at the time. It queries no source and signs and charges nothing.
 */
import type { DeliveryBundle } from "../../../../schemas/us/delivery-bundle.ts"
import { findPolicy } from "../../../checks/policy/find-policy.ts"
import { policyChecksum } from "../../../checks/policy/policy.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { capsulePayload, responseDigest } from "../../../core/capsule/capsule.ts"
import { coreOf } from "../../../core/capsule/capsule-view.ts"
import { digestOf } from "../../../core/digest.ts"
import { readDecisionDocument } from "../../../offline/kinds/decision-document.ts"
import { Report } from "../../../offline/report.ts"
import { checkBundledSignature } from "../../../offline/steps/bundled-keys.ts"
import { checkDigest } from "../../../offline/steps/content.ts"
import type { IssuerKeys } from "../../../offline/steps/issuer-keys.ts"
import { checkEnvironment } from "../../../offline/steps/terms.ts"
import type { ReplayRules } from "./bundle.ts"

/** `keys` null: use the keys of the bundle itself. That shows consistency, not origin. */
export function replayDelivery(bytes: Uint8Array, keys: IssuerKeys | null, rules: ReplayRules): Report {
  const report = new Report()
  const document = readDecisionDocument(bytes, report)
  if (!document) return report
  const { bundle } = document
  if (!bundle) {
    report.unchecked(
      "facts",
      "a delivery does not contain its facts; replay needs the bundle that bizauth export writes",
    )
    return report
  }
  const { environment } = bundle.delivery.proof_capsule.payload
  if (!checkEnvironment(report, environment) || !checkEnvironment(report, bundle.facts.environment)) return report
  checkPolicy(report, bundle, rules)
  compareDecisions(report, bundle, rules)
  const { proof_capsule: capsule, delivery } = bundle.delivery
  checkDigest(report, "response digest", responseDigest(bundle.delivery), delivery.response_digest)
  checkDigest(report, "capsule digest", digestOf(capsule.payload), capsule.capsule_digest)
  checkBundledSignature(report, capsule, keys, bundle.issuer_jwks)
  return report
}

function checkPolicy(report: Report, bundle: DeliveryBundle, rules: ReplayRules): void {
  const { id, version } = bundle.delivery.policy
  const policy = findPolicy(rules, id, version)
  if (policy === null) report.unchecked("policy", `this program does not have ${id} ${version}`)
  else {
    const isSame = policyChecksum(policy) === bundle.policy_checksum
    report.check("policy", isSame, `${id} ${version}`, "checksum is of another policy")
  }
}

function compareDecisions(report: Report, bundle: DeliveryBundle, rules: ReplayRules): void {
  const { delivery, request, facts } = bundle
  const again = rules.decide(request, facts, delivery.policy)
  if (again === null) return
  const isSame = canonicalize(again) === canonicalize(coreOf(delivery))
  report.check("decision", isSame, `${again.decision}, byte for byte`, "deciding again gives another answer")
  const payload = canonicalize(capsulePayload(again, request, facts))
  report.check(
    "capsule payload",
    payload === canonicalize(delivery.proof_capsule.payload),
    "byte for byte",
    "the capsule was made from something else",
  )
}
