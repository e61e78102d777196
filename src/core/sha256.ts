import { hash } from "node:crypto"

/** The native SHA-256, for the code that takes its hash as a parameter so that a browser can run it too. */
export function sha256(bytes: Uint8Array): Uint8Array {
  return hash("sha256", bytes, "buffer")
}
