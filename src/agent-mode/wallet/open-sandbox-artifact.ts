import type { SandboxArtifact } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import type { ArtifactType } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { digestOf } from "../../core/digest.ts"
import { checkSandboxSignature } from "../../core/sandbox/sandbox-artifact.ts"
import { NOT_KEPT, type OpenedArtifact, PROVES_NO_ANSWER } from "./opened-artifact.ts"

/**
 * A wrapper of the sandbox. CHOICE: only the wrapper is verified, because anyone can make the signatures of the synthetic document inside.
 * It has no end and replaces no purchase, so a rehearsal never changes what a live plan says.
 */
export function openSandboxArtifact(document: SandboxArtifact, type: ArtifactType): OpenedArtifact {
  const { payload, signature } = document
  return {
    ...PROVES_NO_ANSWER,
    digest: digestOf(payload),
    issuers: [signature.issuer, payload.issuer],
    signingKeyId: signature.key_id,
    keyUse: "sandbox",
    environment: "sandbox",
    subject: "NONE",
    validAsOf: null,
    validUntil: null,
    limitations: ["SYNTHETIC"],
    stored: document,
    // biome-ignore lint/correctness/useYield: a unit that needs nothing of the database.
    *record() {
      return NOT_KEPT
    },
    check: ({ key }) => (payload.artifact_type === type ? checkSandboxSignature(document, key.x) : "ARTIFACT_TYPE"),
  }
}
