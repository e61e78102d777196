/** The job binding that buyer and provider each make from a requirement and a job. The published signing module contains this file. */
import type { JobBinding } from "../../../schemas/acp/job-binding.ts"
import { ACP_CHAIN_ID } from "../../../schemas/acp/terms.ts"
import { canonicalBytes } from "../canonical-json.ts"
import { type Digest, digestOf } from "../digest.ts"
import { bindingOf, digestedRequirement, type JobFacts, type Requirement } from "./job-binding-members.ts"

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
  return digestOf(digestedRequirement(requirement))
}

/** Returns the binding of a requirement to a job. Use {@link jobFault} first: a binding states the facts and does not compare them. */
export function jobBinding(requirement: Requirement, job: JobFacts): JobBinding {
  return bindingOf(requirement, job, requirementDigest(requirement))
}

/** Returns the bytes that Ed25519 signs. Nothing is prepended (rulings 2). */
export function jobBindingBytes(binding: JobBinding): Uint8Array {
  return canonicalBytes(binding)
}
