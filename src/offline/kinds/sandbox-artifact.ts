/** Verifies a document of the sandbox in its wrapper with the pinned sandbox key. Every other document is refused. */
import { Value } from "@sinclair/typebox/value"
import { SandboxArtifact } from "../../../schemas/agent-mode/sandbox-artifact.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import type { PublicJwk } from "../../core/jwk.ts"
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import { examine, type Kind, type Step } from "../examine.ts"
import type { Report } from "../report.ts"
import { readDocument } from "../steps/read.ts"
import { bytesStep, digestStep } from "../steps/shared-steps.ts"

interface SandboxResult {
  readonly report: Report
  /** Null unless it is a wrapper. Read it only if the report is valid. */
  readonly artifact: SandboxArtifact | null
}

interface SandboxInput {
  readonly bytes: Uint8Array
  readonly key: PublicJwk
  readonly crypto: DocumentCrypto
}

interface OpenedWrapper {
  readonly value: JsonValue
  readonly signed: SandboxArtifact
}

type WrapperStep = Step<SandboxInput, OpenedWrapper>

export function verifySandboxArtifact(bytes: Uint8Array, key: PublicJwk, crypto: DocumentCrypto): SandboxResult {
  const { report, document } = examine(WRAPPER, { bytes, key, crypto, reformatted: true })
  return { report, artifact: document?.signed ?? null }
}

function open({ bytes }: SandboxInput, report: Report): OpenedWrapper | null {
  const value = readDocument(bytes, report)
  if (value === undefined) return null
  const isWrapper = Value.Check(SandboxArtifact, value)
  report.check("wrapper", isWrapper, {
    ok: "of the sandbox 1.0.0",
    invalid: "not a document of the sandbox in its wrapper",
  })
  return isWrapper ? { value, signed: value } : null
}

/** Anyone can make keys of the sandbox, so only the pinned one counts. */
const pinnedSignature: WrapperStep = ({ report, document: { signed }, given: { key, crypto } }) => {
  const { payload, signature, digest } = signed
  report.check("issuer", signature.issuer === payload.issuer, {
    ok: payload.issuer,
    invalid: "the signature names another issuer",
  })
  const pinned = crypto.keyIdOf(key.x)
  const isPinned = signature.key_id === pinned && crypto.checkPublicKey(key.x) === null
  const isSigned =
    isPinned &&
    crypto.digestOf(payload) === digest &&
    crypto.verifySignature(key.x, canonicalBytes(payload), signature.value)
  report.check("signature", isSigned, {
    ok: `by the pinned sandbox key ${pinned}`,
    invalid: "not by the pinned sandbox key",
  })
}

const environment: WrapperStep = ({ report }) =>
  report.note("environment", "sandbox: synthetic, decides nothing and permits nothing")

const WRAPPER: Kind<SandboxInput & { readonly reformatted: boolean }, OpenedWrapper> = {
  open,
  steps: [bytesStep, digestStep, pinnedSignature, environment],
}

/** The key in a file: what `sandbox key` prints, the `key` of a bootstrap, or a single public JWK. Null for anything else. */
export function pinnedSandboxKey(value: JsonValue): PublicJwk | null {
  const jwk = memberOf(value, "public_jwk") ?? value
  const [kty, crv, x] = ["kty", "crv", "x"].map((name) => memberOf(jwk, name))
  const isKey = kty === "OKP" && crv === "Ed25519" && typeof x === "string" && /^[A-Za-z0-9_-]{43}$/.test(x)
  return isKey ? { kty, crv, x } : null
}
