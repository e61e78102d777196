import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { digestOf } from "../../src/core/digest.ts"
import { applyKeyEvent, type KeyEventFault } from "../../src/core/key-history.ts"
import {
  both,
  committed,
  K1,
  K2,
  K3,
  KINDS,
  type Kind,
  R1,
  R2,
  right,
  rightEvent,
  type StateName,
  states,
} from "../fixtures/key-event-matrix.ts"
import { accept, accepted, at, commitment, enrolment, negated } from "../fixtures/key-events.ts"
import { runs } from "../fixtures/long.ts"

describe("an event with one wrong point is refused for that point", () => {
  type Spoil = (event: KeyEvent) => KeyEvent
  const change = (members: object) => (event: KeyEvent) =>
    ({ ...event, change: { ...event.change, ...members } }) as KeyEvent
  const keys = (members: Partial<KeyEvent["keys"]>) => (event: KeyEvent) => ({
    ...event,
    keys: { ...event.keys, ...members },
  })
  const all: readonly [string, Spoil, KeyEventFault][] = [
    ["a sequence skipped", (event) => ({ ...event, sequence: 2 }), "SEQUENCE_MISMATCH"],
    ["a sequence repeated", (event) => ({ ...event, sequence: 0 }), "SEQUENCE_MISMATCH"],
    ["another head", (event) => ({ ...event, previous_event_digest: digestOf("other") }), "PREVIOUS_EVENT_MISMATCH"],
    ["no head", (event) => ({ ...event, previous_event_digest: null }), "PREVIOUS_EVENT_MISMATCH"],
    ["another identity", (event) => ({ ...event, agent_id: `svc:agent:${"A".repeat(32)}` }), "AGENT_ID_MISMATCH"],
    ["no identity", (event) => ({ ...event, agent_id: null }), "AGENT_ID_MISMATCH"],
    ["another purpose", (event) => ({ ...event, purpose: "ENROLLMENT" }), "PURPOSE_MISMATCH"],
    ["no authorization by the right role", change({ authorized_by: ["NEW_RECOVERY"] }), "AUTHORIZATION_MISMATCH"],
    ["a window that is not open yet", (event) => ({ ...event, issued_at: at(10.1) }), "ACCEPTED_OUTSIDE_WINDOW"],
    ["a window that ends at that instant", (event) => ({ ...event, expires_at: at(10) }), "ACCEPTED_OUTSIDE_WINDOW"],
    [
      "a window that ends on a day that does not exist",
      (event) => ({ ...event, expires_at: "2026-02-30T00:00:00Z" }),
      "ACCEPTED_OUTSIDE_WINDOW",
    ],
  ]
  const some: readonly [Exclude<Kind, "ENROLL">, string, Spoil, KeyEventFault][] = [
    ["ROUTINE", "another key to replace", change({ replaces_key_id: R1.key_id }), "TARGET_MISMATCH"],
    ["ROUTINE", "no new key", keys({ operational: null }), "RESULTING_KEYS_MISMATCH"],
    ["ROUTINE", "another recovery key", keys({ recovery: R2 }), "RESULTING_KEYS_MISMATCH"],
    ["ROUTINE", "no recovery key", keys({ recovery: null }), "RESULTING_KEYS_MISMATCH"],
    [
      "ROUTINE",
      "roles exchanged",
      change({ authorized_by: ["NEW_OPERATIONAL", "OPERATIONAL"] }),
      "AUTHORIZATION_MISMATCH",
    ],
    [
      "ROUTINE",
      "the recovery role",
      change({ authorized_by: ["RECOVERY", "NEW_OPERATIONAL"] }),
      "AUTHORIZATION_MISMATCH",
    ],
    ["ROUTINE", "one role", change({ authorized_by: ["OPERATIONAL"] }), "AUTHORIZATION_MISMATCH"],
    [
      "RECOVERY",
      "the operational role",
      change({ authorized_by: ["OPERATIONAL", "NEW_OPERATIONAL"] }),
      "AUTHORIZATION_MISMATCH",
    ],
    ["RECOVERY", "the replaced key itself", keys({ operational: K1 }), "KEY_REUSED"],
    ["RECOVERY", "its negation", keys({ operational: negated(K1) }), "KEY_REUSED"],
    ["RECOVERY", "the recovery key as operational", keys({ operational: R1 }), "KEY_REUSED"],
    ["RECOVERY", "another key to replace", change({ replaces_key_id: K3.key_id }), "TARGET_MISMATCH"],
    ["ROTATE_RECOVERY", "the old recovery key", keys({ recovery: R1 }), "KEY_REUSED"],
    ["ROTATE_RECOVERY", "the operational key as recovery", keys({ recovery: negated(K1) }), "KEY_REUSED"],
    ["ROTATE_RECOVERY", "no new key", keys({ recovery: null }), "RESULTING_KEYS_MISMATCH"],
    ["ROTATE_RECOVERY", "another operational key", keys({ operational: K2 }), "RESULTING_KEYS_MISMATCH"],
    ["ROTATE_RECOVERY", "another key to replace", change({ replaces_key_id: K1.key_id }), "TARGET_MISMATCH"],
    [
      ...(["ROTATE_RECOVERY", "a commitment dropped"] as const),
      (event) => ({ ...event, next_operational_key_digest: null }),
      "NEXT_COMMITMENT_MISMATCH",
    ],
    ["SELF", "another key to revoke", change({ revokes_key_id: R1.key_id }), "TARGET_MISMATCH"],
    ["SELF", "the key kept", keys({ operational: K1 }), "RESULTING_KEYS_MISMATCH"],
    ["SELF", "the recovery key dropped", keys({ recovery: null }), "RESULTING_KEYS_MISMATCH"],
    [
      ...(["BY_RECOVERY", "a commitment kept"] as const),
      (event) => ({ ...event, next_operational_key_digest: commitment(K2) }),
      "NEXT_COMMITMENT_MISMATCH",
    ],
    ["BY_RECOVERY", "both roles", change({ authorized_by: ["RECOVERY", "OPERATIONAL"] }), "AUTHORIZATION_MISMATCH"],
    ["IDENTITY", "the operational role", change({ authorized_by: ["OPERATIONAL"] }), "AUTHORIZATION_MISMATCH"],
    ["IDENTITY", "a key kept", keys({ recovery: R1 }), "RESULTING_KEYS_MISMATCH"],
    [
      ...(["IDENTITY", "a commitment kept"] as const),
      (event) => ({ ...event, next_operational_key_digest: commitment(K2) }),
      "NEXT_COMMITMENT_MISMATCH",
    ],
  ]
  const changes = KINDS.filter((kind): kind is Exclude<Kind, "ENROLL"> => kind !== "ENROLL")
  const rows = [...changes.flatMap((kind) => all.map((row) => [kind, ...row] as const)), ...some]
  test.each(rows)("%s with %s", (kind, _what, spoil, fault) => {
    const { state, event } = right(kind, "an active key with a commitment to the new key")
    expect(accept(state, spoil(event), 10)).toEqual({ fault })
  })

  test("an event accepted before its predecessor", () => {
    const { state, event } = right("ROUTINE", "an active key with a commitment to the new key")
    expect(accept(state, { ...event, issued_at: at(-5) }, -1)).toEqual({ fault: "ACCEPTED_BEFORE_HEAD" })
  })

  test("an enrolment with one key, with no key, or with a key and its negation", () => {
    const event = enrolment(K1, R1)
    expect(accept(null, keys({ recovery: null })(event), 0)).toEqual({ fault: "RESULTING_KEYS_MISMATCH" })
    expect(accept(null, keys({ operational: null })(event), 0)).toEqual({ fault: "RESULTING_KEYS_MISMATCH" })
    expect(accept(null, keys({ recovery: negated(K1) })(event), 0)).toEqual({ fault: "KEY_REUSED" })
    expect(accept(null, { ...event, sequence: 1 }, 0)).toEqual({ fault: "SEQUENCE_MISMATCH" })
  })

  test("a key that was rotated, and its negation, can never be used again", () => {
    const rotated = accepted(committed, rightEvent("ROUTINE", committed, both), 10)
    const event = { ...rightEvent("RECOVERY", rotated, { operational: K2, recovery: R1 }), expires_at: at(40) }
    for (const operational of [K1, negated(K1), K2, negated(R1)]) {
      expect(accept(rotated, keys({ operational })(event), 30)).toEqual({ fault: "KEY_REUSED" })
    }
  })
})

