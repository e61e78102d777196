/**
 * While a simulation runs, the wall clock shows virtual time, and any use of real time, real randomness, a real timer or a real network is
 * an error that names the caller. An unseeded value would make a run differ from its replay.
 */
import { setSystemTime } from "bun:test"

/** Names of globals that no code on the path may use directly. */
const FORBIDDEN = ["setTimeout", "setInterval", "setImmediate", "fetch"] as const
const TIMERS: ReadonlySet<string> = new Set(["setTimeout", "setInterval", "setImmediate"])

export interface SealedGlobals {
  /** Sets what `Date` shows, in ms since the epoch. */
  setDate(ms: number): void
  /** The rejected uses, each with its stack. */
  readonly refused: readonly string[]
  /** Runs foreign code that draws a random name or sets a cache timer: the draw is real, and the timer never fires. */
  allowing<T>(run: () => T): T
  unseal(): void
}

export function sealGlobals(): SealedGlobals {
  const refused: string[] = []
  let isAllowed = false
  let shown = Number.NaN
  const fail =
    (name: string, real: (...args: unknown[]) => unknown) =>
    (...args: unknown[]) => {
      if (isAllowed) return TIMERS.has(name) ? 0 : real(...args)
      const error = new Error(`${name} was used in a simulated run`)
      refused.push(error.stack ?? error.message)
      throw error
    }
  const undo: (() => void)[] = []
  const replace = (target: object, name: string, shown: string) => {
    const before = Object.getOwnPropertyDescriptor(target, name)
    const real: unknown = Reflect.get(target, name)
    if (typeof real !== "function") throw new TypeError(`${shown} is no function`)
    Object.defineProperty(target, name, { value: fail(shown, real.bind(target)), configurable: true, writable: true })
    undo.push(() => (before ? Object.defineProperty(target, name, before) : Reflect.deleteProperty(target, name)))
  }
  for (const name of FORBIDDEN) replace(globalThis, name, name)
  replace(Math, "random", "Math.random")
  replace(performance, "now", "performance.now")
  replace(crypto, "getRandomValues", "crypto.getRandomValues")
  replace(crypto, "randomUUID", "crypto.randomUUID")
  return {
    refused,
    setDate: (ms) => {
      if (ms === shown) return
      shown = ms
      setSystemTime(new Date(ms))
    },
    allowing: (run) => {
      isAllowed = true
      try {
        return run()
      } finally {
        isAllowed = false
      }
    },
    unseal: () => {
      for (const step of undo.reverse()) step()
      setSystemTime()
    },
  }
}
