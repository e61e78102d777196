import { writeSecretFile } from "../keys/secret-file.ts"
import { CommandError, EXIT } from "./exit.ts"

/**
 * Writes a new file readable by its owner only, on disk before this returns. Throws CommandError (2) when it exists: what these
 * commands write (a signed request, a payment, a paid delivery) is needed later and cannot be made again.
 */
export function writeNewFile(path: string, content: Uint8Array | string): void {
  try {
    writeSecretFile(path, content)
  } catch (error) {
    const code = error instanceof Error && "code" in error ? String(error.code) : null
    if (code === null) throw error
    const isThere = code === "EEXIST"
    throw new CommandError(
      isThere ? EXIT.USAGE : EXIT.CONFIG,
      `${path}: ${isThere ? "exists and is not overwritten" : code}`,
    )
  }
}
