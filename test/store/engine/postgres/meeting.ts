/** A place where units of one test meet, so that they are side by side for certain and not by chance. */
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { has } from "../../nonce-rows.ts"

const WITHIN_MS = 20_000

/** Each unit that comes here waits for the answers of statements until `count` units have come. A unit that comes later, or again, does not wait. */
export function meeting(count: number): () => Unit<void> {
  let come = 0
  return function* () {
    come++
    const until = performance.now() + WITHIN_MS
    while (come < count) {
      if (performance.now() > until) throw new Error(`${come} of ${count} units met`)
      yield* has("nothing", "meeting")
    }
  }
}
