/** The private keys of a backup: a tar of `keys/`, encrypted with a passphrase (age-encryption.org/v1, scrypt). */
import { mkdirSync, readdirSync, statSync } from "node:fs"
import { join, relative } from "node:path"
import { Decrypter, Encrypter } from "age-encryption"
import { syncFolder, writeNewFile } from "../../base/durable-file.ts"
import { readSecretFile } from "../../base/secret-file.ts"
import { readTar, TarBroken, writeTar } from "../../core/tar/tar.ts"
import { nextKeys } from "../../keys/key-places.ts"
import { BackupRefusal } from "./backup-refusal.ts"

/** Characters. A short passphrase is guessed offline by whoever gets the backup. */
const PASSPHRASE_MIN = 16
const KEY_FILES_MAX = 1000
/** A sealed file is not larger than this, whatever its member says. */
export const SEALED_BYTES_MAX = 8 * 1024 * 1024
const KEY_FILE = /^(next\/)?[A-Za-z0-9_-]{1,120}\.(json|key)$/

/** Every key file except the recovery keys, as paths relative to `keysDirectory`. Files that a crash left behind are no keys. */
export function keyFilesOf(keysDirectory: string): readonly string[] {
  return [keysDirectory, nextKeys(keysDirectory)]
    .flatMap((folder) => listed(folder).map((name) => relative(keysDirectory, join(folder, name))))
    .filter((path) => KEY_FILE.test(path))
    .sort()
}

function listed(folder: string): readonly string[] {
  const found = statSync(folder, { throwIfNoEntry: false })
  return found?.isDirectory() ? readdirSync(folder) : []
}

/** Logarithm to the base 2 of the cost of scrypt: about a second for each guess of a passphrase. */
export const SCRYPT_WORK_FACTOR = 18

/** Throws SecretFileError for a key file that others can read. */
export async function sealKeys(
  keysDirectory: string,
  passphrase: string,
  workFactor = SCRYPT_WORK_FACTOR,
): Promise<Uint8Array> {
  const files = keyFilesOf(keysDirectory).map((name) => {
    const bytes = readSecretFile(join(keysDirectory, name))
    // A tar of plain files: the folder of the next keys is part of the name.
    return { name, size: bytes.length, modifiedAt: 0, pieces: [new Uint8Array(bytes)] }
  })
  const encrypter = new Encrypter()
  encrypter.setPassphrase(passphrase)
  encrypter.setScryptWorkFactor(workFactor)
  return encrypter.encrypt(Buffer.concat([...writeTar(files)]))
}

/** Decrypts the files of {@link sealKeys}. Throws {@link BackupRefusal}. */
export async function openKeys(
  sealed: Uint8Array,
  passphrase: string,
): Promise<readonly { name: string; bytes: Uint8Array }[]> {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(passphrase)
  const tar = await decrypter.decrypt(sealed).catch(() => {
    throw new BackupRefusal("KEYS", "the keys of the backup do not open with this passphrase")
  })
  try {
    const files = readTar(tar, KEY_FILES_MAX)
    const strange = files.find(({ name }) => !KEY_FILE.test(name))
    if (strange)
      throw new BackupRefusal(
        "FOREIGN",
        `the keys of the backup hold ${JSON.stringify(strange.name)}, which is no key file`,
      )
    return files
  } catch (error) {
    if (!(error instanceof TarBroken)) throw error
    throw new BackupRefusal("DAMAGED", `the keys of the backup are damaged: ${error.message}`)
  }
}

/** Writes the files of {@link openKeys} into a new folder `keysDirectory`. */
export function writeKeys(keysDirectory: string, files: readonly { name: string; bytes: Uint8Array }[]): void {
  mkdirSync(nextKeys(keysDirectory), { recursive: true, mode: 0o700 })
  for (const { name, bytes } of files) writeNewFile(join(keysDirectory, name), [bytes])
  syncFolder(nextKeys(keysDirectory))
  syncFolder(keysDirectory)
}

/** Throws {@link BackupRefusal} for a file without a passphrase of {@link PASSPHRASE_MIN} characters. Spaces at its ends do not count. */
export function readPassphrase(path: string): string {
  const text = readSecretFile(path).toString("utf8").trim()
  if ([...text].length >= PASSPHRASE_MIN) return text
  throw new BackupRefusal("KEYS", `${path} must hold a passphrase of at least ${PASSPHRASE_MIN} characters`)
}
