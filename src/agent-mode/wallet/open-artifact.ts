import type { AgentArtifactRegistration } from "../../../schemas/agent-id/artifact.ts"
import type { AgentExportBundle } from "../../../schemas/agent-id/export.ts"
import type { AgentStatus } from "../../../schemas/agent-id/identity.ts"
import type { EventReceipt } from "../../../schemas/agent-id/proof.ts"
import type { SandboxArtifact } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import type { UkDelivery, WalletArtifact } from "../../../schemas/agent-mode/wallet-artifact.ts"
import type { ServiceProof } from "../../../schemas/discovery/service-proof.ts"
import { type AnyCapsule, openCapsule } from "./open-capsule.ts"
import { openEventReceipt, openExportBundle, openStatusRecord } from "./open-identity-document.ts"
import { openRegistration } from "./open-registration.ts"
import { openSandboxArtifact } from "./open-sandbox-artifact.ts"
import { openServiceProof } from "./open-service-proof.ts"
import { openUkDelivery } from "./open-uk-delivery.ts"
import type { OpenedArtifact, WalletIssuer } from "./opened-artifact.ts"

/** Reads an artifact that matches its schema. Verifies nothing. */
export function openArtifact(artifact: WalletArtifact, caller: string, issuer: WalletIssuer): OpenedArtifact {
  const { artifact_type: type, document } = artifact
  if (isSandboxForm(document)) return openSandboxArtifact(document, type)
  // The union of the schema has already matched the document with its type.
  switch (type) {
    case "PROOF_CAPSULE":
      return openCapsule(document as AnyCapsule, caller, issuer)
    case "EVENT_RECEIPT":
      return openEventReceipt(document as EventReceipt, caller)
    case "STATUS_RECORD":
      return openStatusRecord(document as AgentStatus, caller)
    case "EXPORT_BUNDLE":
      return openExportBundle(document as AgentExportBundle, caller, issuer)
    case "UK_DELIVERY":
      return openUkDelivery(document as UkDelivery, issuer)
    case "ARTIFACT_REGISTRATION":
      return openRegistration(document as AgentArtifactRegistration, caller, issuer)
    case "SERVICE_PROOF":
      return openServiceProof(document as ServiceProof, issuer)
  }
}

function isSandboxForm(document: WalletArtifact["document"]): document is SandboxArtifact {
  return "payload" in document && "domain" in document.payload && document.payload.domain === "svc.sandbox.artifact.v1"
}
