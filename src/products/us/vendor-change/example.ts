import type { VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { requestSigningBytes } from "../../../checks/policy/digests.ts"
import { signWith } from "../../../core/ed25519.ts"
import type { Signer } from "../../../core/signer.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { EXAMPLE_BUYER, exampleChallenge, exampleDestination, usExample } from "../example-members.ts"

/** A change to a first destination, signed by `agent`. `changes` are applied before the signature. */
export function vendorChangeExample(
  call: ExampleCall,
  { audience, agent }: { readonly audience: string; readonly agent: Signer },
  changes: Partial<VendorChangeRequest> = {},
): VendorChangeRequest {
  return signChange(
    {
      ...usExample(call),
      domain: "svc.us-vendor-change.v1",
      audience,
      buyer: EXAMPLE_BUYER,
      requesting_agent: { agent_id: agent.issuer, key_id: agent.keyId, request_signature: "unsigned" },
      current_payee_fingerprint: null,
      proposed_payee_fingerprint: exampleDestination(`0x${"cd".repeat(20)}`).fingerprint,
      prior_authorization_reference: null,
      challenge: exampleChallenge(call.at, `call-back-${call.key}`),
      ...changes,
    },
    agent,
  )
}

/** Returns the same change with a signature by `agent` over its content. */
export function signChange(request: VendorChangeRequest, agent: Signer): VendorChangeRequest {
  const request_signature = signWith(agent.privateKey, requestSigningBytes(request))
  return { ...request, requesting_agent: { ...request.requesting_agent, request_signature } }
}
