/** Clock, timers, randomness and processors: the only file that uses them directly. All other code receives a `Machine`. */
import { randomBytes } from "node:crypto"
import { availableParallelism } from "node:os"

export interface Machine {
  /** Wall clock, milliseconds since the epoch. An operator or NTP may change it, so never measure a duration with it. */
  now(): number
  /** Milliseconds since an unspecified moment. Never goes back, and does not jump when the wall clock changes. */
  monotonic(): number
  random(byteLength: number): Uint8Array
  /** Resolves after `ms` milliseconds of monotonic time. */
  sleep(ms: number): Promise<void>
  /** Calls `callback` once after `ms` milliseconds of monotonic time. The returned function cancels the call. */
  after(ms: number, callback: () => void): () => void
  /** Calls `callback` after the current turn of the event loop. */
  soon(callback: () => void): void
  /** How many processors the affinity and the control group of this process allowed at its start. */
  readonly processors: number
}

/** The part that store and workers need. */
export type Timers = Pick<Machine, "monotonic" | "after" | "soon">

export const realMachine: Machine = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  random: (byteLength) => new Uint8Array(randomBytes(byteLength)),
  sleep: (ms) => Bun.sleep(ms),
  after: (ms, callback) => {
    const timer = setTimeout(callback, ms)
    return () => clearTimeout(timer)
  },
  soon: (callback) => void setImmediate(callback),
  processors: availableParallelism(),
}

/** Calls `callback` every `ms` milliseconds until the returned function is called. */
export function every({ after }: Pick<Machine, "after">, ms: number, callback: () => void): () => void {
  let cancel = arm()
  function arm(): () => void {
    return after(ms, () => {
      cancel = arm()
      callback()
    })
  }
  return () => cancel()
}
