/**
 * The key file on the agent's own machine: its private JWKs and what enrolment and later changes made of them. Readable by its
 * owner only; nothing in it is ever sent. Losing it loses the identity (there is no back door); whoever reads it can sign as the
 * agent.
 */
import { type KeyObject, randomUUID } from "node:crypto"
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from "node:fs"
import { dirname } from "node:path"
import { type Static, Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { EventReceipt } from "../../schemas/agent-id/proof.ts"
import { AgentId, closed, Digest, KeyId } from "../../schemas/common.ts"
import { decodeBase64url, encodeBase64url } from "../core/base64url.ts"
import { keyFromSeed } from "../core/ed25519.ts"
import { keyIdOf } from "../core/jwk.ts"
import { keyOwner } from "../core/key-owner.ts"
import { readJson, StrictJsonError } from "../core/strict-json.ts"
import { CommandError, EXIT } from "../exit.ts"
import { asWriteRefusal, systemFault } from "../system-fault.ts"

const Base64url32 = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" })
const PrivateJwk = closed({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Base64url32,
  d: Base64url32,
})
export type PrivateJwk = Static<typeof PrivateJwk>

const KeyFile = closed({
  operational: PrivateJwk,
  recovery: PrivateJwk,
  /** The operational key the last event committed to: the next routine rotation brings it in, and no other. */
  next: Type.Optional(PrivateJwk),
  /** An event signed for but not yet answered: proving it again after a lost response gives the same result. */
  pending: Type.Optional(KeyEvent),
  /** Keys that the pending event brings in or commits to. Kept from before they are shown to anyone. */
  pending_keys: Type.Optional(
    closed({
      operational: Type.Optional(PrivateJwk),
      recovery: Type.Optional(PrivateJwk),
      next: Type.Optional(PrivateJwk),
    }),
  ),
  server: Type.Optional(Type.String()),
  agent_id: Type.Optional(AgentId),
  /** Of the operational key. */
  key_id: Type.Optional(KeyId),
  /** The agent's own copy of the head of its history: what the next event must build on, whatever a server says. */
  head: Type.Optional(
    closed({ sequence: Type.Integer({ minimum: 0 }), event_digest: Digest, receipt: Type.Optional(EventReceipt) }),
  ),
  /** What was revoked: the operational key without a successor yet, or everything for good. */
  revoked: Type.Optional(Type.Union([Type.Literal("OPERATIONAL"), Type.Literal("IDENTITY")])),
})
export type KeyFile = Static<typeof KeyFile>
const checkKeyFile = TypeCompiler.Compile(KeyFile)

const FILE_BYTES_MAX = 64 * 1024

export interface SigningKey {
  readonly keyId: string
  readonly x: string
  readonly privateKey: KeyObject
}

/** Draws bytes; seeds are independent draws. */
export type Random = (byteLength: number) => Uint8Array

export function generateKey(random: Random): PrivateJwk {
  const seed = random(32)
  return { kty: "OKP", crv: "Ed25519", x: keyFromSeed(seed).x, d: encodeBase64url(seed) }
}

export function generateKeyFile(random: Random): KeyFile {
  return { operational: generateKey(random), recovery: generateKey(random), next: generateKey(random) }
}

/** The usable key of a private JWK. Throws CommandError (3) when `x` is not the public half of `d`. */
export function signingKey(jwk: PrivateJwk): SigningKey {
  const seed = decodeBase64url(jwk.d, 32)
  const key = seed ? keyFromSeed(seed) : null
  if (key?.x !== jwk.x) throw new CommandError(EXIT.INVALID, "a key in the key file is damaged: x does not belong to d")
  return { keyId: keyIdOf(key.x), x: key.x, privateKey: key.privateKey }
}

/** Creates the file with mode 0600. Throws CommandError, 2 when it exists: a key overwritten is an identity lost. */
export function createKeyFile(path: string, content: KeyFile): void {
  try {
    writeDurably(path, content)
  } catch (error) {
    throw asWriteRefusal(path, error)
  }
}

/**
 * Replaces the content in one rename, so that a crash leaves the old file or the new one and never half of a key. On disk when it
 * returns: what is then sent may make the old keys worthless.
 */
export function replaceKeyFile(path: string, content: KeyFile): void {
  const next = `${path}.${randomUUID()}.new`
  try {
    writeDurably(next, content)
    renameSync(next, path)
    syncDirectory(dirname(path))
  } catch (error) {
    removeIfThere(next)
    throw unusable(path, error)
  }
}

/** Throws CommandError: 5 not there, 6 readable by others, 7 not this user's to read, 4 not a key file, 3 damaged keys. */
export function readKeyFile(path: string): KeyFile {
  const bytes = ownerOnlyBytes(path)
  let content: unknown
  try {
    content = readJson(bytes)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `${path} is not a key file: ${error.fault}`)
  }
  if (!checkKeyFile.Check(content)) {
    throw new CommandError(EXIT.NOT_CHECKED, `${path} is not a key file of this version`)
  }
  const { operational, recovery, next, pending_keys = {} } = content
  const keys = [operational, recovery, next, ...Object.values(pending_keys)].filter((jwk) => jwk !== undefined)
  const owners = new Set(keys.map((jwk) => keyOwner(signingKey(jwk).x)))
  // A pending rotation brings in the committed key itself.
  const twice = next !== undefined && pending_keys.operational?.x === next.x ? 1 : 0
  if (owners.size + twice < keys.length) {
    throw new CommandError(EXIT.INVALID, `${path}: two of its keys are the same key`)
  }
  return content
}

/** Throws CommandError: 5 not there, 6 readable by others, 7 not this user's to read, 4 no file or over 64 KiB. */
export function ownerOnlyBytes(path: string): Uint8Array {
  try {
    const found = statSync(path)
    const { mode, size } = found
    if (!found.isFile()) throw new CommandError(EXIT.NOT_CHECKED, `${path} is not a file`)
    if ((mode & 0o077) !== 0) {
      throw new CommandError(EXIT.CONFIG, `${path} can be read by others; run chmod 600 on it`)
    }
    if (size > FILE_BYTES_MAX) throw new CommandError(EXIT.NOT_CHECKED, `${path} is too large`)
    return readFileSync(path)
  } catch (error) {
    throw unusable(path, error)
  }
}

function writeDurably(path: string, content: KeyFile): void {
  const file = openSync(path, "wx", 0o600)
  try {
    writeSync(file, `${JSON.stringify(content, null, 2)}\n`)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

/** The rename itself, not only the file, must have reached the disk. */
function syncDirectory(path: string): void {
  const directory = openSync(path, "r")
  try {
    fsyncSync(directory)
  } finally {
    closeSync(directory)
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path)
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw unusable(path, error)
  }
}

function unusable(path: string, error: unknown): unknown {
  const code = errorCode(error)
  if (code === null) return error
  return new CommandError(code === "ENOENT" ? EXIT.NOT_FOUND : EXIT.DATA, systemFault(error) ?? `${path}: ${code}`)
}

function errorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null
}
