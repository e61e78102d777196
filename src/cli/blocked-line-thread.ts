/** Entry point of the thread that draws the progress line while the main thread is blocked. The compiled file has a separate module graph for it. */
import { statSync, writeSync } from "node:fs"
import { type BlockedStep, drawUnlessEnded } from "./blocked-line.ts"
import { openProgress } from "./progress.ts"

declare const self: Worker

const STDERR = 2
const POLL_EVERY_MS = 250
const timers: ReturnType<typeof setInterval>[] = []

self.onmessage = ({ data }: MessageEvent<BlockedStep>) => {
  for (const timer of timers.splice(0)) clearInterval(timer)
  const { step, columns } = data
  const repeated = (ms: number, callback: () => void) => {
    const timer = setInterval(callback, ms)
    timers.push(timer)
    return () => clearInterval(timer)
  }
  const progress = openProgress({
    write: (text) => drawUnlessEnded(data, () => void writeSync(STDERR, text)),
    mode: "LINE",
    columns: () => columns,
    now: () => performance.now(),
    every: repeated,
    log: () => {},
  })
  const { grows, size = 0, ...rest } = step
  if (grows === undefined) progress.step(step)
  else {
    progress.step({ ...rest, unit: "bytes", total: size })
    repeated(POLL_EVERY_MS, () => progress.done(statSync(grows, { throwIfNoEntry: false })?.size ?? 0))
  }
}
