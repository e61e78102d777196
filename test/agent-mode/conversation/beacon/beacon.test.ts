import { describe, expect } from "bun:test"
import {
  IntentBeaconConsentResult,
  IntentBeaconResult,
  IntentBeaconRevocationResult,
} from "../../../../schemas/agent-mode/beacon.ts"
import { IdentityAdoption } from "../../../../schemas/agent-mode/identity-adoption.ts"
import { DAY, formatInstant, HOUR, MINUTE, SECOND } from "../../../../src/core/time.ts"
import { compile } from "../../../../src/http/read-body.ts"
import { recordSwitch } from "../../../../src/store/agent-mode/sales-switches.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { clockAt } from "../../../fixtures/service.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import {
  type Answer,
  consent,
  enterTestAgent,
  event,
  openSalesServer,
  optOut,
  PATHS,
  revocation,
  type SalesServer,
  type SalesServerOptions,
} from "../../sales-test-server.ts"

const test = slowTests(import.meta.path)

const NOW = Date.UTC(2026, 3, 1, 12)

async function serving(
  work: (server: SalesServer, clock: ReturnType<typeof clockAt>) => Promise<void>,
  options: SalesServerOptions = {},
): Promise<void> {
  using directory = freshDirectory()
  const clock = clockAt(NOW)
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clock, ...options })
  await enterTestAgent(server, NOW)
  try {
    await work(server, clock)
  } finally {
    await server.close()
  }
}

const told = ({ status, body }: Answer) => [status, body.code ?? body.status, body.reason_codes?.[0] ?? null]
const stop = (scope: string, action: "STOP" | "START" = "STOP") => ({
  at: formatInstant(NOW),
  scope,
  action,
  opens: null,
  closes: null,
  reason: "test",
})

test("consent, event, repetition, revocation, refused event: the whole life of a consent", () =>
  serving(async (server) => {
    const granted = await server.post(PATHS.consents, consent(NOW))
    expect(granted.status).toBe(201)
    expect(compile(IntentBeaconConsentResult).Check(granted.body)).toBe(true)
    expect(granted.headers.get("x-agent-mode-lifecycle")).toBe("ACTIVE")
    expect(granted.headers.get("x-contract-version")).toBe("1.0.0")

    const one = event(NOW)
    const accepted = await server.post(PATHS.events, one)
    expect(accepted.status).toBe(202)
    expect(compile(IntentBeaconResult).Check(accepted.body)).toBe(true)
    const again = await server.post(PATHS.events, one)
    expect(again.body).toEqual({ ...accepted.body, replayed: true })
    const sameEvent = await server.post(PATHS.events, event(NOW, { event_id: one["event_id"] }))
    expect([sameEvent.status, sameEvent.body.replayed]).toEqual([202, true])
    expect(server.database.query("SELECT * FROM beacon_count").all()).toEqual([
      { day: "2026-04-01", event_kind: "INTENT_OPENED", product_id: "", channel: "http-api", slot: 0, events: 1 },
    ])

    const first = revocation(NOW)
    const revoked = await server.post(PATHS.revoke(), first)
    expect(revoked.status).toBe(200)
    expect(compile(IntentBeaconRevocationResult).Check(revoked.body)).toBe(true)
    expect((await server.post(PATHS.revoke(), revocation(NOW))).body.replayed).toBe(true)
    expect(told(await server.post(PATHS.events, event(NOW)))).toEqual([409, "CONSENT_NOT_ACTIVE", "CONSENT_REVOKED"])
    expect(told(await server.post(PATHS.events, one))).toEqual([409, "CONSENT_NOT_ACTIVE", "CONSENT_REVOKED"])
  }))

