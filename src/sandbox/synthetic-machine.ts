/**
 * Clock and randomness of a journey. Both depend on journey, seed and clock alone, so the same journey gives the same bytes on every
 * machine. Virtual time passes only while the service sleeps; it never reaches the wall clock, which moves one second a step.
 */
import { createHash } from "node:crypto"
import { SECOND } from "../core/time.ts"
import { type Machine, realMachine } from "../machine.ts"

const DOMAIN = "SVC-SANDBOX-RANDOM-1"

export interface MachineSeed {
  readonly journey: string
  readonly seed: number
  /** Milliseconds since the epoch. */
  readonly clock: number
}

interface Timer {
  readonly at: number
  readonly callback: () => void
}

export class SyntheticMachine implements Machine {
  private steps = 0
  private drawn = 0
  private virtual = 0
  private readonly timers = new Set<Timer>()

  constructor(private readonly from: MachineSeed) {}

  /** Ends a step: the wall clock moves on by one second. */
  step(): void {
    this.steps++
  }

  now(): number {
    return this.from.clock + this.steps * SECOND
  }

  monotonic(): number {
    return this.virtual
  }

  /** SHA-256 of domain, seed, journey and a counter, block after block. */
  random(byteLength: number): Uint8Array {
    const { seed, journey } = this.from
    const bytes = new Uint8Array(byteLength)
    for (let from = 0; from < byteLength; from += 32) {
      const block = createHash("sha256")
        .update(`${DOMAIN}|${seed}|${journey}|${this.drawn++}`)
        .digest()
      bytes.set(block.subarray(0, Math.min(32, byteLength - from)), from)
    }
    return bytes
  }

  async sleep(ms: number): Promise<void> {
    await new Promise<void>((done) => realMachine.soon(done))
    this.pass(ms)
  }

  /** Fires when the service has slept so long. A timer alone never moves virtual time. */
  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.virtual + ms, callback }
    this.timers.add(timer)
    return () => void this.timers.delete(timer)
  }

  soon(callback: () => void): void {
    realMachine.soon(callback)
  }

  private pass(ms: number): void {
    this.virtual += ms
    const due = [...this.timers].filter(({ at }) => at <= this.virtual).sort((a, b) => a.at - b.at)
    for (const timer of due) if (this.timers.delete(timer)) timer.callback()
  }
}
