/** The rules that a deliverable of the schema must meet. Hashes are parameters: it runs in a browser. */
import type { AcpDeliverable } from "../../../schemas/acp/deliverable.ts"
import type { AcpRequirement } from "../../../schemas/acp/requirement.ts"
import { ACP_DELIVERABLE_BYTES_MAX } from "../../../schemas/acp/terms.ts"
import type { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { canonicalize } from "../canonical-json.ts"
import { digestedResponse } from "../capsule/capsule-view.ts"
import type { DocumentCrypto } from "../crypto/document-crypto.ts"
import type { Digest } from "../digest.ts"
import { keccak256 } from "../keccak256.ts"
import { bindingOf, digestedRequirement, type JobFacts } from "./job-binding-members.ts"
import { settlementReference } from "./settlement-reference.ts"

/**
 * TOO_LARGE, NOT_JSON, NOT_CANONICAL: the text. SCHEMA: a member is missing, unknown or malformed. ISSUER_DIFFERS: not the issuer of the
 * capsule, or an address of another service. RECOVERY_DIFFERS: not the recovery address of the response. FUNDING_NOT_SAFE: the funding lies
 * after the safe block. REQUEST_DIGEST, REQUIREMENT_DIGEST, BINDING_DIGEST, CORRELATION: not of the requirement (REQUEST_DIGEST also: not
 * of the response). JOB_DIFFERS: not the job of the facts or the requirement. SUBMITTED_HASH: not the text of which the hash was submitted.
 */
export type DeliverableFaultCode =
  | "TOO_LARGE"
  | "NOT_JSON"
  | "NOT_CANONICAL"
  | "SCHEMA"
  | "RESPONSE_DIGEST"
  | "REQUEST_DIGEST"
  | "SETTLEMENT_REFERENCE"
  | "FUNDING_NOT_SAFE"
  | "ISSUER_DIFFERS"
  | "RECOVERY_DIFFERS"
  | "REQUIREMENT_DIGEST"
  | "BINDING_DIGEST"
  | "CORRELATION"
  | "JOB_DIFFERS"
  | "SUBMITTED_HASH"

export interface DeliverableFault {
  readonly code: DeliverableFaultCode
  /** RFC 6901 pointer of the member; empty for the whole. */
  readonly pointer: string
}

/** What the reader knows from elsewhere. What is absent is not compared. */
export interface DeliverableExpectations {
  /** The final requirement that the buyer sent, and the request digest of its request. */
  readonly requirement?: { readonly final: AcpRequirement; readonly requestDigest: Digest }
  /** The job as read on the chain. */
  readonly job?: JobFacts
  /** The hash of the event `JobSubmitted`: `0x` and 64 hex digits. */
  readonly submitted?: string
}

/** The hashes that the rules recompute. */
type Hashes = Pick<DocumentCrypto, "digestOf" | "keyIdOf">

/** Returns every fault of a deliverable of the schema, in a fixed order. It checks no signature. */
export function memberFaults(
  deliverable: AcpDeliverable,
  expected: DeliverableExpectations,
  hashes: Hashes,
): readonly DeliverableFault[] {
  const own = ownFaults(deliverable, hashes)
  const found = [...own, ...requirementFaults(deliverable, expected, hashes), ...jobFaults(deliverable, expected)]
  const members = found.map(([code, pointer]) => ({ code, pointer }))
  return [...textFaults(canonicalize(deliverable), expected), ...members]
}

/** Returns the faults of the whole text. `canonical` is the canonical text of the deliverable. */
export function textFaults(canonical: string, { submitted }: DeliverableExpectations): readonly DeliverableFault[] {
  const isTooLarge = new TextEncoder().encode(canonical).length > ACP_DELIVERABLE_BYTES_MAX
  const isOther = submitted !== undefined && keccak256(canonical) !== submitted.toLowerCase()
  return [
    ...(isTooLarge ? [{ code: "TOO_LARGE", pointer: "" } as const] : []),
    ...(isOther ? [{ code: "SUBMITTED_HASH", pointer: "" } as const] : []),
  ]
}

type Found = readonly [code: DeliverableFaultCode, pointer: string]

/** What the members say about each other. */
function* ownFaults(
  { job, response, funding_observation: funding, ...members }: AcpDeliverable,
  hashes: Hashes,
): Iterable<Found> {
  const stated = response.delivery.response_digest
  if (hashes.digestOf(digestedResponse(response)) !== stated)
    yield ["RESPONSE_DIGEST", "/response/delivery/response_digest"]
  if (members.response_digest !== stated) yield ["RESPONSE_DIGEST", "/response_digest"]
  if (members.request_digest !== response.request_digest) yield ["REQUEST_DIGEST", "/request_digest"]
  const settled = { chainId: job.chain_id, escrowContract: job.escrow_contract, onChainJobId: job.on_chain_job_id }
  if (response.billing.settlement_reference !== settlementReference(settled, funding.tx_hash)) {
    yield ["SETTLEMENT_REFERENCE", "/response/billing/settlement_reference"]
  }
  const behind = BigInt(funding.safe_block_number) - BigInt(funding.block_number)
  if (behind < 0n) yield ["FUNDING_NOT_SAFE", "/funding_observation/safe_block_number"]
  if (behind === 0n && funding.safe_block_hash !== funding.block_hash) {
    yield ["FUNDING_NOT_SAFE", "/funding_observation/safe_block_hash"]
  }
  yield* issuerFaults({ response, ...members }, hashes)
}

/** The response signs the address of its recovery route, so the addresses of the issuer must have the same origin. */
function* issuerFaults(
  {
    response: { proof_capsule: capsule, replay },
    issuer,
    recovery,
  }: Pick<AcpDeliverable, "response" | "issuer" | "recovery">,
  { keyIdOf }: Hashes,
): Iterable<Found> {
  if (issuer.name !== capsule.payload.issuer || issuer.name !== capsule.signature.issuer) {
    yield ["ISSUER_DIFFERS", "/issuer/name"]
  }
  if (issuer.key_id !== capsule.signature.key_id) yield ["ISSUER_DIFFERS", "/issuer/key_id"]
  if (keyIdOf(issuer.jwk.x) !== issuer.key_id) yield ["ISSUER_DIFFERS", "/issuer/jwk"]
  if (recovery.uri !== recoveryUri({ replay })) yield ["RECOVERY_DIFFERS", "/recovery/uri"]
  const origin = originOf(replay.reference)
  for (const name of ["jwks_uri", "revocation_uri"] as const) {
    if (originOf(issuer[name]) !== origin) yield ["ISSUER_DIFFERS", `/issuer/${name}`]
  }
}

/** Returns the address of the recovery route that a response names: its replay reference without the decision. */
export function recoveryUri({ replay }: Pick<DecisionResponse, "replay">): string {
  return replay.reference.split("#", 1)[0] ?? ""
}

/** An address without an origin of its own has the origin of no service. */
function originOf(uri: string): string | null {
  return URL.parse(uri)?.origin ?? null
}

function* requirementFaults(
  { job, ...members }: AcpDeliverable,
  { requirement }: DeliverableExpectations,
  { digestOf }: Hashes,
): Iterable<Found> {
  if (requirement === undefined) return
  const { final, requestDigest } = requirement
  const requirementDigest = digestOf(digestedRequirement(final))
  if (members.requirement_digest !== requirementDigest) yield ["REQUIREMENT_DIGEST", "/requirement_digest"]
  if (members.response.request_digest !== requestDigest) yield ["REQUEST_DIGEST", "/response/request_digest"]
  const facts: JobFacts = {
    onChainJobId: job.on_chain_job_id,
    chainId: job.chain_id,
    clientAddress: job.client_address,
    providerAddress: job.provider_address,
  }
  const binding = digestOf(bindingOf(final, facts, requirementDigest))
  if (members.binding_digest !== binding) yield ["BINDING_DIGEST", "/binding_digest"]
  const { correlation_id, trace_id } = final.request.correlation
  if (members.correlation.correlation_id !== correlation_id) yield ["CORRELATION", "/correlation/correlation_id"]
  if (members.correlation.trace_id !== trace_id) yield ["CORRELATION", "/correlation/trace_id"]
}

/** Compares the job with the facts from the chain, and with what the requirement says about it. */
function* jobFaults({ job }: AcpDeliverable, { job: facts, requirement }: DeliverableExpectations): Iterable<Found> {
  const offering = requirement?.final.offering
  const wanted: readonly (readonly [keyof AcpDeliverable["job"], ...(string | number | undefined)[]])[] = [
    ["chain_id", facts?.chainId],
    ["escrow_contract", offering?.escrow_contract],
    ["on_chain_job_id", facts?.onChainJobId],
    ["client_address", facts?.clientAddress, requirement?.final.request.decision_fee_payer],
    ["provider_address", facts?.providerAddress, offering?.provider_address],
    ["offering_id", offering?.id],
  ]
  for (const [name, ...values] of wanted) {
    const isOther = (value: string | number | undefined) =>
      value !== undefined && form(name, value) !== String(job[name])
    if (values.some(isOther)) yield ["JOB_DIFFERS", `/job/${name}`]
  }
}

/** Only an address is compared without its case (rulings 7). */
function form(name: string, value: string | number): string {
  return name === "offering_id" ? String(value) : String(value).toLowerCase()
}
