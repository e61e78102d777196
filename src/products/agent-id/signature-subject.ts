import type { SentStatement, VerifyAgentSignature } from "../../../schemas/agent-id/signature.ts"
import { ServiceError } from "../../base/errors.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { type Digest, digestBytes, digestOf } from "../../core/digest.ts"
import { isReservedPayload, isSignedForm } from "../../core/signed-forms.ts"
import { type ClaimedWindow, claimedWindow } from "./signature-window.ts"

/** The subject of a verification, with everything that follows from the request alone. It contains no part of the payload. */
export interface SignatureSubject {
  readonly agentId: string
  readonly keyId: string
  readonly algorithm: string
  /** Canonical text that the signature covers. */
  readonly signedText: string
  readonly signature: string
  readonly payloadDigest: string
  readonly recomputedPayloadDigest: Digest | null
  /** Null in the profile PAYLOAD_ONLY, which has no statement: no time, no nonce, nothing to register. */
  readonly statement: {
    readonly digest: Digest
    readonly window: ClaimedWindow
    /** Key of a recorded nonce. The audience and the nonce themselves are not stored. */
    readonly nonceDigest: Digest
  } | null
}

/** Throws RESERVED_DOMAIN for a bare payload that could be read as one of the service's own forms. */
export function subjectOf(body: VerifyAgentSignature): SignatureSubject {
  const { signature } = body
  if ("statement" in body) {
    const { statement } = body
    const signedText = canonicalize(statement)
    return {
      agentId: statement.agent_id,
      keyId: statement.key_id,
      algorithm: statement.algorithm,
      signedText,
      signature,
      payloadDigest: statement.payload_digest,
      recomputedPayloadDigest: Object.hasOwn(body, "payload") ? digestOf(body.payload) : null,
      statement: {
        digest: digestBytes(signedText),
        window: claimedWindow(statement),
        nonceDigest: nonceDigestOf(statement),
      },
    }
  }
  requireUnreserved(body.payload)
  const signedText = canonicalize(body.payload)
  const payloadDigest = digestBytes(signedText)
  return {
    agentId: body.agent_id,
    keyId: body.key_id,
    algorithm: "Ed25519",
    signedText,
    signature,
    payloadDigest,
    recomputedPayloadDigest: payloadDigest,
    statement: null,
  }
}

/** Only the audience can contain a `|`, and the other fields have fixed alphabets, so different inputs never give the same text. */
function nonceDigestOf({ agent_id, key_id, audience, nonce }: SentStatement): Digest {
  return digestBytes(`${agent_id}|${key_id}|${audience}|${nonce}`)
}

/**
 * A challenge, a status or a decision request that was signed for its own purpose must never verify as an action of the agent (rulings 3).
 * A mandate may be verified here, but only a complete one: an almost correct one could belong to a future form.
 */
function requireUnreserved(payload: unknown): void {
  if (!isReservedPayload(payload) || isSignedForm("MANDATE", payload)) return
  throw new ServiceError(
    "RESERVED_DOMAIN",
    "Sign a statement over the payload's digest instead; only a whole mandate is verified as a bare payload.",
    {
      errors: [
        { pointer: "/payload", code: "RESERVED_DOMAIN", expected: "a payload that is no signed form of this service" },
      ],
    },
  )
}
