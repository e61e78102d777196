/** Documents about agents' identities: receipts of key events, signed statuses, and export bundles. */
import type { AgentExportBundle } from "../../../schemas/agent-id/export.ts"
import type { AgentStatus } from "../../../schemas/agent-id/identity.ts"
import type { EventReceipt } from "../../../schemas/agent-id/proof.ts"
import type { SignatureObject } from "../../../schemas/common.ts"
import { canonicalBytes, canonicalize } from "../../core/canonical-json.ts"
import { writeVerifierKey } from "../../core/checkpoint.ts"
import { digestBytes, digestOf } from "../../core/digest.ts"
import { verifySignature } from "../../core/ed25519.ts"
import { sha256 } from "../../core/sha256.ts"
import { formatInstant } from "../../core/time.ts"
import { without } from "../../core/without.ts"
import { findKeyEventReceipt } from "../../store/wallet/own-records.ts"
import { NOT_KEPT, type OpenedArtifact, PROVES_NO_ANSWER, type WalletIssuer } from "./opened-artifact.ts"
import { checkSignedAt } from "./signed-document.ts"

/** The caller's own event, exactly as the service's log has it. */
export function openEventReceipt(document: EventReceipt, caller: string): OpenedArtifact {
  const { payload, signature } = document
  const digest = digestOf(payload)
  return {
    ...PROVES_NO_ANSWER,
    ...signedMembers(signature),
    digest,
    subject: payload.agent_id === caller ? "OWN" : "OTHER",
    validAsOf: payload.accepted_at,
    validUntil: null,
    stored: document,
    *record() {
      const kept = yield* findKeyEventReceipt(payload.agent_id, payload.sequence)
      // The service wrote it. Its digest covers event, sequence, time and index.
      const isSame = kept !== null && (JSON.parse(kept.receiptJson) as EventReceipt).digest === digest
      return isSame ? { matches: true, loggedAt: kept.acceptedAt } : NOT_KEPT
    },
    check: ({ key, record }) => {
      if (payload.agent_id !== caller) return "SUBJECT_NOT_CALLER"
      return checkSignedAt(document, payload.accepted_at, key) ?? (record.matches ? null : "RECORD_DIFFERS")
    },
  }
}

/** Of any agent. It ends when its freshness ends. */
export function openStatusRecord(document: AgentStatus, caller: string): OpenedArtifact {
  const { payload, signature } = document
  const digest = digestOf(payload)
  return {
    ...PROVES_NO_ANSWER,
    ...signedMembers(signature),
    digest,
    subject: payload.agent_id === caller ? "OWN" : "OTHER",
    validAsOf: payload.as_of,
    validUntil: payload.fresh_until,
    stored: document,
    record: notKept,
    check: ({ key }) => checkSignedAt(document, payload.as_of, key),
  }
}

/** Judged by the offline verifier with this service's log key pinned. */
export function openExportBundle(
  document: AgentExportBundle,
  caller: string,
  { logKeys }: Pick<WalletIssuer, "logKeys">,
): OpenedArtifact {
  const { checkpoint } = document.transparency
  const text = canonicalize(without(document, "bundle_digest", "signature"))
  return {
    ...PROVES_NO_ANSWER,
    ...signedMembers(document.signature),
    digest: digestBytes(text),
    subject: document.agent_id === caller ? "OWN" : "OTHER",
    validAsOf: document.status_as_of.as_of,
    validUntil: null,
    stored: document,
    record: notKept,
    check: async ({ key, at }) => {
      const origin = checkpoint.slice(0, checkpoint.indexOf("\n"))
      const pinned = logKeys().find(({ name }) => name === origin)
      if (!pinned) return "LOG_ORIGIN_DIFFERS"
      const logKey = writeVerifierKey(sha256, pinned)
      // Checked again below, but first here: the history of a bundle that somebody made up may have a thousand keys to check.
      if (!verifySignature(key.x, text, document.signature.value)) return "BUNDLE_SIGNATURE"
      // Loaded with the first bundle: no other route needs the verifier.
      const { verifyBundle } = await import("../../offline/kinds/identity/verify-bundle.ts")
      const { steps } = await verifyBundle(canonicalBytes(document), { logKey, at: formatInstant(at) })
      return steps.find(({ outcome }) => outcome !== "VALID")?.step ?? null
    },
  }
}

function signedMembers({ issuer, key_id: signingKeyId }: SignatureObject) {
  return { issuers: [issuer], signingKeyId, keyUse: "statement", environment: null } as const
}

// biome-ignore lint/correctness/useYield: a unit that needs nothing of the database.
function* notKept() {
  return NOT_KEPT
}
