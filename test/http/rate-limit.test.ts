import { expect, test } from "bun:test"
import { ServiceError } from "../../src/errors.ts"
import { RateLimiter, unlimited } from "../../src/http/rate-limit.ts"

const refusedFor = (limiter: RateLimiter, group: string, client: string, at: number): number | null => {
  try {
    limiter.take(group, client, 2, at)
    return null
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "RATE_LIMITED") throw error
    return error.context.retryAfterSeconds ?? 0
  }
}

test("the limit counts per group and client and ends with its minute", () => {
  const limiter = new RateLimiter()
  const rows: readonly [group: string, client: string, at: number, wait: number | null][] = [
    ["quotes", "a", 0, null],
    ["quotes", "a", 1000, null],
    ["quotes", "a", 1000, 59],
    ["quotes", "b", 1000, null],
    ["redeem", "a", 1000, null],
    ["quotes", "a", 59_999, 1],
    ["quotes", "a", 60_000, null],
  ]
  for (const [group, client, at, wait] of rows) expect(refusedFor(limiter, group, client, at)).toBe(wait)
})

test("each request is told what is left of its minute", () => {
  const limiter = new RateLimiter()
  expect(limiter.take("quotes", "a", 2, 0)).toEqual({ remaining: 1, resetSeconds: 60 })
  expect(limiter.take("quotes", "a", 2, 59_500)).toEqual({ remaining: 0, resetSeconds: 1 })
  expect(limiter.take("quotes", "b", 2, 59_500)).toEqual({ remaining: 1, resetSeconds: 60 })
  expect(unlimited.take("quotes", "a", 1, 0)).toBeNull()
})

test("a refusal names the budget in the headers of the draft", () => {
  const limiter = new RateLimiter()
  try {
    for (let i = 0; i < 3; i++) limiter.take("quotes", "a", 2, 0)
    throw new Error("nothing was refused")
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error.context.headers).toEqual({ "ratelimit-policy": '"quotes";q=2;w=60', ratelimit: '"quotes";r=0;t=60' })
  }
})

test("when more clients come than are remembered, the oldest is forgotten, never the newest", () => {
  const limiter = new RateLimiter()
  for (const client of ["first", "first"]) refusedFor(limiter, "g", client, 0)
  for (let i = 0; i < 100_000; i++) refusedFor(limiter, "g", `c${i}`, 1)
  expect(refusedFor(limiter, "g", "first", 2)).toBeNull()
  refusedFor(limiter, "g", "c99999", 2)
  expect(refusedFor(limiter, "g", "c99999", 2)).not.toBeNull()
})

test("limits that are off refuse nothing", () => {
  for (let i = 0; i < 1000; i++) unlimited.take("g", "a", 1, 0)
})
