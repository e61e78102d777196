/** Public keys that sign snapshots, from the setting `source_manifest_keys` and `sources verify --key`. */

import { CommandError, EXIT } from "../../base/exit.ts"
import { checkPublicKey } from "../../core/ed25519.ts"
import { readPublicKey } from "../buyers/mandate-key-file.ts"

/** Returns the keys given by value. Exits with 6 for an untrustworthy key. */
export function manifestKeys(keys: readonly string[]): readonly string[] {
  for (const x of keys) {
    const fault = checkPublicKey(x)
    if (fault) throw new CommandError(EXIT.CONFIG, `source_manifest_keys: ${x}: ${fault}`)
  }
  return keys
}

/** Returns the keys given by value or by a `.pub` file. */
export function keysNamed(texts: readonly string[]): readonly string[] {
  return texts.map((text) => {
    if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return readPublicKey(text).x
    const fault = checkPublicKey(text)
    if (fault) throw new CommandError(EXIT.INVALID, `${text}: ${fault}`)
    return text
  })
}
