import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"

const REPEAT_AFTER_MS = 60_000
const KEYS_MAX = 1_000

/** Logs an error for a condition that lasts. Writes at most one line a minute for each event and attempt. */
export class Alarms {
  /** Monotonic time of the last line, by event and attempt; oldest first. */
  private readonly raisedAt = new Map<string, number>()

  constructor(
    private readonly log: Log,
    private readonly machine: Pick<Machine, "monotonic">,
  ) {}

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