test("nothing of an event is stored but digests, counters and the time of its receipt", () =>
  serving(async (server) => {
    await server.post(PATHS.consents, consent(NOW))
    await server.post(PATHS.events, event(NOW, { event_id: "private-event-id" }))
    const tables = server.database.query("SELECT name FROM sqlite_schema WHERE type = 'table'").all() as {
      name: string
    }[]
    const stored = tables.flatMap(({ name }) => server.database.query(`SELECT * FROM ${name}`).all())
    expect(JSON.stringify(stored)).not.toContain("private-event-id")
  }))

describe("an event is refused", () => {
  const cases: readonly [string, Record<string, unknown>, [number, string, string | null]][] = [
    ["without a consent", { consent_id: "consent-2" }, [409, "CONSENT_NOT_ACTIVE", "CONSENT_UNKNOWN"]],
    ["of another kind", { event_kind: "INTENT_CLOSED" }, [409, "POLICY_CONFLICT", "KIND_NOT_CONSENTED"]],
    ["about an unknown product", { product_id: "nothing.v1" }, [409, "POLICY_CONFLICT", "PRODUCT_UNKNOWN"]],
    ["through another channel", { channel: "mcp" }, [409, "CHANNEL_NOT_ALLOWED", "CHANNEL_NOT_CONSENTED"]],
    [
      "of yesterday",
      { occurred_at: formatInstant(NOW - DAY - SECOND) },
      [422, "TIMESTAMP_REJECTED", "OCCURRED_TOO_EARLY"],
    ],
    ["of tomorrow", { occurred_at: formatInstant(NOW + HOUR) }, [422, "TIMESTAMP_REJECTED", "OCCURRED_IN_FUTURE"]],
    [
      "before the consent",
      { occurred_at: formatInstant(NOW - 2 * MINUTE) },
      [422, "TIMESTAMP_REJECTED", "OCCURRED_BEFORE_CONSENT"],
    ],
    ["with a free text", { note: "please call me" }, [422, "SCHEMA_INVALID", null]],
    ["with a sentence as id", { event_id: "please call me" }, [422, "SCHEMA_INVALID", null]],
    ["for another scope", { scopes: ["SALES_DIALOGUE"] }, [401, "AGENT_SCOPE_REJECTED", "SCOPE_MISSING"]],
    [
      "for another service",
      { audience: "https://other.example" },
      [401, "AGENT_SIGNATURE_REJECTED", "AUDIENCE_DIFFERS"],
    ],
    [
      "of an unknown agent",
      { agent_id: `svc:agent:${"b".repeat(32)}` },
      [401, "AGENT_SIGNATURE_REJECTED", "AGENT_UNKNOWN"],
    ],
    ["with another key", { key_id: `ed25519-${"b".repeat(43)}` }, [401, "AGENT_SIGNATURE_REJECTED", "KEY_NOT_ACTIVE"]],
    [
      "from the future",
      { issued_at: formatInstant(NOW + 31 * SECOND) },
      [422, "TIMESTAMP_REJECTED", "ISSUED_IN_FUTURE"],
    ],
    [
      "that ended",
      { issued_at: formatInstant(NOW - MINUTE), expires_at: formatInstant(NOW) },
      [422, "TIMESTAMP_REJECTED", "MESSAGE_ENDED"],
    ],
    [
      "that lasts too long",
      { expires_at: formatInstant(NOW + 301 * SECOND) },
      [422, "TIMESTAMP_REJECTED", "WINDOW_TOO_LONG"],
    ],
  ]
  test.each(cases)("%s", (_name, members, expected) =>
    serving(async (server) => {
      await server.post(PATHS.consents, consent(NOW))
      const refused = await server.post(PATHS.events, event(NOW, members))
      expect(told(refused)).toEqual(expected)
      if (refused.status === 401) {
        expect(refused.headers.get("www-authenticate")).toBe('SvcAgentSignature realm="https://svc.example"')
      }
      expect(server.database.query("SELECT * FROM beacon_count").all()).toEqual([])
    }),
  )

  test("with a changed member, a spent nonce, a used key, a payment header or a private key", () =>
    serving(async (server) => {
      await server.post(PATHS.consents, consent(NOW))
      const one = event(NOW)
      expect(told(await server.post(PATHS.events, { ...one, event_kind: "QUOTE_VIEWED" }))).toEqual([
        401,
        "AGENT_SIGNATURE_REJECTED",
        "SIGNATURE_MISMATCH",
      ])
      expect((await server.post(PATHS.events, one)).status).toBe(202)
      expect(told(await server.post(PATHS.events, event(NOW, { nonce: one["nonce"] })))).toEqual([
        409,
        "NONCE_REPLAY",
        "NONCE_SPENT",
      ])
      expect(told(await server.post(PATHS.events, event(NOW, { idempotency_key: one.idempotency_key })))).toEqual([
        409,
        "IDEMPOTENCY_CONFLICT",
        "OTHER_CONTENT",
      ])
      for (const name of ["Payment-Signature", "X-Payment"]) {
        expect(told(await server.post(PATHS.events, event(NOW), { [name]: "x" }))).toEqual([
          422,
          "PAYMENT_HEADER_FORBIDDEN",
          null,
        ])
        expect((await server.get(PATHS.channels, { [name]: "x" })).status).toBe(422)
      }
      const key = { kty: "OKP", crv: "Ed25519", x: "x", d: "secret" }
      const refused = await server.post(PATHS.events, { ...event(NOW), deep: [{ key }] })
      expect(told(refused)).toEqual([422, "PRIVATE_KEY_MATERIAL_REJECTED", null])
      expect(refused.body.errors[0].pointer).toBe("/deep/0/key")
    }))
})

