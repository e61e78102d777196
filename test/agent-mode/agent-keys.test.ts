/** A known key saves a read. Whether it is active is replyTo in the unit that acts, and every refusal names the same fault as without it. */
import { expect, test } from "bun:test"
import { AgentKeys, KNOWN_KEYS_MAX } from "../../src/agent-mode/conversation/messages/agent-keys.ts"
import { formatInstant, SECOND } from "../../src/core/time.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { clockAt } from "../fixtures/service.ts"
import { consent, enterTestAgent, event, openSalesServer, PATHS } from "./sales-test-server.ts"

const NOW = Date.UTC(2026, 3, 1, 12)

test("a key is known for its own agent only, and the oldest is forgotten above the maximum", () => {
  const keys = new AgentKeys()
  keys.keep("agent", "key-0", "x-0")
  expect(keys.find("agent", "key-0")).toBe("x-0")
  expect(keys.find("other", "key-0")).toBeNull()
  expect(keys.find("agent", "key-1")).toBeNull()
  for (let n = 1; n < KNOWN_KEYS_MAX; n++) keys.keep("agent", `key-${n}`, `x-${n}`)
  // One that is known takes no other's place.
  keys.keep("agent", `key-${KNOWN_KEYS_MAX - 1}`, `x-${KNOWN_KEYS_MAX - 1}`)
  expect(keys.find("agent", "key-0")).toBe("x-0")
  keys.keep("agent", "one-more", "x")
  expect(keys.find("agent", "key-0")).toBeNull()
  expect([keys.find("agent", "key-1"), keys.find("agent", "one-more")]).toEqual(["x-1", "x"])
})

test("after a key is known, each fault is still named first, and a revoked key is refused at once", async () => {
  using directory = freshDirectory()
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clockAt(NOW) })
  enterTestAgent(server, NOW)
  const replyTo = async (body: unknown) => {
    const { status, body: told } = await server.post(PATHS.events, body)
    return [status, told.reason_codes?.[0] ?? told.status]
  }
  try {
    expect((await server.post(PATHS.consents, consent(NOW))).status).toBe(201)
    expect(await replyTo(event(NOW))).toEqual([202, "ACCEPTED"])
    const elsewhere = { audience: "https://other.example", scopes: ["SALES_DIALOGUE"] }
    expect(await replyTo(event(NOW, elsewhere))).toEqual([401, "AUDIENCE_DIFFERS"])
    expect(await replyTo({ ...event(NOW), occurred_at: formatInstant(NOW - SECOND) })).toEqual([
      401,
      "SIGNATURE_MISMATCH",
    ])
    expect(await replyTo(event(NOW, { scopes: ["SALES_DIALOGUE"] }))).toEqual([401, "SCOPE_MISSING"])
    expect(await replyTo(event(NOW))).toEqual([202, "ACCEPTED"])

    server.database.run("UPDATE agent_key SET status = 'REVOKED', until = since")
    expect(await replyTo(event(NOW))).toEqual([401, "KEY_NOT_ACTIVE"])
    expect(await replyTo(event(NOW, { scopes: ["SALES_DIALOGUE"] }))).toEqual([401, "KEY_NOT_ACTIVE"])
    const counted = server.database.query("SELECT sum(events) AS events FROM beacon_count").get()
    expect(counted).toEqual({ events: 2 })
  } finally {
    await server.close()
  }
})
