/** Private keys in the forms in which programs write them as JSON values. */

import { isListOfKeyPair, KEY_PAIR_BYTES } from "./key-pair.ts"
import { hasPrivateMaterial } from "./private-material.ts"

/** Members of the encrypted key in a wallet's keystore: version 3 of Ethereum, and EIP-2335. */
export const KEYSTORE_MEMBERS = [
  ["kdfparams", "ciphertext"],
  ["kdf", "cipher", "checksum"],
] as const

/** True for a private JWK, the encrypted key of a keystore, and the bytes of a key in a list or an object. Looks at no deeper member. */
export function isPrivateKey(value: object): boolean {
  const has = (name: string) => Object.hasOwn(value, name)
  if (has("kty") && hasPrivateMaterial(value)) return true
  if (KEYSTORE_MEMBERS.some((names) => names.every(has))) return true
  return has(String(KEY_PAIR_BYTES - 1)) && isListOfKeyPair(Object.values(value))
}
