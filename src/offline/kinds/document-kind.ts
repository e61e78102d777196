/** Selects the verifier of a file. The first members of every file for `verify` and `replay` name its kind. */
import { ACP_DELIVERABLE_TYPE } from "../../../schemas/acp/terms.ts"
import { JourneyPayload } from "../../../schemas/agent-mode/journeys.ts"
import { SandboxArtifactPayload } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import { isAnswerBundleFormat } from "../../../schemas/bundle-formats.ts"
import { CapabilityManifestPayload } from "../../../schemas/discovery/capability-manifest.ts"
import { ServiceProofPayload } from "../../../schemas/discovery/service-proof.ts"
import { CompanyPassportPayload } from "../../../schemas/us/company-passport.ts"
import { Report } from "../report.ts"
import { memberOf, readDocument } from "../steps/read-document.ts"

export type DocumentKind = "DECISION" | "DELIVERABLE" | "ANSWER" | "PASSPORT" | "MANIFEST" | "SERVICE_PROOF" | "SANDBOX"

const BY_DOMAIN: Readonly<Record<string, DocumentKind>> = {
  [CompanyPassportPayload.properties.domain.const]: "PASSPORT",
  [SandboxArtifactPayload.properties.domain.const]: "SANDBOX",
  [JourneyPayload.properties.domain.const]: "SANDBOX",
  [CapabilityManifestPayload.properties.domain.const]: "MANIFEST",
  [ServiceProofPayload.properties.domain.const]: "SERVICE_PROOF",
}

/** Returns `DECISION` also for an unknown document: that verifier then reports the fault. */
export function documentKind(bytes: Uint8Array): DocumentKind {
  const value = readDocument(bytes, new Report())?.value
  if (memberOf(value, "type") === ACP_DELIVERABLE_TYPE) return "DELIVERABLE"
  if (isAnswerBundleFormat(memberOf(value, "format"))) return "ANSWER"
  if (memberOf(value, "product_or_solution") !== undefined) return "ANSWER"
  const domain = memberOf(memberOf(value, "payload"), "domain")
  return (typeof domain === "string" && Object.hasOwn(BY_DOMAIN, domain) && BY_DOMAIN[domain]) || "DECISION"
}