test("any mixture of event members gives a state or a fault, and never throws", () => {
  const someStates = Object.values(states).map(([state]) => state)
  const names = Object.keys(states) as StateName[]
  const events = names.flatMap((name) => KINDS.map((kind) => right(kind, name).event))
  const event = fc.constantFrom(...events)
  const members = fc.constantFrom(...(Object.keys(events[0] ?? {}) as (keyof KeyEvent)[]))
  fc.assert(
    fc.property(
      ...([fc.constantFrom(...someStates), event, fc.array(fc.tuple(members, event), { maxLength: 4 })] as const),
      fc.constantFrom(at(10), at(-10), "2026-02-30T00:00:00Z", "not a time"),
      (state, base, mixed, when) => {
        const built = { ...base, ...Object.fromEntries(mixed.map(([name, from]) => [name, from[name]])) } as KeyEvent
        const outcome = applyKeyEvent(state, built, digestOf(built), when)
        if ("fault" in outcome) return
        for (const role of ["OPERATIONAL", "RECOVERY"] as const) {
          const active = outcome.state.keys.filter((key) => key.role === role && key.status === "ACTIVE")
          const said = role === "OPERATIONAL" ? built.keys.operational : built.keys.recovery
          expect(active.map(({ keyId }) => keyId)).toEqual(said ? [said.key_id] : [])
        }
        expect(outcome.state.sequence).toBe((state?.sequence ?? -1) + 1)
      },
    ),
    { numRuns: runs(3000) },
  )
})
