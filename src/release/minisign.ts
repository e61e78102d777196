/**
 * Keys and signatures in the format of minisign (https://jedisct1.github.io/minisign), so that its program and ours make and check the same
 * files: Ed25519 over the BLAKE2b-512 of a file (`ED`), and a second signature over the first one and the trusted comment.
 */
import { blake2b } from "@noble/hashes/blake2.js"
import { decodeBase64url, encodeBase64url } from "../core/base64url.ts"
import { concatBytes, decodeBase64, encodeBase64, sameBytes } from "../core/bytes.ts"
import { checkPublicKey, keyFromSeed, signWith, verifySignature } from "../core/ed25519.ts"

/** What a text in the format of minisign is not. The message says which text and what was expected. */
export class MinisignFault extends Error {}

export interface ReleaseKey {
  /** Eight bytes as 16 upper-case hexadecimal digits, as minisign prints them. Anybody can choose it: it names a key and proves nothing. */
  readonly id: string
  /** Raw public key as 43 base64url characters. */
  readonly x: string
}

export interface SecretReleaseKey extends ReleaseKey {
  /** RFC 8032. */
  readonly seed: Uint8Array
}

export interface ReleaseSignature {
  readonly keyId: string
  /** Covered by the second signature. */
  readonly trustedComment: string
  /** 86 base64url characters each. `all`: over `file` and the trusted comment. */
  readonly file: string
  readonly all: string
}

const ED25519 = "Ed"
/** Marks a signature over the digest of a file. */
const DIGEST_SIGNED = "ED"
const ID_BYTES = 8
const PUBLIC_BYTES = 42
const SIGNATURE_BYTES = 74
const SECRET_BYTES = 158
/** `Ed`, no key derivation, `B2`, and 48 bytes of its parameters. */
const SECRET_HEAD = concatBytes(bytesOf(ED25519), new Uint8Array(2), bytesOf("B2"), new Uint8Array(48))
/** A key without a password has none. */
const NO_CHECKSUM = new Uint8Array(32)
const COMMENT = "untrusted comment: "
const TRUSTED_COMMENT = "trusted comment: "
const COMMENT_BYTES_MAX = 1024

/** `id`: eight random bytes. */
export function releaseKeyOf(seed: Uint8Array, id: Uint8Array): SecretReleaseKey {
  return { seed, x: keyFromSeed(seed).x, id: idText(id) }
}

/** The 56 characters that `minisign -P` takes. */
export function publicText({ id, x }: ReleaseKey): string {
  return encodeBase64(concatBytes(bytesOf(ED25519), idBytes(id), rawKey(x)))
}

export function publicFile(key: ReleaseKey): string {
  return `${COMMENT}minisign public key ${key.id}\n${publicText(key)}\n`
}

/** Reads a public key: the file, or its second line alone. Throws {@link MinisignFault}. */
export function readPublicKey(text: string): ReleaseKey {
  const lines = linesOf(text)
  const bytes = decodeBase64((lines.length === 1 ? lines[0] : lines[1]) ?? "", PUBLIC_BYTES)
  if (bytes === null || lines.length > 2 || !startsWith(bytes, ED25519)) {
    throw new MinisignFault(
      "expected a public key of minisign: 56 characters that begin with RW, alone or below a comment",
    )
  }
  const x = encodeBase64url(bytes.subarray(2 + ID_BYTES))
  const fault = checkPublicKey(x)
  if (fault !== null) throw new MinisignFault(`the public key of minisign is no Ed25519 key (${fault})`)
  return { id: idText(bytes.subarray(2, 2 + ID_BYTES)), x }
}

/** Without a password, as `minisign -G -W` makes it: who keeps the file keeps the key. */
export function secretFile(key: SecretReleaseKey): string {
  const id = idBytes(key.id)
  const bytes = concatBytes(SECRET_HEAD, id, key.seed, rawKey(key.x), NO_CHECKSUM)
  return `${COMMENT}minisign secret key ${key.id}, without a password\n${encodeBase64(bytes)}\n`
}

