import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"

const REPEAT_AFTER_MS = 60_000
const KEYS_MAX = 1_000

/** Logs an error for a condition that lasts. Writes at most one line a minute for each event and attempt. */
export class Alarms {
  /** Monotonic time of the last line, by event and attempt; oldest first. */
  private readonly raisedAt = new Map<string, number>()

  /** The block at which a contradiction was first seen, by event and attempt; oldest first. */
  private readonly firstBlock = new Map<string, bigint>()

  constructor(
    private readonly log: Log,
    private readonly machine: Pick<Machine, "monotonic">,
  ) {}

  /**
   * As {@link raise}, for a condition that one block can show by accident: waits until a later block shows it too. `block`: number of the
   * newest block with the condition; null when the condition is not there now.
   */
  raiseAtSecondBlock(event: string, attemptId: string, block: bigint | null): void {
    const key = `${event} ${attemptId}`
    const first = this.firstBlock.get(key)
    if (block === null) this.firstBlock.delete(key)
    else if (first === undefined) this.noteFirst(key, block)
    else if (block > first) this.raise(event, attemptId)
  }

  private noteFirst(key: string, block: bigint): void {
    this.firstBlock.set(key, block)
    const oldest = this.firstBlock.keys().next()
    if (this.firstBlock.size > KEYS_MAX && !oldest.done) this.firstBlock.delete(oldest.value)
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
