import { expect, test } from "bun:test"
import {
  type IdentityState,
  type LifecycleFacts,
  type LifecycleKey,
  lifecycleOutcome,
} from "../../../../src/products/agent-id/outcomes/lifecycle.ts"

const [SINCE, COMPROMISED, UNTIL, NOW] = [
  "2026-01-01T00:00:00.000Z",
  "2026-02-01T00:00:00.000Z",
  "2026-03-01T00:00:00.000Z",
  "2026-04-01T00:00:00.000Z",
]
const HEAD = `sha256:${"a".repeat(64)}`
const active: LifecycleKey = {
  role: "OPERATIONAL",
  status: "ACTIVE",
  since: SINCE,
  until: null,
  compromisedSince: null,
}
const rotated: LifecycleKey = { ...active, status: "ROTATED", until: UNTIL }
const revoked: LifecycleKey = { ...rotated, status: "REVOKED" }
const compromised: LifecycleKey = { ...revoked, compromisedSince: COMPROMISED }
const state = (key: LifecycleKey | null, identityStatus: "ACTIVE" | "REVOKED" = "ACTIVE"): IdentityState => ({
  kind: "KNOWN",
  identityStatus,
  headEventDigest: HEAD,
  isUnknown: false,
  key,
})
const claim = (time: string | null) => (time === null ? null : Date.parse(time))
const judge = (given: Partial<LifecycleFacts>) =>
  lifecycleOutcome({
    state: state(active),
    issuedAt: claim("2026-01-15T00:00:00Z"),
    registeredAt: null,
    at: Date.parse(NOW),
    ...given,
  })

test.each<[string, IdentityState, string, string | null, string[]]>([
  ["an active key", state(active), "KEY_ACTIVE", "ACTIVE", []],
  ["a rotated key", state(rotated), "KEY_ROTATED", "ROTATED", []],
  ["a revoked key", state(revoked), "KEY_REVOKED", "REVOKED", []],
  ["a key revoked as compromised", state(compromised), "KEY_REVOKED", "REVOKED", ["COMPROMISE_CLAIMED"]],
  ["a key of a revoked identity", state(revoked, "REVOKED"), "IDENTITY_REVOKED", "REVOKED", []],
])("%s gets its status and the head it was read from", (_, given, outcome, keyStatus, reasons) => {
  expect(judge({ state: given })).toMatchObject({
    outcome,
    key_status: keyStatus,
    status_as_of: NOW,
    head_event_digest: HEAD,
    reason_codes: reasons,
  })
})

test.each<[string, IdentityState, string, string | null, string | null, string[]]>([
  ["a key the agent never had", state(null), "KEY_NOT_FOUND", NOW, HEAD, []],
  ["the recovery key", state({ ...active, role: "RECOVERY" }), "KEY_NOT_FOUND", NOW, HEAD, ["RECOVERY_KEY"]],
  ["an unknown agent", { kind: "AGENT_NOT_FOUND" }, "AGENT_NOT_FOUND", NOW, null, []],
  ["a state that cannot be read", { kind: "UNAVAILABLE" }, "NOT_EVALUATED", null, null, ["STATE_UNAVAILABLE"]],
])("%s has no key status and no time relation", (_, given, outcome, asOf, head, reasons) => {
  expect(judge({ state: given })).toEqual({
    outcome,
    key_status: null,
    claimed_time_relation: null,
    status_as_of: asOf,
    head_event_digest: head,
    anchored_before_change: null,
    reason_codes: reasons,
  } as never)
})

test.each<[string, LifecycleKey, string | null, string]>([
  ["a time in the key's life", rotated, "2026-02-28T23:59:59.999Z", "WITHIN_KEY_VALIDITY"],
  ["the instant of rotation", rotated, UNTIL, "AFTER_ROTATION"],
  ["the same instant in another zone", rotated, "2026-03-01T02:00:00+02:00", "AFTER_ROTATION"],
  ["a time after a revocation", revoked, "2026-03-02T00:00:00Z", "AFTER_ROTATION"],
  ["the claimed instant of compromise", compromised, COMPROMISED, "AFTER_COMPROMISE"],
  ["a time after revocation and compromise", compromised, NOW, "AFTER_COMPROMISE"],
  ["a time before the claimed compromise", compromised, "2026-01-31T23:59:59Z", "WITHIN_KEY_VALIDITY"],
  ["thirty seconds before the key", active, "2025-12-31T23:59:30Z", "WITHIN_KEY_VALIDITY"],
  ["more than that before the key", active, "2025-12-31T23:59:29.999Z", "BEFORE_KEY"],
  ["no time", active, null, "NO_TIME_CLAIM"],
])("%s has the expected time relation to the key", (_, key, issuedAt, relation) => {
  expect(judge({ state: state(key), issuedAt: claim(issuedAt) }).claimed_time_relation).toBe(relation as never)
})

test.each<[string, LifecycleKey, string | null | undefined, boolean | null]>([
  ["an active key needs no anchor", active, "2026-01-15T00:00:00.000Z", null],
  ["registered before the rotation", rotated, "2026-02-28T00:00:00.000Z", true],
  ["registered at the rotation", rotated, UNTIL, false],
  ["never registered", rotated, null, false],
  ["no statement, so nothing to register", rotated, undefined, null],
  ["registered before the revocation", revoked, "2026-02-28T00:00:00.000Z", true],
  ["registered before the claimed compromise", compromised, "2026-01-31T00:00:00.000Z", true],
  ["registered between compromise and revocation", compromised, "2026-02-15T00:00:00.000Z", false],
])("anchored: %s", (_, key, registeredAt, anchored) => {
  expect(judge({ state: state(key), registeredAt }).anchored_before_change).toBe(anchored)
})
