import type { AcpRequirement } from "../../../schemas/acp/requirement.ts"
import { type SignatureFault, signatureFault } from "../ed25519.ts"
import { keyIdOf } from "../jwk.ts"
import { isSignedForm } from "../signed-forms.ts"
import { type JobFault, jobBinding, jobBindingBytes, jobFault } from "./job-binding.ts"
import type { JobFacts } from "./job-binding-members.ts"

/** NOT_A_BINDING: the facts have no form that may be signed, for example a job id with a leading zero. */
type JobBindingFault = JobFault | "KEY_DIFFERS" | "NOT_A_BINDING" | SignatureFault

/**
 * Returns the reason why `buyer_authorization` does not authorize this purchase, or null. `requirement` must match its schema. `job` must be
 * read on the chain, never taken from the message. `x` is the public key that the service has for `requesting_agent.key_id`; it must have
 * passed the key check. Delegation, mandate and author of the message are other checks.
 */
export function jobBindingFault(requirement: AcpRequirement, job: JobFacts, x: string): JobBindingFault | null {
  const fault = jobFault(requirement, job)
  if (fault !== null) return fault
  if (keyIdOf(x) !== requirement.request.requesting_agent.key_id) return "KEY_DIFFERS"
  const binding = jobBinding(requirement, job)
  if (!isSignedForm("JOB_BINDING", binding)) return "NOT_A_BINDING"
  return signatureFault(x, jobBindingBytes(binding), requirement.buyer_authorization.signature)
}
