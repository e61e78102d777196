import { EVENT_RECEIPT_DOMAIN } from "../../schemas/agent-id/key-event.ts"
import type { EventReceiptPayload } from "../../schemas/agent-id/proof.ts"
import type { IdentityState } from "./identity-state.ts"
import { type SignedAnswer, type Signer, signedAnswer } from "./signer.ts"

/** Returns the service's signed receipt: it accepted the newest event of an identity, at this index of the log. */
export function eventReceipt(
  signer: Signer,
  after: IdentityState,
  logIndex: number,
): SignedAnswer<EventReceiptPayload> {
  return signedAnswer(signer, {
    domain: EVENT_RECEIPT_DOMAIN,
    schema_version: "1.0.0",
    agent_id: after.agentId,
    sequence: after.sequence,
    event_digest: after.headEventDigest,
    accepted_at: after.headAcceptedAt,
    log_index: logIndex,
  })
}
