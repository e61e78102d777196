/** Clock, randomness and timer of any JavaScript engine. */
import type { Machine } from "../../base/machine.ts"

export const ENGINE: Pick<Machine, "now" | "monotonic" | "random" | "sleep"> = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: (byteLength) => crypto.getRandomValues(new Uint8Array(byteLength)),
  sleep: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
}
