/** A progress line at a clock that the test sets, with everything that it writes. */
import { expect } from "bun:test"
import type { LogFields } from "../../src/base/log.ts"
import type { BlockedLine } from "../../src/cli/blocked-line.ts"
import { openProgress, type ProgressParts } from "../../src/cli/progress.ts"

export const CLEAR = "\r\u001b[2K"
const TICK_MS = 250

export function watching(mode: ProgressParts["mode"], columns = 120, blocked?: BlockedLine) {
  let at = 50_000
  let tick: (() => void) | null = null
  let written: string[] = []
  const logged: LogFields[] = []
  const progress = openProgress({
    write: (text) => void written.push(text),
    mode,
    columns: () => columns,
    now: () => at,
    every(ms, callback) {
      expect(ms).toBe(TICK_MS)
      tick = callback
      return () => {
        tick = null
      }
    },
    log: (fields) => void logged.push(fields),
    ...(blocked && { blocked }),
  })
  return {
    progress,
    logged,
    /** Lets time pass without a tick, as in a blocked process. */
    block(ms: number) {
      at += ms
    },
    /** Lets time pass with its ticks. */
    pass(ms: number) {
      for (let passed = 0; passed < ms; passed += TICK_MS) {
        at += TICK_MS
        tick?.()
      }
    },
    /** What was written since the last call. */
    written() {
      const texts = written
      written = []
      return texts
    },
    isTicking: () => tick !== null,
  }
}

export const WRITING = { what: "writing the backup", number: { at: 4, of: 6 }, unit: "bytes", total: 512_000_000 }
