/** One life of a simulated process, from its start to its kill. After the kill no pending callback reaches it. */
import type { Machine } from "../../src/base/machine.ts"
import type { Random } from "./random.ts"
import type { Owner, Scheduler } from "./scheduler.ts"
import type { SimulatedServer } from "./simulated-server.ts"

export class Incarnation implements Owner {
  isAlive = true
  frozenUntil = 0
  /** Null during the start. */
  server: SimulatedServer | null = null
  /** Called when it dies, for its database and for callers whose connection breaks. */
  readonly onDeath = new Set<() => void>()
  readonly machine: Machine

  constructor(
    readonly name: string,
    readonly random: Random,
    scheduler: Scheduler,
    wallClock: () => number,
  ) {
    const chance = random.stream("machine")
    const timing = random.stream("timing")
    // A timer is a little late, as in an event loop, and other work may come before "after this turn".
    const late = () => timing.fraction() * 2
    const born = scheduler.time
    this.machine = {
      now: wallClock,
      monotonic: () => scheduler.time - born,
      random: (byteLength) => chance.bytes(byteLength),
      // A busy machine: a poll comes late, and less often.
      sleep: (ms) => scheduler.sleep(ms * (1 + timing.fraction() * 3) + late(), "woke up", this),
      after: (ms, callback) => scheduler.after(ms + late(), "timer", this, callback),
      soon: (callback) => void scheduler.after(late() / 4, "next turn", this, callback),
      // Another thread would answer at a time that the run does not decide.
      processors: 1,
    }
  }

  die(): void {
    if (!this.isAlive) return
    this.isAlive = false
    for (const callback of this.onDeath) callback()
    this.onDeath.clear()
  }
}
