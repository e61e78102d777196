/** Signs the final requirement of an ACP job on the buyer's machine. No network, no file, no environment, no clock: everything is given. */
import { sign, verify } from "node:crypto"
import type { AcpRequirement, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import { ACP_REQUIREMENT_BYTES_MAX } from "../../../schemas/acp/terms.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { type JobFault, jobBinding, jobBindingBytes, jobFault } from "../../core/jobs/job-binding.ts"
import type { JobFacts } from "../../core/jobs/job-binding-members.ts"
import { unsignedRequest } from "../../core/unsigned-request.ts"
import { BindingError } from "./binding-error.ts"
import { readDraft } from "./read-draft.ts"
import { readJob } from "./read-job.ts"
import { type BuyerKey, readPrivateKey } from "./read-private-key.ts"

/**
 * Returns a new final requirement: the draft with `buyer_authorization` over the binding to the job. The draft does not change.
 *
 * `draft`: envelope version 4 with `buyer_authorization: null`. `actualJob`: the job as the official client read it after creation.
 * `privateKey`: operational key of the requesting agent, as KeyObject, PKCS#8 PEM or private JWK. The same arguments give the same bytes.
 *
 * Throws {@link BindingError} that names the field and what was expected.
 */
export function bindRequirement(draft: unknown, actualJob: unknown, privateKey: unknown): AcpRequirement {
  const requirement = readDraft(draft)
  const job = readJob(actualJob)
  const key = readPrivateKey(privateKey)
  requireSameJob(requirement, job)
  requireOwnRequest(requirement, key)
  const signature = sign(null, jobBindingBytes(jobBinding(requirement, job)), key.privateKey).toString("base64url")
  const final: AcpRequirement = { ...requirement, buyer_authorization: { algorithm: "Ed25519", signature } }
  if (canonicalBytes(final).length > ACP_REQUIREMENT_BYTES_MAX) {
    throw new BindingError(
      "DRAFT_INVALID",
      "draft",
      `must have at most ${ACP_REQUIREMENT_BYTES_MAX} bytes once it is signed`,
    )
  }
  return final
}

const JOB_DIFFERS: Readonly<
  Record<JobFault, readonly ["JOB_INVALID" | "PROVIDER_DIFFERS" | "CLIENT_DIFFERS", string, string]>
> = {
  CHAIN_DIFFERS: ["JOB_INVALID", "chainId", "must be the chain of draft/purchase/network"],
  PROVIDER_DIFFERS: ["PROVIDER_DIFFERS", "providerAddress", "must be draft/offering/provider_address"],
  CLIENT_DIFFERS: [
    "CLIENT_DIFFERS",
    "clientAddress",
    "must be draft/request/decision_fee_payer: the signed request and its mandate permit no other wallet to pay",
  ],
}

function requireSameJob(requirement: AcpRequirementDraft, job: JobFacts): void {
  const fault = jobFault(requirement, job)
  if (fault === null) return
  const [code, member, expected] = JOB_DIFFERS[fault]
  throw new BindingError(code, `actualJob/${member}`, expected)
}

/** CHOICE: a request that this key did not sign is refused. A provider would ignore it, and the job would run out. */
function requireOwnRequest({ request }: AcpRequirementDraft, { keyId, publicKey }: BuyerKey): void {
  const { key_id, request_signature } = request.requesting_agent
  if (keyId !== key_id) {
    throw new BindingError(
      "KEY_DIFFERS",
      "privateKey",
      "must be the key that draft/request/requesting_agent/key_id names",
    )
  }
  const signature = Buffer.from(request_signature, "base64url")
  const isOwn = signature.length === 64 && verify(null, canonicalBytes(unsignedRequest(request)), publicKey, signature)
  if (isOwn) return
  throw new BindingError(
    "REQUEST_NOT_SIGNED",
    "draft/request/requesting_agent/request_signature",
    "must be the signature of this request by the same key; sign the request again if it changed",
  )
}
