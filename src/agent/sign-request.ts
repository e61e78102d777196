import type { BuyerMandate } from "../../schemas/us/mandate.ts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { digestFaults, requestSigningBytes } from "../checks/policy/digests.ts"
import { signWith } from "../core/ed25519.ts"
import { isSignedForm } from "../core/signed-forms.ts"
import { unsignedRequest } from "../core/unsigned-request.ts"
import type { RequestDraft } from "./forms/request-draft.ts"
import type { SigningKey } from "./keys.ts"

/**
 * Returns the complete request with the agent's signature. It signs exactly the form DECISION_REQUEST and recomputes every digest in it. A
 * mismatch here is a bug, because draft and mandate were checked before.
 */
export function signRequest(draft: RequestDraft, mandate: BuyerMandate, key: SigningKey): DecisionRequest {
  const request: DecisionRequest = { ...draft, buyer_mandate: mandate }
  const faults = digestFaults(request)
  if (!isSignedForm("DECISION_REQUEST", unsignedRequest(request)) || faults.length > 0) {
    throw new Error(`not a request to sign: ${faults.join(" ")}`)
  }
  const signature = signWith(key.privateKey, requestSigningBytes(request))
  return { ...request, requesting_agent: { ...request.requesting_agent, request_signature: signature } }
}
