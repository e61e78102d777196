/**
 * The key file on the agent's machine: its private JWKs, and the results of enrolment and later changes. Only its owner can read it, and
 * nothing in it is ever sent. Its loss is the loss of the identity, because there is no back door. A person who can read it can sign as the
 * agent.
 */
import { randomUUID } from "node:crypto"
import { readFileSync, statSync, unlinkSync } from "node:fs"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { renameDurably, writeNewFile } from "../base/durable-file.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { asWriteRefusal, systemFault } from "../base/system-fault.ts"
import { keyOwner } from "../core/key-owner.ts"
import { readJson, StrictJsonError } from "../core/strict-json.ts"
import { KeyFile } from "./forms/key-file.ts"
import { signingKey } from "./keys.ts"

const checkKeyFile = TypeCompiler.Compile(KeyFile)

const FILE_BYTES_MAX = 64 * 1024

/** Creates the file with mode 0600. Throws CommandError (2) if it exists, because overwriting a key would destroy an identity. */
export function createKeyFile(path: string, content: KeyFile): void {
  try {
    writeNewFile(path, [fileText(content)])
  } catch (error) {
    throw asWriteRefusal(path, error)
  }
}

/**
 * Replaces the content with one rename, so that a crash leaves the old or the new file and never a partial key. It is durable when this
 * returns, because the next message may make the old keys worthless.
 */
export function replaceKeyFile(path: string, content: KeyFile): void {
  const next = `${path}.${randomUUID()}.new`
  try {
    writeNewFile(next, [fileText(content)])
    renameDurably(next, path)
  } catch (error) {
    removeIfThere(next)
    throw unusable(path, error)
  }
}

/**
 * Throws CommandError: 5 the file is missing, 6 others can read it, 7 this user may not read it, 4 it is not a key file, 3 its keys are
 * damaged.
 */
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
  // A pending rotation uses the committed key itself.
  const twice = next !== undefined && pending_keys.operational?.x === next.x ? 1 : 0
  if (owners.size + twice < keys.length) {
    throw new CommandError(EXIT.INVALID, `${path}: two of its keys are the same key`)
  }
  return content
}

/** Throws CommandError: 5 the file is missing, 6 others can read it, 7 this user may not read it, 4 it is not a file or exceeds 64 KiB. */
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

const fileText = (content: KeyFile): string => `${JSON.stringify(content, null, 2)}\n`

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
