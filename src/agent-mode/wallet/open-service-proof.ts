import type { ServiceProof } from "../../../schemas/discovery/service-proof.ts"
import { digestOf } from "../../core/digest.ts"
import { isServiceIdentity } from "../../store/identity/service-identities.ts"
import { NOT_KEPT, type OpenedArtifact, PROVES_NO_ANSWER, type WalletIssuer } from "./opened-artifact.ts"
import { checkStatement } from "./signed-document.ts"

/** The service's statement about its program, keys and documents. No agent is its subject. */
export function openServiceProof(document: ServiceProof, { baseUrl }: Pick<WalletIssuer, "baseUrl">): OpenedArtifact {
  const { payload, digest, signature } = document
  return {
    ...PROVES_NO_ANSWER,
    digest: digestOf(payload),
    issuers: [signature.issuer, payload.issuer],
    signingKeyId: signature.key_id,
    keyUse: "statement",
    environment: null,
    subject: "NONE",
    validAsOf: payload.issued_at,
    validUntil: payload.valid_until,
    stored: document,
    *record() {
      return { ...NOT_KEPT, isOwnAgent: yield* isServiceIdentity(payload.service_agent_id) }
    },
    check: ({ key, record }) => {
      if (payload.base_url !== baseUrl()) return "BASE_URL"
      if (!record.isOwnAgent) return "SERVICE_AGENT_ID"
      return checkStatement(document, digest, key)
    },
  }
}