test("the limit of a day holds, and a repetition is not held against it", () =>
  serving(async (server, clock) => {
    await server.post(PATHS.consents, consent(NOW, { max_events_per_day: 2 }))
    const [one, two] = [event(NOW), event(NOW)]
    expect((await server.post(PATHS.events, one)).status).toBe(202)
    expect((await server.post(PATHS.events, two)).status).toBe(202)
    expect(told(await server.post(PATHS.events, event(NOW)))).toEqual([409, "POLICY_CONFLICT", "DAY_USED_UP"])
    expect((await server.post(PATHS.events, two)).body.replayed).toBe(true)
    clock.set(NOW + DAY)
    expect((await server.post(PATHS.events, event(NOW + DAY))).status).toBe(202)
  }))

describe("a consent is refused", () => {
  const cases: readonly [string, Record<string, unknown>, [number, string, string]][] = [
    ["of another policy", { policy_version: "2.0.0" }, [409, "POLICY_CONFLICT", "POLICY_VERSION"]],
    [
      "that begins later",
      { valid_from: formatInstant(NOW + 2 * DAY) },
      [422, "TIMESTAMP_REJECTED", "VALID_FROM_TOO_FAR"],
    ],
    ["that ended", { valid_until: formatInstant(NOW) }, [422, "TIMESTAMP_REJECTED", "VALID_UNTIL_PAST"]],
    [
      "that lasts too long",
      { valid_until: formatInstant(NOW + 91 * DAY) },
      [422, "TIMESTAMP_REJECTED", "VALIDITY_TOO_LONG"],
    ],
  ]
  test.each(cases)("%s", (_name, members, expected) =>
    serving(async (server) => {
      expect(told(await server.post(PATHS.consents, consent(NOW, members)))).toEqual(expected)
    }),
  )

  test("with a used id or over sixteen live ones; the same bytes get the same receipt", () =>
    serving(async (server) => {
      const first = consent(NOW)
      const granted = await server.post(PATHS.consents, first)
      expect((await server.post(PATHS.consents, first)).body).toEqual({ ...granted.body, replayed: true })
      expect(told(await server.post(PATHS.consents, consent(NOW)))).toEqual([409, "CONSENT_EXISTS", "OTHER_CONTENT"])
      for (let n = 2; n <= 16; n++) {
        expect((await server.post(PATHS.consents, consent(NOW, { consent_id: `consent-${n}` }))).status).toBe(201)
      }
      expect(told(await server.post(PATHS.consents, consent(NOW, { consent_id: "consent-17" })))).toEqual([
        409,
        "POLICY_CONFLICT",
        "LIVE_CONSENTS",
      ])
      await server.post(PATHS.revoke("consent-2"), revocation(NOW, { consent_id: "consent-2" }))
      expect((await server.post(PATHS.consents, consent(NOW, { consent_id: "consent-17" }))).status).toBe(201)
    }))
})

