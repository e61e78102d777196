/** The terms of a consent, and whether it is live, are read in the unit that acts. */
import { expect, test } from "bun:test"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { clockAt } from "../../../fixtures/service.ts"
import { consent, enterTestAgent, event, openSalesServer, PATHS, revocation } from "../../sales-test-server.ts"

const NOW = Date.UTC(2026, 3, 1, 12)

test("the terms of each consent are its own, and a revocation counts at once", async () => {
  using directory = freshDirectory()
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clockAt(NOW) })
  await enterTestAgent(server, NOW)
  const replyTo = async (path: string, message: unknown) => {
    const { status, body } = await server.post(path, message)
    return [status, body.reason_codes?.[0] ?? body.status]
  }
  const other = { consent_id: "consent-2" }
  try {
    expect(await replyTo(PATHS.consents, consent(NOW))).toEqual([201, "GRANTED"])
    const narrow = { ...other, event_kinds: ["INTENT_CLOSED"] }
    expect(await replyTo(PATHS.consents, consent(NOW, narrow))).toEqual([201, "GRANTED"])
    for (let n = 0; n < 2; n++) {
      expect(await replyTo(PATHS.events, event(NOW))).toEqual([202, "ACCEPTED"])
      expect(await replyTo(PATHS.events, event(NOW, other))).toEqual([409, "KIND_NOT_CONSENTED"])
    }
    expect(await replyTo(PATHS.revoke(), revocation(NOW))).toEqual([200, "REVOKED"])
    expect(await replyTo(PATHS.events, event(NOW))).toEqual([409, "CONSENT_REVOKED"])
  } finally {
    await server.close()
  }
})
