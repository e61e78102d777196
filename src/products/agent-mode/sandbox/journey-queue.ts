/** One journey runs at a time, so that a rehearsal never takes the processor from a purchase. */
import { ServiceError } from "../../../errors.ts"

export const JOURNEYS_WAITING_MAX = 8
const RETRY_AFTER_SECONDS = 2

export class JourneyQueue {
  private waiting = 0
  private last: Promise<unknown> = Promise.resolve()
  private isRunning = false

  /** Runs after all journeys before it. Throws RATE_LIMITED when one runs and eight wait. */
  async run<T>(play: () => Promise<T>): Promise<T> {
    if (this.isRunning && this.waiting >= JOURNEYS_WAITING_MAX) {
      throw new ServiceError("RATE_LIMITED", `One journey runs and ${JOURNEYS_WAITING_MAX} wait.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    const mustWait = this.isRunning
    if (mustWait) this.waiting++
    this.isRunning = true
    const turn = this.last.then(() => {
      if (mustWait) this.waiting--
      return play()
    })
    const ended = turn.then(
      () => {},
      () => {},
    )
    this.last = ended
    try {
      return await turn
    } finally {
      if (this.last === ended) this.isRunning = false
    }
  }
}
