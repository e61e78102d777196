/** The deliverable of an ACP job: its one text, and what binds its members to each other, to the requirement and to the job. */
import {
  ACP_TOKEN,
  type AcpDeliverable,
  type DeliverableIssuer,
  type FundingObservation,
} from "../../../schemas/acp/deliverable.ts"
import { ACP_DELIVERABLE_BYTES_MAX, ACP_DELIVERABLE_TYPE } from "../../../schemas/acp/terms.ts"
import type { DecisionResponse } from "../../../schemas/us/decision-response.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRICE } from "../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../canonical-json.ts"
import { type Digest, digestBytes } from "../digest.ts"
import { publicJwk } from "../jwk.ts"
import { keccak256 } from "../keccak256.ts"
import { deliverableFaults } from "./deliverable-faults.ts"
import { recoveryUri } from "./deliverable-rules.ts"
import type { JobFacts } from "./job-binding-members.ts"

/** Everything that the text depends on. The same parts give the same text. */
export interface DeliverableParts {
  /** The job on the chain. The text has its addresses in lower case. */
  readonly job: JobFacts & { readonly escrowContract: string; readonly offeringId: string }
  /** Of the final requirement: `requirementDigest` and the digest of `jobBindingBytes`. */
  readonly requirementDigest: Digest
  readonly bindingDigest: Digest
  readonly request: Pick<DecisionRequest, "correlation">
  /** The final body. `settlementReference` makes its `billing.settlement_reference`. */
  readonly response: DecisionResponse
  readonly funding: Funding
  readonly issuer: DeliverableIssuerParts
  /** RFC 3339. */
  readonly issuedAt: string
}

/** The log `JobFunded` in a safe block. Hashes are `0x` and 64 hex digits. */
export interface Funding {
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly blockHash: string
  readonly safeBlockNumber: bigint
  readonly safeBlockHash: string
  /** Null if the escrow contract is no proxy. */
  readonly implementation: string | null
}

/**
 * The statement key that signed the capsule. Name and key id are the capsule's own. Both addresses are made from the origin that the signed
 * response names, so that a later change of `base_url` cannot part them.
 */
interface DeliverableIssuerParts {
  /** The public key, base64url. */
  readonly x: string
  /** Path of the published key set. */
  readonly jwksPath: string
  /** Path that says whether the key is revoked. */
  readonly revocationPath: string
}

export interface FrozenDeliverable {
  readonly deliverable: AcpDeliverable
  /** Canonical JSON: the exact text to keep, to post and to hash. */
  readonly text: string
  readonly sha256: Digest
  /** `0x` and 64 lower-case hex digits: the argument of `submit`. */
  readonly keccak256: `0x${string}`
}

/** The text would be over {@link ACP_DELIVERABLE_BYTES_MAX}. It cannot be delivered. */
export class DeliverableTooLarge extends Error {
  override readonly name = "DeliverableTooLarge"

  constructor(readonly bytes: number) {
    super(`the deliverable has ${bytes} bytes, and at most ${ACP_DELIVERABLE_BYTES_MAX} are allowed`)
  }
}

/** Throws {@link DeliverableTooLarge}. Throws a TypeError for parts that do not belong together: that is a bug. */
export function deliverableOf(parts: DeliverableParts): FrozenDeliverable {
  const deliverable = deliverableFrom(parts)
  const text = canonicalize(deliverable)
  const bytes = Buffer.byteLength(text)
  if (bytes > ACP_DELIVERABLE_BYTES_MAX) throw new DeliverableTooLarge(bytes)
  const [fault] = deliverableFaults(deliverable)
  if (fault) throw new TypeError(`the parts make no deliverable: ${fault.code} at ${fault.pointer}`)
  return { deliverable, text, sha256: digestBytes(text), keccak256: keccak256(text) }
}

function deliverableFrom(parts: DeliverableParts): AcpDeliverable {
  const { job, request, response } = parts
  return {
    deliverable_version: 3,
    type: ACP_DELIVERABLE_TYPE,
    product: response.product,
    job: {
      chain_id: job.chainId as AcpDeliverable["job"]["chain_id"],
      escrow_contract: job.escrowContract.toLowerCase(),
      on_chain_job_id: job.onChainJobId,
      client_address: job.clientAddress.toLowerCase(),
      provider_address: job.providerAddress.toLowerCase(),
      offering_id: job.offeringId,
    },
    requirement_digest: parts.requirementDigest,
    binding_digest: parts.bindingDigest,
    request_digest: response.request_digest,
    correlation: request.correlation,
    funding_observation: observationOf(parts.funding),
    response,
    response_digest: response.delivery.response_digest,
    issuer: issuerOf(response, parts.issuer),
    facts_at_issue: {
      funding: "SAFE",
      submission: "NOT_ASSERTED",
      completion: "NOT_ASSERTED",
      supplier_payout: "NOT_ASSERTED",
      refund: "NOT_ASSERTED",
    },
    recovery: { method: "POST", uri: recoveryUri(response), payment_required: false },
    issued_at: parts.issuedAt,
  }
}

function observationOf(funding: Funding): FundingObservation {
  return {
    tx_hash: funding.txHash.toLowerCase(),
    log_index: funding.logIndex,
    block_number: String(funding.blockNumber),
    block_hash: funding.blockHash.toLowerCase(),
    safe_block_number: String(funding.safeBlockNumber),
    safe_block_hash: funding.safeBlockHash.toLowerCase(),
    token: ACP_TOKEN,
    amount_atomic: PAYMENT_DECISION_PRICE.amount_atomic,
    implementation: funding.implementation?.toLowerCase() ?? null,
  }
}

function issuerOf(response: DecisionResponse, parts: DeliverableIssuerParts): DeliverableIssuer {
  const { payload, signature } = response.proof_capsule
  const { origin } = new URL(recoveryUri(response))
  return {
    name: payload.issuer,
    key_id: signature.key_id,
    jwk: publicJwk(parts.x),
    jwks_uri: origin + parts.jwksPath,
    revocation_uri: origin + parts.revocationPath,
  }
}