/** Throws {@link MinisignFault}, also for a key with a password. */
export function readSecretKey(text: string): SecretReleaseKey {
  const lines = linesOf(text)
  const bytes = decodeBase64(lines[1] ?? "", SECRET_BYTES)
  if (bytes === null || lines.length !== 2 || !startsWith(bytes, ED25519)) {
    throw new MinisignFault("expected a secret key of minisign: a comment, and 212 characters of base64 below it")
  }
  if (bytes[2] !== 0 || bytes[3] !== 0) {
    throw new MinisignFault(
      "the secret key has a password; sign with minisign, or make one with: bizauth release keygen",
    )
  }
  const [id, seed, publicKey] = [bytes.subarray(54, 62), bytes.subarray(62, 94), bytes.subarray(94, 126)]
  const key = releaseKeyOf(seed, id)
  if (!sameBytes(rawKey(key.x), publicKey)) {
    throw new MinisignFault("the secret key of minisign is damaged: its public half does not fit")
  }
  return key
}

/** The text of the signature file. The same key, file and comment give the same bytes. Throws {@link MinisignFault} for a comment of more lines. */
export function signFile(key: SecretReleaseKey, content: Uint8Array, trustedComment: string): string {
  if (!isComment(trustedComment)) {
    throw new MinisignFault(`the comment must be one line of at most ${COMMENT_BYTES_MAX} bytes`)
  }
  const { privateKey } = keyFromSeed(key.seed)
  const signature = raw(signWith(privateKey, blake2b(content)))
  const all = raw(signWith(privateKey, concatBytes(signature, bytesOf(trustedComment))))
  const named = encodeBase64(concatBytes(bytesOf(DIGEST_SIGNED), idBytes(key.id), signature))
  return `${COMMENT}signature by the key ${key.id}\n${named}\n${TRUSTED_COMMENT}${trustedComment}\n${encodeBase64(all)}\n`
}

/** Throws {@link MinisignFault}, also for a signature over a whole file (`Ed`), which minisign stopped making in 2019. */
export function readSignature(text: string): ReleaseSignature {
  const lines = linesOf(text)
  const [, named = "", comment = "", last = ""] = lines
  const bytes = decodeBase64(named, SIGNATURE_BYTES)
  const all = decodeBase64(last, 64)
  const trustedComment = comment.slice(TRUSTED_COMMENT.length)
  const isComplete = lines.length === 4 && comment.startsWith(TRUSTED_COMMENT) && isComment(trustedComment)
  if (bytes === null || all === null || !isComplete || !startsWith(bytes, DIGEST_SIGNED)) {
    throw new MinisignFault("expected a signature of minisign: four lines, whose second one begins with RU")
  }
  return {
    keyId: idText(bytes.subarray(2, 2 + ID_BYTES)),
    trustedComment,
    file: encodeBase64url(bytes.subarray(2 + ID_BYTES)),
    all: encodeBase64url(all),
  }
}

/** Whether the key signed this content and the trusted comment. */
export function isSignedBy(
  { x }: ReleaseKey,
  content: Uint8Array,
  { file, all, trustedComment }: ReleaseSignature,
): boolean {
  return (
    verifySignature(x, blake2b(content), file) &&
    verifySignature(x, concatBytes(raw(file), bytesOf(trustedComment)), all)
  )
}

function isComment(text: string): boolean {
  return !/[\r\n]/.test(text) && Buffer.byteLength(text) <= COMMENT_BYTES_MAX
}

/** A number in little-endian order. */
function idText(bytes: Uint8Array): string {
  return Buffer.from(bytes).reverse().toString("hex").toUpperCase()
}

function idBytes(id: string): Uint8Array {
  return Buffer.from(id, "hex").reverse()
}

function rawKey(x: string): Uint8Array {
  const bytes = decodeBase64url(x, 32)
  if (!bytes) throw new TypeError("not an Ed25519 public key")
  return bytes
}

function raw(signature: string): Uint8Array {
  const bytes = decodeBase64url(signature, 64)
  if (!bytes) throw new TypeError("not an Ed25519 signature")
  return bytes
}

function linesOf(text: string): string[] {
  return text.replace(/\r?\n$/, "").split(/\r?\n/)
}

function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text)
}

function startsWith(bytes: Uint8Array, text: string): boolean {
  return sameBytes(bytes.subarray(0, text.length), bytesOf(text))
}
