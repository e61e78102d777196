/**
 * Log checkpoints as C2SP signed notes (c2sp.org/tlog-checkpoint, c2sp.org/signed-note). Reads them strictly and verifies them with pinned
 * verifier keys. Runs in a browser: SHA-256 and Ed25519 are parameters.
 */
import { concatBytes, decodeBase64, encodeBase64, type Sha256, sameBytes } from "./bytes.ts"

export interface Checkpoint {
  readonly origin: string
  readonly size: number
  readonly rootHash: Uint8Array
}

/** The public half of a note key. `name` is the origin of the log. */
export interface VerifierKey {
  readonly name: string
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array
}

export interface NoteCrypto {
  readonly sha256: Sha256
  readonly verify: (publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array) => boolean
}

/** A checkpoint of this service has fewer than 300 bytes. Witnesses may add signatures. */
export const NOTE_LENGTH_MAX = 16_384
export const NOTE_SIGNATURES_MAX = 100

const ED25519 = 1
const KEY_ID_BYTES = 4
const NAME = /^[^\s+\p{Cc}]+$/u
const encoder = new TextEncoder()

/** Returns the first four bytes of SHA-256(name ‖ LF ‖ 0x01 ‖ public key). */
function noteKeyId(sha256: Sha256, { name, publicKey }: VerifierKey): Uint8Array {
  return sha256(concatBytes(encoder.encode(`${name}\n`), Uint8Array.of(ED25519), publicKey)).slice(0, KEY_ID_BYTES)
}

/** Returns `name+hex key id+base64(0x01 ‖ public key)`, the text that a relying party pins. */
export function writeVerifierKey(sha256: Sha256, key: VerifierKey): string {
  const id = hex(noteKeyId(sha256, key))
  return `${key.name}+${id}+${encodeBase64(concatBytes(Uint8Array.of(ED25519), key.publicKey))}`
}

/** Returns null for any text that {@link writeVerifierKey} would not write. */
export function readVerifierKey(sha256: Sha256, text: string): VerifierKey | null {
  const [, name = "", encoded = ""] = /^([^+]+)\+[0-9a-f]{8}\+(.+)$/s.exec(text) ?? []
  const typed = decodeBase64(encoded, 33)
  if (!NAME.test(name) || typed?.[0] !== ED25519) return null
  const key = { name, publicKey: typed.slice(1) }
  return writeVerifierKey(sha256, key) === text ? key : null
}

/** Returns the text that the log key signs. */
export function writeCheckpoint({ origin, size, rootHash }: Checkpoint): string {
  return `${origin}\n${size}\n${encodeBase64(rootHash)}\n`
}

/** Returns a note: the text, an empty line, and one line per signature. */
export function writeNote(
  sha256: Sha256,
  text: string,
  signatures: readonly { readonly key: VerifierKey; readonly signature: Uint8Array }[],
): string {
  const lines = signatures.map(
    ({ key, signature }) => `— ${key.name} ${encodeBase64(concatBytes(noteKeyId(sha256, key), signature))}\n`,
  )
  return `${text}\n${lines.join("")}`
}

type NoteFault =
  | "NOTE_MALFORMED"
  /** No signature line is from a pinned key. The note may be genuine, but this reader cannot tell. */
  | "NOTE_NOT_SIGNED_BY_KNOWN_KEY"
  | "NOTE_SIGNATURE_INVALID"
  | "CHECKPOINT_MALFORMED"
  | "CHECKPOINT_ORIGIN_DIFFERS"

/**
 * Returns the signed text of a note if at least one pinned key signed it. Ignores lines from unknown keys, as the format requires. Rejects
 * the whole note if a line has the name and id of a pinned key and its signature does not verify.
 */
export function openNote(
  note: string,
  keys: readonly VerifierKey[],
  { sha256, verify }: NoteCrypto,
): { readonly text: string; readonly signedBy: readonly VerifierKey[] } | { readonly fault: NoteFault } {
  const parts = splitNote(note)
  if (!parts) return { fault: "NOTE_MALFORMED" }
  const message = encoder.encode(parts.text)
  const signedBy: VerifierKey[] = []
  for (const { name, bytes } of parts.signatures) {
    const id = bytes.slice(0, KEY_ID_BYTES)
    const key = keys.find((known) => known.name === name && sameBytes(noteKeyId(sha256, known), id))
    if (!key) continue
    if (!verify(key.publicKey, message, bytes.slice(KEY_ID_BYTES))) return { fault: "NOTE_SIGNATURE_INVALID" }
    signedBy.push(key)
  }
  return signedBy.length > 0 ? { text: parts.text, signedBy } : { fault: "NOTE_NOT_SIGNED_BY_KNOWN_KEY" }
}

interface NoteParts {
  readonly text: string
  readonly signatures: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

function splitNote(note: string): NoteParts | null {
  if (note.length > NOTE_LENGTH_MAX || !note.isWellFormed() || /(?!\n)\p{Cc}/u.test(note) || !note.endsWith("\n")) {
    return null
  }
  const cut = note.lastIndexOf("\n\n")
  if (cut === -1) return null
  const lines = note.slice(cut + 2, -1).split("\n")
  if (lines.length > NOTE_SIGNATURES_MAX) return null
  const signatures: { name: string; bytes: Uint8Array }[] = []
  for (const line of lines) {
    const [, name = "", encoded = ""] = /^— (\S+) (\S+)$/.exec(line) ?? []
    const bytes = decodeBase64(encoded)
    if (!NAME.test(name) || !bytes || bytes.length <= KEY_ID_BYTES) return null
    signatures.push({ name, bytes })
  }
  return { text: note.slice(0, cut + 1), signatures }
}

/** Returns null unless the text has an origin, a decimal size and a root hash. Further lines are extensions and are ignored. */
export function readCheckpoint(text: string): Checkpoint | null {
  const [origin = "", size = "", root = "", ...rest] = text.split("\n")
  const rootHash = decodeBase64(root, 32)
  const extensions = rest.slice(0, -1)
  if (origin === "" || !/^(0|[1-9]\d{0,15})$/.test(size) || !rootHash || rest.at(-1) !== "") return null
  if (!Number.isSafeInteger(Number(size)) || extensions.includes("")) return null
  return { origin, size: Number(size), rootHash }
}

/** Returns a checkpoint that one of the keys signed. The name of that key must equal the origin of the log. */
export function openCheckpoint(
  note: string,
  keys: readonly VerifierKey[],
  crypto: NoteCrypto,
): Checkpoint | { readonly fault: NoteFault } {
  const opened = openNote(note, keys, crypto)
  if ("fault" in opened) return opened
  const checkpoint = readCheckpoint(opened.text)
  if (!checkpoint) return { fault: "CHECKPOINT_MALFORMED" }
  // Without this check, the key of one log could vouch for the tree of another log.
  if (!opened.signedBy.some(({ name }) => name === checkpoint.origin)) return { fault: "CHECKPOINT_ORIGIN_DIFFERS" }
  return checkpoint
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")
}
