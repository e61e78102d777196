/** The registration of a signed statement: nobody signed it whole, so the service's own row must say the same. */
import type { AgentArtifactRegistration } from "../../../../schemas/agent-id/artifact.ts"
import { encodeBase64url } from "../../../core/base64url.ts"
import { openNote } from "../../../core/checkpoint.ts"
import { keyIdOf } from "../../../core/jwk.ts"
import { nativeNoteCrypto } from "../../../core/sign-checkpoint.ts"
import { findRegistration, type KeptRegistration } from "../../../store/wallet/own-records.ts"
import { NOT_KEPT, type OpenedArtifact, PROVES_NO_ANSWER, type WalletIssuer } from "./opened-artifact.ts"

/** The key is that of the log, which signed the checkpoint in it. */
export function openRegistration(
  document: AgentArtifactRegistration,
  caller: string,
  { logKeys }: Pick<WalletIssuer, "logKeys">,
): OpenedArtifact {
  const note = openNote(document.transparency.checkpoint ?? "", logKeys(), nativeNoteCrypto)
  const signer = "fault" in note ? undefined : note.signedBy[0]
  return {
    ...PROVES_NO_ANSWER,
    // Nothing signs the registration, and the statement itself is not in it.
    digest: document.statement_digest,
    issuers: [],
    signingKeyId: signer ? keyIdOf(encodeBase64url(signer.publicKey)) : "",
    keyUse: "log",
    environment: null,
    subject: "OWN",
    validAsOf: document.registered_at,
    validUntil: null,
    stored: document,
    *record() {
      const kept = document.registration_id === null ? null : yield* findRegistration(document.registration_id)
      return kept && isSame(kept, document, caller) ? { matches: true, loggedAt: kept.registeredAt } : NOT_KEPT
    },
    rejected: document.registered ? null : "NOT_REGISTERED",
    check: ({ record }) => (record.matches ? null : "RECORD_DIFFERS"),
  }
}

function isSame(kept: KeptRegistration, document: AgentArtifactRegistration, caller: string): boolean {
  return (
    kept.agentId === caller &&
    kept.statementDigest === document.statement_digest &&
    kept.payloadDigest === document.payload_digest &&
    kept.registeredAt === document.registered_at &&
    kept.logIndex === document.transparency.log_index
  )
}
