import { expect, test } from "bun:test"
import { getLiveness } from "../../schemas/discovery/health.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { realMachine } from "../../src/base/machine.ts"
import { HOUR } from "../../src/core/time.ts"
import { RateLimiter, unlimited } from "../../src/http/rate-limit.ts"
import { router } from "../../src/http/router.ts"
import { serve } from "../../src/http/serve.ts"
import { testShell } from "../fixtures/shell.ts"

/** Monotonic time as the test sets it. */
const clock = { at: 0, monotonic: () => clock.at }

const refusedFor = (limiter: RateLimiter, group: string, client: string, at: number): number | null => {
  clock.at = at
  try {
    limiter.take(group, client, 2)
    return null
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== "RATE_LIMITED") throw error
    return error.context.retryAfterSeconds ?? 0
  }
}

test("the limit counts per group and client and ends with its minute", () => {
  const limiter = new RateLimiter(clock)
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

test("each response shows the rest of its minute's budget", () => {
  const limiter = new RateLimiter(clock)
  clock.at = 0
  expect(limiter.take("quotes", "a", 2)).toEqual({ remaining: 1, resetSeconds: 60 })
  clock.at = 59_500
  expect(limiter.take("quotes", "a", 2)).toEqual({ remaining: 0, resetSeconds: 1 })
  expect(limiter.take("quotes", "b", 2)).toEqual({ remaining: 1, resetSeconds: 60 })
  expect(unlimited.take("quotes", "a", 1)).toBeNull()
})

test("a refusal names the budget in the RateLimit headers of the draft", () => {
  const limiter = new RateLimiter(clock)
  try {
    for (let i = 0; i < 3; i++) limiter.take("quotes", "a", 2)
    throw new Error("nothing was refused")
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    expect(error.context.headers).toEqual({ "ratelimit-policy": '"quotes";q=2;w=60', ratelimit: '"quotes";r=0;t=60' })
  }
})

test("when more clients call than the table holds, the oldest is forgotten, never the newest", () => {
  const limiter = new RateLimiter(clock)
  for (const client of ["first", "first"]) refusedFor(limiter, "g", client, 0)
  for (let i = 0; i < 100_000; i++) refusedFor(limiter, "g", `c${i}`, 1)
  expect(refusedFor(limiter, "g", "first", 2)).toBeNull()
  refusedFor(limiter, "g", "c99999", 2)
  expect(refusedFor(limiter, "g", "c99999", 2)).not.toBeNull()
})

test("disabled limits refuse nothing", () => {
  for (let i = 0; i < 1000; i++) unlimited.take("g", "a", 1)
})

test.each([
  ["set back an hour", -HOUR],
  ["set ahead a day", 24 * HOUR],
  ["not touched", 0],
])(
  "a wall clock that is %s and then corrected changes no window: 429 names at most the rest of the window, then a new one opens",
  async (_, jump) => {
    const wall = { offset: 0 }
    const machine = { ...realMachine, now: () => Date.now() + wall.offset, monotonic: () => clock.at }
    clock.at = 0
    const { shell, logged } = testShell({ machine, limiter: new RateLimiter(machine) })
    const operation = { ...getLiveness, rateLimit: { group: "test", perMinute: 2 } }
    const app = router(shell, [serve(shell, operation, () => ({ status: 200, body: { status: "ALIVE" } }))])
    const ask = async () => {
      const { status, headers } = await app.handle(new Request("http://localhost/livez"))
      return [status, headers.get("retry-after")]
    }
    expect([await ask(), await ask(), await ask()]).toEqual([
      [200, null],
      [200, null],
      [429, "60"],
    ])
    wall.offset = jump
    clock.at = 20_000
    expect(await ask()).toEqual([429, "40"])
    clock.at = 60_000
    expect(await ask()).toEqual([200, null])
    wall.offset = 0
    expect([await ask(), await ask()]).toEqual([
      [200, null],
      [429, "60"],
    ])
    for (const { ms } of logged) expect(ms).toBe(0)
  },
)
