import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"

const REPEAT_AFTER_MS = 60_000
const KEYS_MAX = 1_000
/** A node shows the logs of a block within seconds of its state. After this long no second block is needed. */
const SAME_BLOCK_MS_MAX = 30_000
/** An attempt is polled at least once a minute. One that was not seen for this long has ended, or another process polls it. */
const FORGOTTEN_AFTER_MS = 600_000

/** A condition at its first poll. Times are monotonic. */
interface Sighting {
  readonly block: bigint
  readonly firstAt: number
  readonly lastAt: number
}

/** Logs an error for a condition that lasts. Writes at most one line a minute for each event and attempt. */
export class Alarms {
  /** Monotonic time of the last line, by event and attempt; oldest first. */
  private readonly raisedAt = new Map<string, number>()

  /** The conditions that hold, by event and attempt; the one not seen for longest is first. */
  private readonly sightings = new Map<string, Sighting>()

  constructor(
    private readonly log: Log,
    private readonly machine: Pick<Machine, "monotonic">,
  ) {}

  /**
   * As {@link raise}, for a condition that one block can show by accident: waits until a later block shows it too, or until the same block
   * has shown it for 30 s, because a node may never show another block. `block`: number of the newest block with the condition; null when
   * the condition is not there now.
   */
  raiseAtSecondBlock(event: string, attemptId: string, block: bigint | null): void {
    const key = `${event} ${attemptId}`
    const first = this.sightings.get(key)
    this.sightings.delete(key)
    if (block === null) return
    const now = this.machine.monotonic()
    if (first === undefined) {
      if (this.hasPlace(now)) this.sightings.set(key, { block, firstAt: now, lastAt: now })
      return
    }
    this.sightings.set(key, { ...first, lastAt: now })
    if (block > first.block || now - first.firstAt >= SAME_BLOCK_MS_MAX) this.raise(event, attemptId)
  }

  /** A condition that still holds keeps its place. Otherwise more conditions than places would push each other out before a second poll. */
  private hasPlace(now: number): boolean {
    if (this.sightings.size < KEYS_MAX) return true
    const [oldest] = this.sightings
    return oldest !== undefined && now - oldest[1].lastAt >= FORGOTTEN_AFTER_MS && this.sightings.delete(oldest[0])
  }

  raise(event: string, attemptId: string): void {
    const key = `${event} ${attemptId}`
    const now = this.machine.monotonic()
    const last = this.raisedAt.get(key)
    if (last !== undefined && now - last < REPEAT_AFTER_MS) return
    this.raisedAt.delete(key)
    this.raisedAt.set(key, now)
    const oldest = this.raisedAt.keys().next()
    if (this.raisedAt.size > KEYS_MAX && !oldest.done) this.raisedAt.delete(oldest.value)
    this.log.error(event, { attempt_id: attemptId })
  }
}
