import type { RateLimit } from "../../schemas/operation.ts"
import { ServiceError } from "../base/errors.ts"
import type { Machine } from "../base/machine.ts"

const WINDOW_SECONDS = 60
const WINDOW_MS = WINDOW_SECONDS * 1000
/** Maximum number of remembered addresses. If full, the oldest window is dropped first. */
const CLIENTS_MAX = 100_000

/** The remaining budget of an address. */
export interface Quota {
  readonly remaining: number
  readonly resetSeconds: number
}

export interface RateLimits {
  /** Counts one request. Throws RATE_LIMITED with the time until the window ends. Returns null if limits are off. */
  take(group: string, client: string, perMinute: number): Quota | null
  /** Counts one failure of a kind that only {@link requireAtMost} limits. */
  count(group: string, client: string): void
  /** Throws RATE_LIMITED if this window has already counted `perMinute`. Counts nothing itself. */
  requireAtMost(group: string, client: string, perMinute: number): void
}

/** `rate_limits = off`, for operators whose proxy already limits requests. */
export const unlimited: RateLimits = { take: () => null, count: () => {}, requireAtMost: () => {} }

/**
 * Requests with a payment have a separate budget. Otherwise quotes from the same address could keep a buyer from the answer that was paid
 * for. The budget is enough for twenty buyers who repeat their payment as often as `Retry-After` allows.
 */
const PRESENTED_PER_MINUTE = 600
export const PRESENTED_PAYMENTS: RateLimit = { group: "presented payments", perMinute: PRESENTED_PER_MINUTE }

interface Window {
  /** Monotonic milliseconds. */
  startedAt: number
  used: number
}

/**
 * Fixed one-minute windows per group and client address, in the memory of this process: several processes allow several times as much. This
 * limits abuse and does not survive a restart. Windows use monotonic time: if the wall clock were set back, callers would stay blocked for that
 * time.
 */
export class RateLimiter implements RateLimits {
  private readonly windows = new Map<string, Window>()

  constructor(private readonly machine: Pick<Machine, "monotonic">) {}

  take(group: string, client: string, perMinute: number): Quota {
    const at = this.machine.monotonic()
    const window = this.counted(group, client, at)
    const quota = { remaining: Math.max(0, perMinute - window.used), resetSeconds: secondsLeft(window, at) }
    if (window.used > perMinute) throw limited(group, perMinute, quota)
    return quota
  }

  count(group: string, client: string): void {
    this.counted(group, client, this.machine.monotonic())
  }

  requireAtMost(group: string, client: string, perMinute: number): void {
    const at = this.machine.monotonic()
    const window = this.windows.get(`${group}\n${client}`)
    if (!window || at - window.startedAt >= WINDOW_MS || window.used < perMinute) return
    throw rateLimited(group, perMinute, secondsLeft(window, at))
  }

  private counted(group: string, client: string, at: number): Window {
    const key = `${group}\n${client}`
    const window = this.windows.get(key)
    if (window && at - window.startedAt < WINDOW_MS) {
      window.used++
      return window
    }
    this.windows.delete(key)
    if (this.windows.size >= CLIENTS_MAX) this.dropOldest()
    const opened = { startedAt: at, used: 1 }
    this.windows.set(key, opened)
    return opened
  }

  private dropOldest(): void {
    const oldest = this.windows.keys().next()
    if (!oldest.done) this.windows.delete(oldest.value)
  }
}

function secondsLeft(window: Window, at: number): number {
  return Math.max(1, Math.ceil((window.startedAt + WINDOW_MS - at) / 1000))
}

/** The refusal of a client whose budget is used up, wherever it was counted. */
export function rateLimited(group: string, perMinute: number, resetSeconds: number): ServiceError {
  return limited(group, perMinute, { remaining: 0, resetSeconds })
}

function limited(group: string, perMinute: number, quota: Quota): ServiceError {
  return new ServiceError("RATE_LIMITED", `At most ${perMinute} a minute for ${group}.`, {
    retryAfterSeconds: quota.resetSeconds,
    headers: quotaFields(group, perMinute, quota),
  })
}

/**
 * Sets the budget in the fields of draft-ietf-httpapi-ratelimit-headers-11. CHOICE: every limited POST and every 429 has these fields. A
 * successful GET has none, because a cache may store the reply and show other clients a budget that is not theirs.
 */
export function tellQuota(response: Response, group: string, perMinute: number, quota: Quota): void {
  if (response.headers.has("ratelimit")) return
  const fields = quotaFields(group, perMinute, quota)
  for (const name in fields) response.headers.set(name, fields[name] ?? "")
}

function quotaFields(group: string, perMinute: number, { remaining, resetSeconds }: Quota): Record<string, string> {
  return {
    "ratelimit-policy": `"${group}";q=${perMinute};w=${WINDOW_SECONDS}`,
    ratelimit: `"${group}";r=${remaining};t=${resetSeconds}`,
  }
}
