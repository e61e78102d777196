import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"
import { CommandError, EXIT } from "../../exit.ts"
import { writeSecretFile } from "../../keys/secret-file.ts"
import { asWriteRefusal } from "../../system-fault.ts"

/**
 * Writes a new file readable by its owner only, on disk before this returns. Throws CommandError: 2 when it exists or its
 * folder does not, 7 when this user may not write there. What exists is kept: a signed request, a payment or a paid delivery is needed
 * later and cannot be made again.
 */
export function writeNewFile(path: string, content: Uint8Array | string): void {
  try {
    writeSecretFile(path, content)
  } catch (error) {
    throw asWriteRefusal(path, error)
  }
}

/** Before something is done that cannot be done again: throws CommandError as {@link writeNewFile} would. Nothing is written. */
export function requireNewFile(path: string): void {
  if (existsSync(path)) throw new CommandError(EXIT.USAGE, `${path}: exists and is not overwritten`)
  try {
    accessSync(dirname(path), constants.W_OK | constants.X_OK)
  } catch (error) {
    throw asWriteRefusal(path, error)
  }
}
