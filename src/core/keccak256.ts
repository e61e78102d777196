import { keccak_256 } from "@noble/hashes/sha3.js"
import { bytesToHex } from "@noble/hashes/utils.js"

/** Returns the hash of the text's UTF-8 bytes as the EVM has it: `0x` and 64 lower-case hex digits. */
export function keccak256(text: string): `0x${string}` {
  return `0x${bytesToHex(keccak_256(new TextEncoder().encode(text)))}`
}
