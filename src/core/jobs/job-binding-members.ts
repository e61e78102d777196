/** The members of a job binding without its hashes, which are parameters: it runs in a browser. */
import type { JobBinding } from "../../../schemas/acp/job-binding.ts"
import type { AcpRequirement, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import { JOB_BINDING_TYPE } from "../../../schemas/acp/terms.ts"
import { CANONICALIZATION } from "../canonical-json.ts"
import { without } from "../without.ts"

/** A job as read on the chain. The names are those of the interface (`actualJob`). */
export interface JobFacts {
  /** Decimal digits without a leading zero. */
  readonly onChainJobId: string
  readonly chainId: number
  /** `0x` and 40 hex digits, in any case. */
  readonly clientAddress: string
  readonly providerAddress: string
}

export type Requirement = AcpRequirement | AcpRequirementDraft

/** Returns what the requirement digest covers: everything in the envelope except `buyer_authorization`. */
export function digestedRequirement(requirement: Requirement): object {
  return without(requirement, "buyer_authorization")
}

/** Returns the binding of a requirement to a job. `requirementDigest` is the digest of {@link digestedRequirement}. */
export function bindingOf(requirement: Requirement, job: JobFacts, requirementDigest: string): JobBinding {
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
    requirement_digest: requirementDigest,
    purchase_purpose: purchase.purpose,
    price_atomic: purchase.price_atomic,
    asset: purchase.asset,
    network: purchase.network,
    agent_id,
    key_id,
    ...(target_job === undefined ? {} : { target_job }),
  }
}
