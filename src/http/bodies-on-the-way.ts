import { ServiceError } from "../base/errors.ts"

/** CHOICE: the limit also applies with `rate_limits = off`, because a connection with a half-sent body costs its sender nothing. */
export const BODIES_PER_CLIENT_MAX = 64

/** A stalled body is cut after this time. */
const RETRY_AFTER_SECONDS = 10

/**
 * Counts the requests per client address whose body has not fully arrived, so that one address cannot use up all requests in flight. A body
 * of a route with a higher limit counts once for each 64 KiB that it may have, so that one address cannot use up the memory either.
 */
export class BodiesOnTheWay {
  private readonly counts = new Map<string, number>()

  constructor(private readonly max: number) {}

  /**
   * Counts a body of this weight until {@link leave} is called with the same. If the address already has too many unfinished bodies, throws
   * RATE_LIMITED and closes the connection.
   */
  arrive(client: string, weight: number): void {
    const before = this.counts.get(client) ?? 0
    // One large body is always let in, whatever the limit is.
    if (before > 0 && before + weight > this.max) {
      throw new ServiceError("RATE_LIMITED", `At most ${this.max} request bodies of one address may be in transit.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        headers: { connection: "close" },
      })
    }
    this.counts.set(client, before + weight)
  }

  leave(client: string, weight: number): void {
    const left = (this.counts.get(client) ?? weight) - weight
    if (left === 0) this.counts.delete(client)
    else this.counts.set(client, left)
  }
}
