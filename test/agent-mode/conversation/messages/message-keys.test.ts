/** The key of a message is read for each message: before its signature is verified, and in the unit that acts. */
import { expect, test } from "bun:test"
import { formatInstant, SECOND } from "../../../../src/core/time.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { clockAt } from "../../../fixtures/service.ts"
import { consent, enterTestAgent, event, openSalesServer, PATHS } from "../../sales-test-server.ts"

const NOW = Date.UTC(2026, 3, 1, 12)

test("each fault is named first, also after messages that were accepted, and a revoked key is refused at once", async () => {
  using directory = freshDirectory()
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clockAt(NOW) })
  await enterTestAgent(server, NOW)
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
