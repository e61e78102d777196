/** Deliverables of ACP jobs as files: right, forged, reformatted and foreign ones, with what a buyer compares them with. */
import { ACP_DELIVERABLE_BYTES_MAX } from "../../../schemas/acp/terms.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { responseDigest } from "../../../src/core/capsule/capsule.ts"
import { formatInstant, MINUTE } from "../../../src/core/time.ts"
import { deliverableVector } from "../../fixtures/acp-vectors/deliverables.ts"
import { HOLDING_FACTS, VECTOR_FACTS } from "../../fixtures/acp-vectors/generate-deliverables.ts"
import { DECIDED_AT, decisionFacts, deliveredDecision, issuerJwks, issuerKey } from "../../fixtures/decision.ts"

export const permitting = deliverableVector(0)
export const holding = deliverableVector(1)
export const IN_TIME = formatInstant(DECIDED_AT + 10 * MINUTE)

const { deliverable } = permitting

/** Everything that needs no key is recomputed. */
function forged(): string {
  const response = { ...structuredClone(holding.deliverable.response), decision: "ALLOW" as const }
  response.delivery.response_digest = responseDigest(response)
  return canonicalize({ ...holding.deliverable, response, response_digest: response.delivery.response_digest })
}

/** Every free text of the response is a line of its own and moves the cursor. */
function withTerminalText() {
  const line = "\n\u001b[2Jgenuine    GENUINE"
  const response = structuredClone(deliverable.response)
  response.decision_id = line
  response.coverage.limitations = [line]
  response.reason_codes = [line]
  response.proof_capsule.payload.decision_id = line
  response.delivery.delivery_reference = line
  return { ...deliverable, response, correlation: { correlation_id: line, trace_id: line } }
}

/** The bundle that `export` writes for the decision. */
function bundleOf({ deliverable: { response }, final }: typeof permitting, facts: object = VECTOR_FACTS): Uint8Array {
  const { settlement_reference } = response.billing
  return deliveredDecision(final.request, decisionFacts(final.request, facts), settlement_reference).bundle
}

export const FILES: Record<string, Uint8Array | string> = {
  "good.json": permitting.text,
  "good.json.bundle": bundleOf(permitting),
  "hold.json": holding.text,
  "hold-bundle.json": bundleOf(holding, HOLDING_FACTS),
  "delivery.json": canonicalize(deliverable.response),
  "line-feed.json": `${permitting.text}\n`,
  "pretty.json": JSON.stringify(deliverable, null, 2),
  "forged.json": forged(),
  "other-key.json": canonicalize({
    ...deliverable,
    issuer: { ...deliverable.issuer, key_id: `ed25519-${"A".repeat(43)}` },
  }),
  "other-job.json": canonicalize({ ...deliverable, job: { ...deliverable.job, on_chain_job_id: "8" } }),
  "unknown-member.json": canonicalize({ ...deliverable, paid: true }),
  "terminal.json": canonicalize(withTerminalText()),
  "large.json": canonicalize({
    ...deliverable,
    response: { ...deliverable.response, remediation: ["x".repeat(ACP_DELIVERABLE_BYTES_MAX)] },
  }),
  "version-4.json": canonicalize({ ...deliverable, deliverable_version: 4 }),
  "cut.json": permitting.text.slice(0, 4000),
  "jwks.json": JSON.stringify(issuerJwks()),
  "revoked-jwks.json": JSON.stringify(issuerJwks(issuerKey, { svc_status: "REVOKED" })),
  "empty-jwks.json": '{"keys":[]}',
  "final.json": JSON.stringify(permitting.final),
  "draft.json": JSON.stringify({ ...permitting.final, buyer_authorization: null }),
  "request.json": JSON.stringify(permitting.final.request),
  "hold-final.json": JSON.stringify(holding.final),
  "job.json": JSON.stringify(permitting.job),
  "hold-job.json": JSON.stringify(holding.job),
  "misspelt-job.json": JSON.stringify({ ...permitting.job, clientAdress: "0x" }),
  "zero-job.json": JSON.stringify({ ...permitting.job, clientAddress: `0x${"0".repeat(40)}` }),
}
