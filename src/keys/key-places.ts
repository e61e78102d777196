/**
 * Directories of private key files. `keys/`: keys that sign, or once did. `keys/next/`: keys that do not sign yet. `keys/recovery/`:
 * recovery keys, until the operator takes them offline.
 */
import { existsSync, mkdirSync, renameSync } from "node:fs"
import { join } from "node:path"
import { syncFolder } from "../base/durable-file.ts"
import { SecretFileError } from "../base/secret-file.ts"
import { type HeldKey, keyFilePath, readKeyFile } from "./key-file.ts"

export function nextKeys(keysDirectory: string): string {
  return join(keysDirectory, "next")
}

export function recoveryKeys(keysDirectory: string): string {
  return join(keysDirectory, "recovery")
}

/** Creates the directory on first use, because older data directories do not have it. */
export function makeKeyPlace(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 })
  return directory
}

/**
 * The directory that holds a signing key's file. INVARIANT: a key is written to `keys/next/` before its row is committed and moved after.
 * In between, and after a crash there, the file in `keys/next/` is the key.
 */
export function placeOfSigningKey(keysDirectory: string, keyId: string): string {
  return existsSync(keyFilePath(keysDirectory, keyId)) ? keysDirectory : nextKeys(keysDirectory)
}

/** Reads signing keys of a directory by their ids. `read`: of a test. */
export function keysIn(keysDirectory: string, read = readKeyFile): (keyId: string) => HeldKey {
  return (keyId) => {
    const place = placeOfSigningKey(keysDirectory, keyId)
    try {
      return read(place, keyId)
    } catch (error) {
      // Another process may have moved the file meanwhile.
      if (!(error instanceof SecretFileError) || place === placeOfSigningKey(keysDirectory, keyId)) throw error
      return read(keysDirectory, keyId)
    }
  }
}

/** Moves the file of a key whose row is committed. Another process may do this at the same time. */
export function takeIntoUse(keysDirectory: string, keyId: string): void {
  const to = keyFilePath(keysDirectory, keyId)
  if (existsSync(to)) return
  try {
    renameSync(keyFilePath(nextKeys(keysDirectory), keyId), to)
  } catch (error) {
    if (!existsSync(to)) throw error
  }
  syncFolder(keysDirectory)
  syncFolder(nextKeys(keysDirectory))
}
