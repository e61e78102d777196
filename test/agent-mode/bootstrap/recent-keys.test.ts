import { expect, test } from "bun:test"
import { RECENT_KEY_MS, RECENT_KEYS_MAX, RecentKeys } from "../../../src/agent-mode/bootstrap/recent-keys.ts"
import { ServiceError } from "../../../src/base/errors.ts"
import { digestOf } from "../../../src/core/digest.ts"

function memory() {
  const clock = { at: 0, monotonic: () => clock.at }
  const keys = new RecentKeys(clock)
  /** True if the key is refused. */
  const isRefused = (
    body: string,
    { key = "key-0001", client = "a", operationId = "agent_bootstrap" } = {},
  ): boolean => {
    try {
      keys.requireOneBody({ operationId, client, idempotencyKey: key, bodyDigest: digestOf(body) })
      return false
    } catch (error) {
      if (!(error instanceof ServiceError) || error.code !== "IDEMPOTENCY_CONFLICT") throw error
      return true
    }
  }
  return { clock, keys, isRefused }
}

test("a key belongs to its first body for ten minutes, for one address and one operation", () => {
  const { clock, isRefused } = memory()
  expect(isRefused("first")).toBe(false)
  expect(isRefused("first")).toBe(false)
  expect(isRefused("second")).toBe(true)
  expect(isRefused("second", { client: "b" })).toBe(false)
  expect(isRefused("second", { operationId: "run_synthetic_journey" })).toBe(false)
  expect(isRefused("second", { key: "key-0002" })).toBe(false)
  clock.at = RECENT_KEY_MS - 1
  expect(isRefused("first")).toBe(false)
  expect(isRefused("second")).toBe(true)
  clock.at = RECENT_KEY_MS
  expect(isRefused("second")).toBe(false)
  expect(isRefused("first")).toBe(true)
})

test("at most 10,000 keys are remembered: the oldest is forgotten first", () => {
  const { keys, isRefused } = memory()
  for (let index = 0; index < RECENT_KEYS_MAX; index++) isRefused("first", { key: `key-${index}` })
  expect(keys.size).toBe(RECENT_KEYS_MAX)
  expect(isRefused("second", { key: "key-0" })).toBe(true)
  expect(isRefused("first", { key: "one more" })).toBe(false)
  expect(keys.size).toBe(RECENT_KEYS_MAX)
  expect(isRefused("second", { key: "key-1" })).toBe(true)
  expect(isRefused("second", { key: "key-0" })).toBe(false)
})

test("keys that have ended are forgotten without being asked for", () => {
  const { clock, keys, isRefused } = memory()
  for (let index = 0; index < 100; index++) isRefused("first", { key: `key-${index}` })
  clock.at = RECENT_KEY_MS
  expect(isRefused("first", { key: "later" })).toBe(false)
  expect(keys.size).toBe(1)
})
