import type { Machine } from "../base/machine.ts"
import type { Worker } from "../base/worker.ts"
import { Histogram } from "../http/process-counts.ts"

const EVERY_MS = 500
/** In milliseconds. */
const BOUNDS_MS = [5, 10, 25, 50, 100, 250, 500, 1000, 5000]

/** Measures how late a timer runs: for that long no request was served. */
export class EventLoopLag {
  readonly histogram = new Histogram(BOUNDS_MS)

  constructor(private readonly machine: Pick<Machine, "monotonic" | "after">) {}

  worker(): Worker {
    let cancel = () => {}
    const arm = () => {
      const due = this.machine.monotonic() + EVERY_MS
      cancel = this.machine.after(EVERY_MS, () => {
        this.histogram.observe(Math.max(0, this.machine.monotonic() - due))
        arm()
      })
    }
    return { name: "event loop lag", start: arm, stop: async () => cancel() }
  }
}
