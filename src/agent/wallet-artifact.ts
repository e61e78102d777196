/** Finds out which kind of artifact a kept file is, so that its holder need not know the wallet's words. */
import type { ArtifactType } from "../../schemas/agent-mode/wallet-artifact.ts"
import { type JsonValue, memberOf } from "../core/strict-json.ts"

interface FoundArtifact {
  readonly environment: "LIVE" | "SANDBOX"
  readonly artifact_type: ArtifactType
  readonly document: JsonValue
}

const TYPE_OF_DOMAIN: Readonly<Record<string, ArtifactType>> = {
  "svc.proof-capsule.v1": "PROOF_CAPSULE",
  "svc.delivery-capsule.v1": "PROOF_CAPSULE",
  "svc.company-passport.v1": "PROOF_CAPSULE",
  "svc.agent-identity.event-receipt.v1": "EVENT_RECEIPT",
  "svc.agent-identity.status.v1": "STATUS_RECORD",
  "svc.service-proof.v1": "SERVICE_PROOF",
}
const ARTIFACT_TYPES: ReadonlySet<JsonValue | undefined> = new Set([
  ...Object.values(TYPE_OF_DOMAIN),
  "EXPORT_BUNDLE",
  "UK_DELIVERY",
  "ARTIFACT_REGISTRATION",
])

/**
 * Returns null for a file that holds no artifact. A delivery of the Payment Decision gives its capsule; the bundle of an answer gives its
 * capsule, and of a UK answer both.
 */
export function walletArtifactIn(value: JsonValue): FoundArtifact | null {
  const payload = memberOf(value, "payload")
  const domain = memberOf(payload, "domain")
  if (domain === "svc.sandbox.artifact.v1") {
    const type = memberOf(payload, "artifact_type")
    return ARTIFACT_TYPES.has(type)
      ? { environment: "SANDBOX", artifact_type: type as ArtifactType, document: value }
      : null
  }
  const type = typeof domain === "string" ? TYPE_OF_DOMAIN[domain] : undefined
  if (type) return live(type, value)
  if (memberOf(value, "bundle_type") === "svc.agent-identity.export.v1") return live("EXPORT_BUNDLE", value)
  if (memberOf(value, "registration_id") !== undefined) return live("ARTIFACT_REGISTRATION", value)
  const [answer, capsule, decision] = ["answer", "capsule", "proof_capsule"].map((name) => memberOf(value, name))
  if (decision !== undefined) return live("PROOF_CAPSULE", decision)
  if (answer === undefined || capsule === undefined) return null
  const isUk = String(memberOf(answer, "product_or_solution")).startsWith("gb.")
  return isUk ? live("UK_DELIVERY", { answer, capsule }) : live("PROOF_CAPSULE", capsule)
}

function live(type: ArtifactType, document: JsonValue): FoundArtifact {
  return { environment: "LIVE", artifact_type: type, document }
}
