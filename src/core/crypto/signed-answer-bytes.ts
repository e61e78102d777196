/** Writes the canonical bytes of a signed answer once. The payload is digested and signed at its place in them. */
import { canonicalize } from "../canonical-json.ts"
import { digestBytes } from "../digest.ts"
import { signAside, signWith } from "../ed25519.ts"
import { type Signer, signatureObject } from "../signer.ts"

/** Every digest and every signature is as long as these. They are overwritten. */
const NO_DIGEST = `sha256:${"0".repeat(64)}`
const NO_SIGNATURE = "A".repeat(86)
const BEFORE_DIGEST = '{"digest":"'
const BEFORE_PAYLOAD = `${BEFORE_DIGEST}${NO_DIGEST}","payload":`

/**
 * Canonical bytes of {@link import("../signer.ts").signedAnswer}. `payload`: texts that are, one after another, the canonical text of the
 * payload.
 */
export function signedAnswerBytes(signer: Signer, payload: readonly string[]): Uint8Array {
  const answer = unsigned(signer, payload)
  writeDigest(answer)
  return signed(answer, signWith(signer.privateKey, answer.payload))
}

/** The same bytes. A thread of the runtime's pool signs. */
export function signedAnswerBytesAside(signer: Signer, payload: readonly string[]): Promise<Uint8Array> {
  const answer = unsigned(signer, payload)
  const signing = signAside(signer.privateKey, answer.payload)
  writeDigest(answer)
  return signing.then((signature) => signed(answer, signature))
}

interface Answer {
  readonly bytes: Buffer
  /** The part of `bytes` that is digested and signed. */
  readonly payload: Buffer
}

function unsigned(signer: Signer, payload: readonly string[]): Answer {
  const after = textAfterPayload(signer)
  const bytes = bytesOfTexts([BEFORE_PAYLOAD, ...payload, after.text])
  return { bytes, payload: bytes.subarray(BEFORE_PAYLOAD.length, bytes.length - after.bytes) }
}

/** The longest character in UTF-8. */
const CHARACTER_BYTES_MAX = 4

/** UTF-8. Each text is copied once, to its place. To join texts would copy a long text twice more. */
function bytesOfTexts(texts: readonly string[]): Buffer {
  let units = 0
  for (const text of texts) units += text.length
  // With room for one character more, a text that is not ASCII always writes more bytes than it has units, even if its end does not fit.
  const bytes = Buffer.allocUnsafe(units + CHARACTER_BYTES_MAX)
  let at = 0
  for (const text of texts) {
    if (bytes.write(text, at) !== text.length) return Buffer.from(texts.join(""))
    at += text.length
  }
  return bytes.subarray(0, units)
}

function writeDigest({ bytes, payload }: Answer): void {
  bytes.write(digestBytes(payload), BEFORE_DIGEST.length, "latin1")
}

function signed({ bytes }: Answer, signature: string): Uint8Array {
  bytes.write(signature, bytes.length - '"}}'.length - signature.length, "latin1")
  return bytes
}

interface TextAfterPayload {
  readonly text: string
  readonly bytes: number
}

/** `value` is the last member of a signature in canonical order. */
function textAfterPayload(signer: Signer): TextAfterPayload {
  let after = textsAfterPayload.get(signer)
  if (after === undefined) {
    const text = `,"signature":${canonicalize(signatureObject(signer, NO_SIGNATURE))}}`
    after = { text, bytes: Buffer.byteLength(text) }
    textsAfterPayload.set(signer, after)
  }
  return after
}

const textsAfterPayload = new WeakMap<Signer, TextAfterPayload>()
