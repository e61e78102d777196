/**
 * Clock and randomness of a journey. Both depend on journey, seed and clock alone, so the same journey gives the same bytes on every
 * machine. Virtual time passes only while the service sleeps; it never reaches the wall clock, which moves one second a step.
 */
import { createHash } from "node:crypto"
import { type Machine, realMachine } from "../base/machine.ts"
import { SECOND } from "../core/time.ts"

const DOMAIN = "SVC-SANDBOX-RANDOM-1"
const BLOCK_BYTES = 32

interface MachineSeed {
  readonly journey: string
  readonly seed: number
  /** Milliseconds since the epoch. */
  readonly clock: number
}

interface Timer {
  readonly at: number
  readonly callback: () => void
}

export interface SyntheticMachine extends Machine {
  /** Ends a step: the wall clock moves on by one second. */
  step(): void
}

export function syntheticMachine({ journey, seed, clock }: MachineSeed): SyntheticMachine {
  let steps = 0
  let blocks = 0
  let virtual = 0
  const timers = new Set<Timer>()

  function pass(ms: number): void {
    virtual += ms
    const due = [...timers].filter(({ at }) => at <= virtual).sort((a, b) => a.at - b.at)
    for (const timer of due) if (timers.delete(timer)) timer.callback()
  }

  return {
    step: () => {
      steps++
    },
    now: () => clock + steps * SECOND,
    monotonic: () => virtual,
    // SHA-256 of domain, seed, journey and a counter, block after block.
    random: (byteLength) => {
      const bytes = new Uint8Array(byteLength)
      for (let from = 0; from < byteLength; from += BLOCK_BYTES) {
        const block = createHash("sha256").update(`${DOMAIN}|${seed}|${journey}|${blocks++}`).digest()
        bytes.set(block.subarray(0, Math.min(BLOCK_BYTES, byteLength - from)), from)
      }
      return bytes
    },
    sleep: async (ms) => {
      await new Promise<void>((done) => realMachine.soon(done))
      pass(ms)
    },
    // Fires when the service has slept so long. A timer alone never moves virtual time.
    after: (ms, callback) => {
      const timer = { at: virtual + ms, callback }
      timers.add(timer)
      return () => void timers.delete(timer)
    },
    soon: realMachine.soon,
    // Another thread would answer at a time that depends on the machine.
    processors: 1,
  }
}
