import { hash } from "node:crypto"

/** The native SHA-256. Code that must also run in a browser takes its hash function as a parameter. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash("sha256", bytes, "buffer")
}
