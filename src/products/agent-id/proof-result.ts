import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import type { AgentIdentityProofResult } from "../../../schemas/agent-id/proof.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { eventReceipt } from "../../core/event-receipt.ts"
import type { IdentityState } from "../../core/identity-state.ts"
import type { Signer } from "../../core/signer.ts"
import type { Finished } from "../../store/identity/agent-key-change.ts"
import { profileOf } from "./profile.ts"

interface ResultFacts {
  readonly signer: Signer
  readonly issuerName: string
  readonly baseUrl: string
}

type Result = Pick<AgentIdentityProofResult, "result" | "next_machine_action">

const RESULT_OF: Readonly<Record<KeyEvent["change"]["kind"], Result>> = {
  ENROLL: { result: "ENROLLED", next_machine_action: "SIGN_REQUESTS_WITH_OPERATIONAL_KEY" },
  ROTATE_OPERATIONAL: { result: "ROTATED", next_machine_action: "SIGN_REQUESTS_WITH_NEW_OPERATIONAL_KEY" },
  ROTATE_RECOVERY: { result: "ROTATED", next_machine_action: "KEEP_NEW_RECOVERY_KEY_OFFLINE" },
  REVOKE_OPERATIONAL: { result: "REVOKED", next_machine_action: "ROTATE_OPERATIONAL_KEY_WITH_RECOVERY_KEY" },
  REVOKE_IDENTITY: { result: "REVOKED", next_machine_action: "ENROLL_NEW_IDENTITY" },
}

/** Returns the reply to an accepted proof, with the receipt that states the position of its event in the log. */
export function finishedResult(
  { signer, issuerName, baseUrl }: ResultFacts,
  { change }: KeyEvent,
  after: IdentityState,
  logIndex: number,
): Finished {
  const receipt = eventReceipt(signer, after, logIndex)
  const { sequence, event_digest, accepted_at, log_index } = receipt.payload
  const result: AgentIdentityProofResult = {
    schema_version: "1.0.0",
    replayed: false,
    agent_id: after.agentId,
    profile: profileOf(after, issuerName, baseUrl),
    event: { sequence, event_digest, accepted_at, log_index },
    receipt,
    ...RESULT_OF[change.kind],
  }
  return { receiptJson: canonicalize(receipt), resultJson: canonicalize(result) }
}
