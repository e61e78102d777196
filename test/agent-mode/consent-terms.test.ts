/** Terms that are known save a read of some kilobytes. Whether the consent is live is read in the unit that acts. */
import { expect, test } from "bun:test"
import type { SignedIntentBeaconConsent } from "../../schemas/agent-mode/beacon.ts"
import { ConsentTerms, KEPT_TERMS_MAX } from "../../src/agent-mode/conversation/beacon/consent-terms.ts"
import { drive } from "../../src/store/engine/drive-unit.ts"
import type { Prepared } from "../../src/store/engine/unit.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { clockAt } from "../fixtures/service.ts"
import { consent, enterTestAgent, event, openSalesServer, PATHS, revocation } from "./sales-test-server.ts"

const NOW = Date.UTC(2026, 3, 1, 12)

test("terms are read once for each digest, and the oldest are forgotten above the maximum", () => {
  const terms = new ConsentTerms()
  let reads = 0
  const stored: Prepared<unknown> = {
    all: ({ consentId } = {}) => [{ terms: JSON.stringify({ consent_id: consentId, read: ++reads }) }],
    getQuery: () => ({ sql: "" }),
  }
  const find = (name: string): SignedIntentBeaconConsent =>
    drive(terms.of("agent", name, `sha256:${name}`), () => stored)
  expect(find("first")).toMatchObject({ consent_id: "first", read: 1 })
  expect(find("first")).toMatchObject({ read: 1 })
  for (let n = 1; n < KEPT_TERMS_MAX; n++) find(String(n))
  expect([terms.size, reads]).toEqual([KEPT_TERMS_MAX, KEPT_TERMS_MAX])
  find("one more")
  expect(terms.size).toBe(KEPT_TERMS_MAX)
  expect(find("first")).toMatchObject({ read: KEPT_TERMS_MAX + 2 })
})

test("after the terms are known, those of another consent are its own, and a revocation counts at once", async () => {
  using directory = freshDirectory()
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clockAt(NOW) })
  enterTestAgent(server, NOW)
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
