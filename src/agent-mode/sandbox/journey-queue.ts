/** One journey runs at a time, so that a rehearsal never takes the processor from a purchase. */
import { ServiceError } from "../../base/errors.ts"

export const JOURNEYS_WAITING_MAX = 8
/** CHOICE: one address has at most two journeys waiting, and the last place is for an address that has none. */
const JOURNEYS_WAITING_OF_ADDRESS_MAX = 2
const RETRY_AFTER_SECONDS = 2

export class JourneyQueue {
  private waiting = 0
  private readonly waitingOf = new Map<string, number>()
  private last: Promise<unknown> = Promise.resolve()
  private isRunning = false

  /** Runs after all journeys before it. Throws RATE_LIMITED when one runs and as many wait as may. */
  async run<T>(client: string, play: () => Promise<T>): Promise<T> {
    if (this.isRunning) this.requirePlace(client)
    const mustWait = this.isRunning
    if (mustWait) this.count(client, 1)
    this.isRunning = true
    const turn = this.last.then(() => {
      if (mustWait) this.count(client, -1)
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

  private requirePlace(client: string): void {
    const own = this.waitingOf.get(client) ?? 0
    const isOwnShare = own < JOURNEYS_WAITING_OF_ADDRESS_MAX
    const places = own === 0 ? JOURNEYS_WAITING_MAX : JOURNEYS_WAITING_MAX - 1
    if (isOwnShare && this.waiting < places) return
    throw new ServiceError(
      "RATE_LIMITED",
      isOwnShare
        ? `One journey runs and ${JOURNEYS_WAITING_MAX} wait.`
        : `At most ${JOURNEYS_WAITING_OF_ADDRESS_MAX} journeys of one address wait.`,
      {
        reasonCodes: [isOwnShare ? "JOURNEYS_OF_ALL" : "JOURNEYS_OF_ADDRESS"],
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      },
    )
  }

  private count(client: string, more: number): void {
    this.waiting += more
    const own = (this.waitingOf.get(client) ?? 0) + more
    if (own > 0) this.waitingOf.set(client, own)
    else this.waitingOf.delete(client)
  }
}