test("a revocation of an unknown consent and of another path is refused", () =>
  serving(async (server) => {
    expect(told(await server.post(PATHS.revoke(), revocation(NOW)))).toEqual([
      409,
      "CONSENT_NOT_ACTIVE",
      "CONSENT_UNKNOWN",
    ])
    const other = await server.post(PATHS.revoke("consent-9"), revocation(NOW))
    expect([other.status, other.body.errors[0].pointer]).toEqual([422, "/consent_id"])
  }))

test("switches stop consents and events at once, but never a revocation", () =>
  serving(async (server) => {
    await server.post(PATHS.consents, consent(NOW))
    for (const [scope, reason] of [
      ["BEACON", "BEACON_STOPPED"],
      ["ALL", "SALES_STOPPED"],
      ["http-api", "CHANNEL_STOPPED"],
    ] as const) {
      await server.store.run(() => recordSwitch(stop(scope)))
      expect(told(await server.post(PATHS.events, event(NOW)))).toEqual([409, "KILL_SWITCH_ACTIVE", reason])
      await server.store.run(() => recordSwitch(stop(scope, "START")))
      expect((await server.post(PATHS.events, event(NOW))).status).toBe(202)
    }
    await server.store.run(() => recordSwitch(stop("ALL")))
    expect((await server.get(PATHS.adoption)).body.beacon.enabled).toBe(false)
    expect((await server.post(PATHS.revoke(), revocation(NOW))).status).toBe(200)
  }))

test("the Beacon is off unless the operator switched it on", () =>
  serving(
    async (server) => {
      expect(told(await server.post(PATHS.consents, consent(NOW)))).toEqual([409, "KILL_SWITCH_ACTIVE", "BEACON_OFF"])
      const { status, body, headers } = await server.get(PATHS.adoption)
      expect([status, body.beacon.enabled, headers.get("cache-control")]).toEqual([200, false, "public, max-age=30"])
      expect(compile(IdentityAdoption).Check(body)).toBe(true)
    },
    { isOn: { beacon: false } },
  ))

test("an opt-out of all revokes every consent in its unit; of a product or a channel it stops their events", () =>
  serving(async (server) => {
    await server.post(PATHS.consents, consent(NOW))
    await server.post(PATHS.optOut, optOut(NOW, { scope: "CHANNEL", channel: "http-api" }))
    expect(told(await server.post(PATHS.events, event(NOW)))).toEqual([409, "OPTED_OUT", "OPTED_OUT_OF_CHANNEL"])
    await server.post(PATHS.optOut, optOut(NOW, { scope: "CHANNEL", channel: "http-api", action: "OPT_IN" }))
    expect((await server.post(PATHS.events, event(NOW))).status).toBe(202)
    await server.post(PATHS.optOut, optOut(NOW))
    expect(told(await server.post(PATHS.events, event(NOW)))).toEqual([409, "OPTED_OUT", "OPTED_OUT_OF_ALL"])
    expect(told(await server.post(PATHS.consents, consent(NOW, { consent_id: "consent-2" })))).toEqual([
      409,
      "OPTED_OUT",
      "OPTED_OUT_OF_ALL",
    ])
    await server.post(PATHS.optOut, optOut(NOW, { action: "OPT_IN" }))
    expect(told(await server.post(PATHS.events, event(NOW)))).toEqual([409, "CONSENT_NOT_ACTIVE", "CONSENT_REVOKED"])
  }))
