/**
 * The key file on the agent's own machine: two private JWKs and what enrolment made of them. Readable by its owner only; nothing
 * in it is ever sent. Losing it loses the identity (there is no back door); whoever reads it can sign as the agent.
 */
import { type KeyObject, randomUUID } from "node:crypto"
import { closeSync, fsyncSync, openSync, readFileSync, renameSync, statSync, unlinkSync, writeSync } from "node:fs"
import { type Static, Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { AgentId, closed, KeyId } from "../../schemas/common.ts"
import { CommandError, EXIT } from "../cli/exit.ts"
import { decodeBase64url, encodeBase64url } from "../core/base64url.ts"
import { keyFromSeed } from "../core/ed25519.ts"
import { keyIdOf } from "../core/jwk.ts"
import { keyOwner } from "../core/key-owner.ts"
import { readJson, StrictJsonError } from "../core/strict-json.ts"

const Base64url32 = Type.String({ pattern: "^[A-Za-z0-9_-]{43}$" })
const PrivateJwk = closed({
  kty: Type.Literal("OKP"),
  crv: Type.Literal("Ed25519"),
  x: Base64url32,
  d: Base64url32,
})
type PrivateJwk = Static<typeof PrivateJwk>

const KeyFile = closed({
  operational: PrivateJwk,
  recovery: PrivateJwk,
  /** A challenge signed for but not yet answered: proving it again after a lost response gives the same identity. */
  pending: Type.Optional(KeyEvent),
  server: Type.Optional(Type.String()),
  agent_id: Type.Optional(AgentId),
  /** Of the operational key. */
  key_id: Type.Optional(KeyId),
})
export type KeyFile = Static<typeof KeyFile>
const checkKeyFile = TypeCompiler.Compile(KeyFile)

const FILE_BYTES_MAX = 64 * 1024

export interface SigningKey {
  readonly keyId: string
  readonly x: string
  readonly privateKey: KeyObject
}

/** `random` draws bytes; the two seeds are independent draws. */
export function generateKeyFile(random: (byteLength: number) => Uint8Array): KeyFile {
  const jwk = (seed: Uint8Array): PrivateJwk => ({
    kty: "OKP",
    crv: "Ed25519",
    x: keyFromSeed(seed).x,
    d: encodeBase64url(seed),
  })
  return { operational: jwk(random(32)), recovery: jwk(random(32)) }
}

/** The usable key of a private JWK. Throws CommandError (3) when `x` is not the public half of `d`. */
export function signingKey(jwk: PrivateJwk): SigningKey {
  const seed = decodeBase64url(jwk.d, 32)
  const key = seed ? keyFromSeed(seed) : null
  if (key?.x !== jwk.x) throw new CommandError(EXIT.INVALID, "a key in the key file is damaged: x does not belong to d")
  return { keyId: keyIdOf(key.x), x: key.x, privateKey: key.privateKey }
}

/** Creates the file with mode 0600. Throws CommandError (2) when it exists: a key overwritten is an identity lost. */
export function createKeyFile(path: string, content: KeyFile): void {
  try {
    writeDurably(path, content)
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw unusable(path, error)
    throw new CommandError(EXIT.USAGE, `${path} exists and is not overwritten`)
  }
}

/** Replaces the content in one rename, so that a crash leaves the old file or the new one and never half of a key. */
export function replaceKeyFile(path: string, content: KeyFile): void {
  const next = `${path}.${randomUUID()}.new`
  try {
    writeDurably(next, content)
    renameSync(next, path)
  } catch (error) {
    removeIfThere(next)
    throw unusable(path, error)
  }
}

/** Throws CommandError: 5 not there, 6 readable by others, 4 not a key file, 3 damaged keys. */
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
  if (keyOwner(signingKey(content.operational).x) === keyOwner(signingKey(content.recovery).x)) {
    throw new CommandError(EXIT.INVALID, `${path}: operational and recovery key are the same key`)
  }
  return content
}

/** Throws CommandError: 5 not there, 6 readable by others, 4 over 64 KiB. */
export function ownerOnlyBytes(path: string): Uint8Array {
  try {
    const { mode, size } = statSync(path)
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
  return new CommandError(code === "ENOENT" ? EXIT.NOT_FOUND : EXIT.CONFIG, `${path}: ${code}`)
}

function errorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null
}
