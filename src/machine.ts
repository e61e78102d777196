/** The clock and the source of randomness: the one place that names them. Everything else is handed these two. */
import { randomBytes } from "node:crypto"

export interface Machine {
  /** Milliseconds since the epoch. */
  now(): number
  random(byteLength: number): Uint8Array
}

export const realMachine: Machine = {
  now: () => Date.now(),
  random: (byteLength) => new Uint8Array(randomBytes(byteLength)),
}
