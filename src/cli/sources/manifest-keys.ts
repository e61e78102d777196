/** Public keys that vouch for snapshots, as the setting `source_manifest_keys` and `sources verify --key` name them. */
import { checkPublicKey } from "../../core/ed25519.ts"
import { CommandError, EXIT } from "../../exit.ts"
import { readPublicKey } from "../buyers/mandate-key-file.ts"

/** Keys by value. Ends with exit 6 for one that must not be trusted. */
export function manifestKeys(keys: readonly string[]): readonly string[] {
  for (const x of keys) {
    const fault = checkPublicKey(x)
    if (fault) throw new CommandError(EXIT.CONFIG, `source_manifest_keys: ${x}: ${fault}`)
  }
  return keys
}

/** Keys by value or by the `.pub` file that holds one. */
export function keysNamed(texts: readonly string[]): readonly string[] {
  return texts.map((text) => {
    if (!/^[A-Za-z0-9_-]{43}$/.test(text)) return readPublicKey(text).x
    const fault = checkPublicKey(text)
    if (fault) throw new CommandError(EXIT.INVALID, `${text}: ${fault}`)
    return text
  })
}
