/**
 * The registration of a signed statement. Nobody signed it whole: the service's own row must say the same, and the checkpoint must be one
 * whose tree holds the leaf. What neither proves is named as a limitation, and no text of the holder's choice is stored.
 */
import type { AgentArtifactRegistration } from "../../../schemas/agent-id/artifact.ts"
import { encodeBase64url } from "../../core/base64url.ts"
import { openNote, readCheckpoint } from "../../core/checkpoint.ts"
import { keyIdOf } from "../../core/jwk.ts"
import { nativeNoteCrypto } from "../../core/sign-checkpoint.ts"
import { findRegistration, type KeptRegistration } from "../../store/wallet/own-records.ts"
import { NOT_KEPT, type OpenedArtifact, PROVES_NO_ANSWER, type WalletIssuer } from "./opened-artifact.ts"

/** The outcomes were found when the statement was registered; the row does not have them. */
const OUTCOMES_NOT_PROVEN = "OUTCOMES_NOT_PROVEN"
/** The address of an invitation is a secret of its holder. */
const INVITATION_NOT_KEPT = "INVITATION_NOT_KEPT"

/** The key is that of the log, which signed the checkpoint in it. */
export function openRegistration(
  document: AgentArtifactRegistration,
  caller: string,
  { logKeys }: Pick<WalletIssuer, "logKeys">,
): OpenedArtifact {
  const { checkpoint, log_index: leaf } = document.transparency
  const note = openNote(checkpoint ?? "", logKeys(), nativeNoteCrypto)
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
    limitations: [OUTCOMES_NOT_PROVEN, ...(document.tracking.invitation ? [INVITATION_NOT_KEPT] : [])],
    stored: { ...document, tracking: { status: "UNAVAILABLE", invitation: null } },
    *record() {
      const kept = document.registration_id === null ? null : yield* findRegistration(document.registration_id)
      return kept && isSame(kept, document, caller) ? { matches: true, loggedAt: kept.registeredAt } : NOT_KEPT
    },
    rejected: document.registered ? null : "NOT_REGISTERED",
    check: ({ record }) => {
      if (!record.matches) return "RECORD_DIFFERS"
      return !("fault" in note) && holdsLeaf(note, checkpoint, leaf) ? null : "CHECKPOINT"
    },
  }
}

/** Whether the tree of an opened note has the leaf, and only keys of this log signed the note. */
function holdsLeaf(
  { text, signedBy }: { readonly text: string; readonly signedBy: readonly { readonly name: string }[] },
  note: string | null,
  leaf: number | null,
): boolean {
  const tree = readCheckpoint(text)
  if (note === null || leaf === null || !tree || tree.size <= leaf) return false
  const lines = note.slice(text.length + 1, -1).split("\n")
  return lines.length === signedBy.length && signedBy.every(({ name }) => name === tree.origin)
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
