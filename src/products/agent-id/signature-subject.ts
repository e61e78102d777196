import type { SentStatement, VerifyAgentSignature } from "../../../schemas/agent-id/signature.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { type Digest, digestBytes, digestOf } from "../../core/digest.ts"
import { isReservedPayload, isSignedForm } from "../../core/signed-forms.ts"
import { ServiceError } from "../../errors.ts"
import { type ClaimedWindow, claimedWindow } from "./signature-window.ts"

/** What a verification is about, with everything that follows from the request alone. It holds no part of the payload. */
export interface SignatureSubject {
  readonly agentId: string
  readonly keyId: string
  readonly algorithm: string
  /** Canonical text the signature is over. */
  readonly signedText: string
  readonly signature: string
  readonly payloadDigest: string
  readonly recomputedPayloadDigest: Digest | null
  /** null in the profile PAYLOAD_ONLY, which has no statement: no time, no nonce, nothing to register. */
  readonly statement: {
    readonly digest: Digest
    readonly window: ClaimedWindow
    /** What a recorded nonce is found by; the audience and the nonce themselves are not kept. */
    readonly nonceDigest: Digest
  } | null
}

/** Throws RESERVED_DOMAIN for a bare payload that could be read as one of our own forms. */
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
  refuseReserved(body.payload)
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

/** Only the audience can hold a `|`, and the fields beside it have fixed alphabets: no two quadruples give one text. */
function nonceDigestOf({ agent_id, key_id, audience, nonce }: SentStatement): Digest {
  return digestBytes(`${agent_id}|${key_id}|${audience}|${nonce}`)
}

/**
 * Rulings 3: a challenge, a status or a decision request signed for its own purpose is never passed off here as an action of the
 * agent. A mandate is meant to be verified so, and only a whole one is: an almost-right one could be of a form to come.
 */
function refuseReserved(payload: unknown): void {
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
