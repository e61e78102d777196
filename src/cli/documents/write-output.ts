import { accessSync, constants, existsSync } from "node:fs"
import { dirname } from "node:path"
import { CommandError, EXIT } from "../../base/exit.ts"
import { writeSecretFile } from "../../base/secret-file.ts"
import { asWriteRefusal } from "../../base/system-fault.ts"

/**
 * Writes a new file readable by its owner only, durably. Throws CommandError: 2 if the file exists or its folder does not, 7 if this user
 * may not write there. It never overwrites: a signed request, a payment or a paid delivery is needed later and cannot be made again.
 */
export function writeNewFile(path: string, content: Uint8Array | string): void {
  try {
    writeSecretFile(path, content)
  } catch (error) {
    throw asWriteRefusal(path, error)
  }
}

/** Call it before an action that cannot be repeated. Throws the CommandError of {@link writeNewFile}, and writes nothing. */
export function requireNewFile(path: string): void {
  if (existsSync(path)) throw new CommandError(EXIT.USAGE, `${path}: exists and is not overwritten`)
  try {
    // A file has no entry `.`, so a file in place of the folder is named as such.
    accessSync(`${dirname(path)}/.`, constants.W_OK | constants.X_OK)
  } catch (error) {
    throw asWriteRefusal(path, error)
  }
}
