import { ServiceError } from "../errors.ts"

/** CHOICE: counted also with `rate_limits = off`, because a connection that sends half a body costs its sender nothing. */
export const BODIES_PER_CLIENT_MAX = 64

/** When a stalled body has been cut. */
const RETRY_AFTER_SECONDS = 10

/** Requests of each client address whose body has not arrived whole: one address must not use up the requests in flight. */
export class BodiesOnTheWay {
  private readonly counts = new Map<string, number>()

  constructor(private readonly max: number) {}

  /** Reads one body. Throws RATE_LIMITED, and closes the connection, while the address has too many on their way. */
  async read(client: string, body: () => Promise<Uint8Array>): Promise<Uint8Array> {
    const before = this.counts.get(client) ?? 0
    if (before >= this.max) {
      throw new ServiceError("RATE_LIMITED", `At most ${this.max} bodies of one address may be on their way.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        headers: { connection: "close" },
      })
    }
    this.counts.set(client, before + 1)
    try {
      return await body()
    } finally {
      const left = (this.counts.get(client) ?? 1) - 1
      if (left === 0) this.counts.delete(client)
      else this.counts.set(client, left)
    }
  }
}
