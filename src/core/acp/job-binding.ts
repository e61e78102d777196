/** The job binding that buyer and provider each make from a requirement and a job. The published signing module contains this file. */
import type { JobBinding } from "../../../schemas/acp/job-binding.ts"
import type { AcpRequirement, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import { ACP_CHAIN_ID, JOB_BINDING_TYPE } from "../../../schemas/acp/terms.ts"
import { CANONICALIZATION, canonicalBytes } from "../canonical-json.ts"
import { type Digest, digestOf, without } from "../digest.ts"

/** A job as read on the chain. The names are those of the interface (`actualJob`). */
export interface JobFacts {
  /** Decimal digits without a leading zero. */
  readonly onChainJobId: string
  readonly chainId: number
  /** `0x` and 40 hex digits, in any case. */
  readonly clientAddress: string
  readonly providerAddress: string
}

type Requirement = AcpRequirement | AcpRequirementDraft

/**
 * CHAIN_DIFFERS: the job is on another chain. PROVIDER_DIFFERS: the envelope names another provider. CLIENT_DIFFERS: the signed request names
 * another fee payer, so its mandate does not permit this client to pay.
 */
export type JobFault = "CHAIN_DIFFERS" | "PROVIDER_DIFFERS" | "CLIENT_DIFFERS"

/** Returns the reason why a requirement does not belong to a job, or null. */
export function jobFault({ offering, request }: Requirement, job: JobFacts): JobFault | null {
  if (job.chainId !== ACP_CHAIN_ID) return "CHAIN_DIFFERS"
  if (!isSameAddress(offering.provider_address, job.providerAddress)) return "PROVIDER_DIFFERS"
  return isSameAddress(request.decision_fee_payer, job.clientAddress) ? null : "CLIENT_DIFFERS"
}

/** The mixed case of an EVM address is only a checksum (rulings 7). */
function isSameAddress(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase()
}

/** Returns the digest of everything in the envelope except `buyer_authorization`: the same for draft and final requirement. */
export function requirementDigest(requirement: Requirement): Digest {
  return digestOf(without(requirement, "buyer_authorization"))
}

/** Returns the binding of a requirement to a job. Use {@link jobFault} first: a binding states the facts and does not compare them. */
export function jobBinding(requirement: Requirement, job: JobFacts): JobBinding {
  const { offering, purchase, request, target_job } = requirement
  const { agent_id, key_id } = request.requesting_agent
  return {
    type: JOB_BINDING_TYPE,
    canonicalization: CANONICALIZATION,
    chain_id: job.chainId as JobBinding["chain_id"],
    on_chain_job_id: job.onChainJobId,
    acp_client_address: job.clientAddress.toLowerCase(),
    provider_address: job.providerAddress.toLowerCase(),
    offering_id: offering.id,
    offering_name: offering.name,
    requirement_digest: requirementDigest(requirement),
    purchase_purpose: purchase.purpose,
    price_atomic: purchase.price_atomic,
    asset: purchase.asset,
    network: purchase.network,
    agent_id,
    key_id,
    ...(target_job === undefined ? {} : { target_job }),
  }
}

/** Returns the bytes that Ed25519 signs. Nothing is prepended (rulings 2). */
export function jobBindingBytes(binding: JobBinding): Uint8Array {
  return canonicalBytes(binding)
}
