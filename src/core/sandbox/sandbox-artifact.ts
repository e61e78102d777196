/** Documents of the sandbox in their wrappers. Only the sandbox key signs them, and no live verifier accepts one. */
import type { SandboxArtifact, SandboxArtifactPayload } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import { canonicalBytes } from "../canonical-json.ts"
import { digestOf } from "../digest.ts"
import { verifySignature } from "../ed25519.ts"
import { type Signer, signedAnswer } from "../signer.ts"

interface WrappedDocument extends Pick<SandboxArtifactPayload, "journey" | "seed" | "clock" | "artifact_type"> {
  readonly document: object
}

/** `signer` holds the sandbox key, and its issuer is that of the sandbox. */
export function signSandboxArtifact(
  signer: Signer,
  { journey, seed, clock, artifact_type, document }: WrappedDocument,
): SandboxArtifact {
  const payload: SandboxArtifactPayload = {
    domain: "svc.sandbox.artifact.v1",
    schema_version: "1.0.0",
    issuer: signer.issuer,
    synthetic: true,
    environment: "SANDBOX",
    journey,
    seed,
    clock,
    artifact_type,
    document,
  }
  return signedAnswer(signer, payload)
}

type SandboxFault = "DIGEST" | "SIGNATURE"

/** Null if digest and signature belong to the payload. `x`: the public sandbox key, base64url. The caller checks the schema first. */
export function checkSandboxSignature(
  { payload, digest, signature }: Pick<SandboxArtifact, "digest" | "signature"> & { readonly payload: object },
  x: string,
): SandboxFault | null {
  if (digestOf(payload) !== digest) return "DIGEST"
  return verifySignature(x, canonicalBytes(payload), signature.value) ? null : "SIGNATURE"
}
