import { ServiceError } from "../errors.ts"

const WINDOW_MS = 60_000
/** Addresses remembered at once; when full, the oldest window is dropped first. */
const CLIENTS_MAX = 100_000

export interface RateLimits {
  /** Counts one request. Throws RATE_LIMITED with the time until the window ends. */
  take(group: string, client: string, perMinute: number, at: number): void
  /** Counts one failure of a kind that is limited by {@link refuseAbove} only. */
  count(group: string, client: string, at: number): void
  /** Throws RATE_LIMITED once `perMinute` have been counted in this window; counts nothing itself. */
  refuseAbove(group: string, client: string, perMinute: number, at: number): void
}

/** `rate_limits = off`, for operators whose proxy limits already. */
export const unlimited: RateLimits = { take: () => {}, count: () => {}, refuseAbove: () => {} }

interface Window {
  startedAt: number
  used: number
}

/** Fixed one-minute windows per group and client address, in memory: a limit on abuse, not a promise that survives a restart. */
export class RateLimiter implements RateLimits {
  private readonly windows = new Map<string, Window>()

  take(group: string, client: string, perMinute: number, at: number): void {
    this.count(group, client, at)
    const window = this.windows.get(`${group}\n${client}`)
    if (window && window.used > perMinute) throw limited(group, perMinute, window, at)
  }

  count(group: string, client: string, at: number): void {
    const key = `${group}\n${client}`
    const window = this.windows.get(key)
    if (window && at - window.startedAt < WINDOW_MS) {
      window.used++
      return
    }
    this.windows.delete(key)
    if (this.windows.size >= CLIENTS_MAX) this.dropOldest()
    this.windows.set(key, { startedAt: at, used: 1 })
  }

  refuseAbove(group: string, client: string, perMinute: number, at: number): void {
    const window = this.windows.get(`${group}\n${client}`)
    if (!window || at - window.startedAt >= WINDOW_MS || window.used < perMinute) return
    throw limited(group, perMinute, window, at)
  }

  private dropOldest(): void {
    const oldest = this.windows.keys().next()
    if (!oldest.done) this.windows.delete(oldest.value)
  }
}

function limited(group: string, perMinute: number, window: Window, at: number): ServiceError {
  const retryAfterSeconds = Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - at) / 1000))
  return new ServiceError("RATE_LIMITED", `At most ${perMinute} a minute for ${group}.`, {
    retryAfterSeconds,
    headers: {
      "ratelimit-policy": `"${group}";q=${perMinute};w=60`,
      ratelimit: `"${group}";r=0;t=${retryAfterSeconds}`,
    },
  })
}
