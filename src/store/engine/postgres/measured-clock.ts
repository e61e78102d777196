import type { Machine } from "../../../base/machine.ts"
import { type ServerClock, TAKEOVER_OFFSET_MS_MAX } from "../clock.ts"

/** Milliseconds since the epoch by the server's clock, as text. */
export const SERVER_NOW = "(extract(epoch from clock_timestamp()) * 1000)::float8::text"

/** An instant of the server as an RFC 3339 text in UTC. `instant` is an expression of SQL. */
export const instantText = (instant: string) =>
  `to_char(${instant} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')`

/** A slower answer measures nothing: it is wrong by up to half of its round trip. */
const ROUND_TRIP_MS_MAX = 1_000

/** The server's time goes on with the monotonic clock of this process, so a clock that is set shows at once. */
export class MeasuredClock implements ServerClock {
  /** Null until the first measurement. */
  private serverMinusMonotonic: number | null = null

  constructor(private readonly machine: Pick<Machine, "now" | "monotonic">) {}

  get offsetMs(): number | null {
    return this.serverMinusMonotonic === null ? null : this.machine.now() - this.now()
  }

  get isRight(): boolean {
    return this.offsetMs !== null && Math.abs(this.offsetMs) <= TAKEOVER_OFFSET_MS_MAX
  }

  now(): number {
    if (this.serverMinusMonotonic === null) return this.machine.now()
    return this.machine.monotonic() + this.serverMinusMonotonic
  }

  /** Call it at once with the answer to {@link SERVER_NOW}. `sentAt`: monotonic time of the question. The server answered in between. */
  saw(answer: unknown, sentAt: number): void {
    const serverMs = Number(answer)
    const roundTripMs = this.machine.monotonic() - sentAt
    if (roundTripMs > ROUND_TRIP_MS_MAX || !Number.isFinite(serverMs)) return
    this.serverMinusMonotonic = serverMs - (sentAt + roundTripMs / 2)
  }
}
