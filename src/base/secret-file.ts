/** Files that hold a secret: written once, never overwritten, on disk before any code relies on them, readable by their owner only. */
import { existsSync, linkSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { basename, dirname, join, resolve } from "node:path"
import { syncFolder, writeNewFile } from "./durable-file.ts"
import { systemFault } from "./system-fault.ts"

export class SecretFileError extends Error {}

/** Largest secret file that is read, in bytes; a key file has under 300. */
const SECRET_BYTES_MAX = 4096

/** O_EXCL: an existing key is never replaced, because signatures by it may exist already. */
export function writeSecretFile(path: string, bytes: Uint8Array | string): void {
  writeNewFile(path, [bytes])
  syncFolder(dirname(path))
}

/**
 * The same, but safe against crashes and parallel processes: the file appears only when complete, and all processes find the bytes of one
 * of them. An existing file stays.
 */
export function makeSecretFile(path: string, bytes: Uint8Array): void {
  if (!existsSync(path)) {
    const partial = `${path}.partial-${process.pid}`
    rmSync(partial, { force: true })
    writeSecretFile(partial, bytes)
    try {
      linkSync(partial, path)
    } catch (error) {
      if (!existsSync(path)) throw error
    }
  }
  const directory = dirname(path)
  for (const name of readdirSync(directory)) {
    if (name.startsWith(`${basename(path)}.partial-`)) rmSync(join(directory, name), { force: true })
  }
  syncFolder(directory)
}

/**
 * Throws {@link SecretFileError} when the file is missing, too long, unreadable for this user, or readable by group or others (as ssh
 * refuses such keys).
 */
export function readSecretFile(path: string): Buffer {
  try {
    return readOwnFile(path)
  } catch (error) {
    const fault = systemFault(error)
    throw fault === null ? error : new SecretFileError(fault, { cause: error })
  }
}

/**
 * Whether systemd made the file for this service alone (LoadCredential). It then belongs to root, an access list lets the service read it, and
 * the mask of that list shows as the group's permission to read.
 */
export function isCredential(path: string): boolean {
  const folder = process.env["CREDENTIALS_DIRECTORY"]
  return folder !== undefined && folder !== "" && dirname(resolve(path)) === resolve(folder)
}

function readOwnFile(path: string): Buffer {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found) throw new SecretFileError(`${path} is missing`)
  if (!found.isFile()) throw new SecretFileError(`${path} is not a file`)
  if ((found.mode & (isCredential(path) ? 0o037 : 0o077)) !== 0) {
    const mode = (found.mode & 0o777).toString(8).padStart(4, "0")
    throw new SecretFileError(`${path} is open to other users (mode ${mode}); fix it with: chmod 600 ${path}`)
  }
  if (found.size > SECRET_BYTES_MAX) throw new SecretFileError(`${path} is longer than ${SECRET_BYTES_MAX} bytes`)
  return readFileSync(path)
}
