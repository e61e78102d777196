import { CommandError, EXIT } from "../base/exit.ts"
import { readSecretFile, SecretFileError } from "../base/secret-file.ts"
import { isDenied } from "../base/system-fault.ts"

/** Returns the bytes of a secret file. Exits with 6 if it is missing or others may read it, with 7 if this user may not read it. */
export function readSecret(path: string): Uint8Array {
  try {
    return readSecretFile(path)
  } catch (error) {
    if (!(error instanceof SecretFileError)) throw error
    throw new CommandError(isDenied(error.cause) ? EXIT.DATA : EXIT.CONFIG, error.message)
  }
}
