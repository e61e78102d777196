import { describe, expect, test } from "bun:test"
import { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { digestOf } from "../../src/core/digest.ts"
import {
  type IdentityState,
  type KeyEventFault,
  requiredRoles,
  requiredSignatures,
} from "../../src/core/key-history.ts"
import { compile } from "../../src/http/read-body.ts"
import { reachableFrom } from "../fixtures/imports.ts"
import {
  both,
  committed,
  K1,
  K2,
  K3,
  KINDS,
  type Kind,
  operationalRevoked,
  R1,
  R2,
  right,
  rightEvent,
  type StateName,
} from "../fixtures/key-event-matrix.ts"
import { accept, accepted, at, enrolment, keyEvent, testKey } from "../fixtures/key-events.ts"

const E = "ENROLMENT_EXPECTED"
const D = "IDENTITY_REVOKED"
const T = "TARGET_NOT_ACTIVE"
const A = "ENROLLED_ALREADY"
/** The table of agent-id.md 5.1: the outcome of every kind in every state. */
const matrix: Readonly<Record<StateName, Readonly<Record<Kind, "ACCEPTED" | KeyEventFault>>>> = {
  "nothing enrolled": {
    ...{ ENROLL: "ACCEPTED", ROUTINE: E, RECOVERY: E, ROTATE_RECOVERY: E },
    ...{ SELF: E, BY_RECOVERY: E, IDENTITY: E },
  },
  "an active key with a commitment to the new key": {
    ...{ ENROLL: A, ROUTINE: "ACCEPTED", RECOVERY: "ACCEPTED", ROTATE_RECOVERY: "ACCEPTED" },
    ...{ SELF: "ACCEPTED", BY_RECOVERY: "ACCEPTED", IDENTITY: "ACCEPTED" },
  },
  "an active key without a commitment": {
    ...{ ENROLL: A, ROUTINE: "COMMITMENT_MISSING", RECOVERY: "ACCEPTED", ROTATE_RECOVERY: "ACCEPTED" },
    ...{ SELF: "ACCEPTED", BY_RECOVERY: "ACCEPTED", IDENTITY: "ACCEPTED" },
  },
  "an active key with a commitment to another key": {
    ...{ ENROLL: A, ROUTINE: "COMMITMENT_MISMATCH", RECOVERY: "ACCEPTED", ROTATE_RECOVERY: "ACCEPTED" },
    ...{ SELF: "ACCEPTED", BY_RECOVERY: "ACCEPTED", IDENTITY: "ACCEPTED" },
  },
  "a revoked operational key": {
    ...{ ENROLL: A, ROUTINE: T, RECOVERY: "ACCEPTED", ROTATE_RECOVERY: "ACCEPTED" },
    ...{ SELF: T, BY_RECOVERY: T, IDENTITY: "ACCEPTED" },
  },
  "a revoked identity": {
    ...{ ENROLL: A, ROUTINE: D, RECOVERY: D, ROTATE_RECOVERY: D, SELF: D, BY_RECOVERY: D, IDENTITY: D },
  },
}

const cells = (Object.keys(matrix) as StateName[]).flatMap((name) => KINDS.map((kind) => [kind, name] as const))
const outcomeOf = (outcome: ReturnType<typeof accept>) => ("fault" in outcome ? outcome.fault : "ACCEPTED")

describe("the signature matrix: every kind and mode in every state", () => {
  test.each(cells)("%s with %s", (kind, name) => {
    const { state, event } = right(kind, name)
    expect([...compile(KeyEvent).Errors(event)]).toEqual([])
    expect(outcomeOf(accept(state, event, 10))).toBe(matrix[name][kind])
  })
})

const show = ({ keys }: IdentityState) =>
  keys.map(({ role, status, since, until, successorKeyId }) => [role, status, since, until, successorKeyId])

describe("the resulting key states", () => {
  const name = "an active key with a commitment to the new key"
  const expected: Readonly<Record<Exclude<Kind, "ENROLL">, (string | null)[][]>> = {
    ROUTINE: [
      ["OPERATIONAL", "ROTATED", at(0), at(10), K2.key_id],
      ["RECOVERY", "ACTIVE", at(0), null, null],
      ["OPERATIONAL", "ACTIVE", at(10), null, null],
    ],
    RECOVERY: [
      ["OPERATIONAL", "ROTATED", at(0), at(10), K2.key_id],
      ["RECOVERY", "ACTIVE", at(0), null, null],
      ["OPERATIONAL", "ACTIVE", at(10), null, null],
    ],
    ROTATE_RECOVERY: [
      ["OPERATIONAL", "ACTIVE", at(0), null, null],
      ["RECOVERY", "ROTATED", at(0), at(10), R2.key_id],
      ["RECOVERY", "ACTIVE", at(10), null, null],
    ],
    SELF: [
      ["OPERATIONAL", "REVOKED", at(0), at(10), null],
      ["RECOVERY", "ACTIVE", at(0), null, null],
    ],
    BY_RECOVERY: [
      ["OPERATIONAL", "REVOKED", at(0), at(10), null],
      ["RECOVERY", "ACTIVE", at(0), null, null],
    ],
    IDENTITY: [
      ["OPERATIONAL", "REVOKED", at(0), at(10), null],
      ["RECOVERY", "REVOKED", at(0), at(10), null],
    ],
  }
  test.each(Object.entries(expected))("after %s", (kind, keys) => {
    const { state, event } = right(kind as Kind, name)
    const after = accepted(state, event, 10)
    expect(show(after)).toEqual(keys)
    expect(after).toMatchObject({
      agentId: committed.agentId,
      identityStatus: kind === "IDENTITY" ? "REVOKED" : "ACTIVE",
      sequence: 1,
      headEventDigest: digestOf(event),
      headAcceptedAt: at(10),
      nextOperationalKeyDigest: event.next_operational_key_digest,
      lastRoutineRotationAt: kind === "ROUTINE" ? at(10) : null,
    })
  })

  test("after an enrolment: both keys are active, and the event gives the agent id", () => {
    const event = enrolment(K1, R1)
    expect(show(accepted(null, event, 0))).toEqual([
      ["OPERATIONAL", "ACTIVE", at(0), null, null],
      ["RECOVERY", "ACTIVE", at(0), null, null],
    ])
  })

  test("after a recovery that follows a revocation: the revoked key stays revoked and names its successor", () => {
    const { state, event } = right("RECOVERY", "a revoked operational key")
    expect(show(accepted(state, event, 10))).toEqual([
      ["OPERATIONAL", "REVOKED", at(0), at(5), K2.key_id],
      ["RECOVERY", "ACTIVE", at(0), null, null],
      ["OPERATIONAL", "ACTIVE", at(10), null, null],
    ])
  })

  test("keep the time of a routine rotation through later events", () => {
    const rotated = accepted(committed, rightEvent("ROUTINE", committed, both), 10)
    const event = { ...rightEvent("ROTATE_RECOVERY", rotated, { operational: K2, recovery: R1 }), expires_at: at(40) }
    expect(accepted(rotated, event, 30).lastRoutineRotationAt).toBe(at(10))
  })

  test("after a revocation of the identity: rotated keys are revoked too, and each keeps its end", () => {
    const rotated = accepted(committed, rightEvent("ROUTINE", committed, both), 10)
    const event = { ...rightEvent("IDENTITY", rotated, both), expires_at: at(40) }
    expect(show(accepted(rotated, event, 30)).map(([, status, , until]) => [status, until])).toEqual([
      ["REVOKED", at(10)],
      ["REVOKED", at(30)],
      ["REVOKED", at(30)],
    ])
  })
})

describe("a claimed compromise", () => {
  const claims = { "before the key was introduced": -1, "at its introduction": 0, between: 5, now: 10, "after now": 11 }
  const allowed = ["at its introduction", "between", "now"]
  for (const kind of ["RECOVERY", "BY_RECOVERY"] as const) {
    test.each(Object.entries(claims))(`in ${kind} is limited to the key's life: %s`, (when, minutes) => {
      const { state, event } = right(kind, "an active key with a commitment to the new key")
      const claimed = { ...event, change: { ...event.change, compromise_suspected_since: at(minutes) } } as KeyEvent
      const outcome = accept(state, claimed, 10)
      if (!allowed.includes(when)) expect(outcome).toEqual({ fault: "COMPROMISE_OUT_OF_RANGE" })
      else {
        const [old] = "state" in outcome ? outcome.state.keys : []
        expect(old).toMatchObject({ status: "REVOKED", until: at(10), compromisedSince: at(minutes) })
      }
    })
  }

  test.each(["ROUTINE", "SELF"] as const)("in %s is refused, because only the recovery key can claim it", (kind) => {
    const { state, event } = right(kind, "an active key with a commitment to the new key")
    const claimed = { ...event, change: { ...event.change, compromise_suspected_since: at(5) } } as KeyEvent
    expect(accept(state, claimed, 10)).toEqual({ fault: "COMPROMISE_NEEDS_RECOVERY" })
  })

  test("is compared as an instant in any time zone, and a day that does not exist is refused", () => {
    const { state, event } = right("RECOVERY", "an active key with a commitment to the new key")
    const claim = (since: string) =>
      accept(state, { ...event, change: { ...event.change, compromise_suspected_since: since } } as KeyEvent, 10)
    const zoned = claim("2026-03-01T13:05:00.0009+01:00")
    expect("state" in zoned && zoned.state.keys[0]?.compromisedSince).toBe(at(5))
    expect(claim("2026-02-30T12:05:00Z")).toEqual({ fault: "COMPROMISE_OUT_OF_RANGE" })
  })

  test("revokes every operational key introduced at that instant or later, and no recovery key", () => {
    const first = accepted(committed, rightEvent("ROUTINE", committed, both), 10)
    const change = {
      ...({ kind: "ROTATE_OPERATIONAL", mode: "RECOVERY", replaces_key_id: K2.key_id } as const),
      authorized_by: ["RECOVERY", "NEW_OPERATIONAL"] as ["RECOVERY", "NEW_OPERATIONAL"],
    }
    const second = accepted(first, keyEvent(first, 10, change, { operational: K3, recovery: R1 }), 10)
    const last = { ...change, replaces_key_id: K3.key_id, compromise_suspected_since: at(10) }
    const event = keyEvent(second, 11, last, { operational: testKey(4), recovery: R1 })
    const statuses = accepted(second, event, 11).keys.map(({ keyId, status }) => [keyId, status])
    expect(Object.fromEntries(statuses)).toEqual({
      [K1.key_id]: "ROTATED",
      [R1.key_id]: "ACTIVE",
      [K2.key_id]: "REVOKED",
      [K3.key_id]: "REVOKED",
      [testKey(4).key_id]: "ACTIVE",
    })
  })

  test("of a key with an earlier claim keeps the earlier claim", () => {
    const revoke = rightEvent("BY_RECOVERY", committed, both)
    const claimed = { ...revoke, change: { ...revoke.change, compromise_suspected_since: at(3) } } as KeyEvent
    const revoked = accepted(committed, claimed, 10)
    const rotate = { ...rightEvent("RECOVERY", revoked, { operational: K1, recovery: R1 }), expires_at: at(40) }
    const later = { ...rotate, change: { ...rotate.change, compromise_suspected_since: at(8) } } as KeyEvent
    expect(accepted(revoked, later, 20).keys[0]).toMatchObject({ compromisedSince: at(3), until: at(10) })
  })
})

describe("the signatures that a change needs", () => {
  test.each(KINDS)("%s names its keys by role", (kind) => {
    const { state, event } = right(
      kind,
      kind === "ENROLL" ? "nothing enrolled" : "an active key with a commitment to the new key",
    )
    const named = requiredSignatures(state, event)?.map(({ role, key }) => [role, key.key_id])
    const expected: Readonly<Record<Kind, string[][]>> = {
      ENROLL: [
        ["OPERATIONAL", K3.key_id],
        ["RECOVERY", R2.key_id],
      ],
      ROUTINE: [
        ["OPERATIONAL", K1.key_id],
        ["NEW_OPERATIONAL", K2.key_id],
      ],
      RECOVERY: [
        ["RECOVERY", R1.key_id],
        ["NEW_OPERATIONAL", K2.key_id],
      ],
      ROTATE_RECOVERY: [
        ["RECOVERY", R1.key_id],
        ["NEW_RECOVERY", R2.key_id],
      ],
      SELF: [["OPERATIONAL", K1.key_id]],
      BY_RECOVERY: [["RECOVERY", R1.key_id]],
      IDENTITY: [["RECOVERY", R1.key_id]],
    }
    expect(named).toEqual(expected[kind])
    expect(requiredRoles(event.change)).toEqual(event.change.authorized_by)
  })

  test("are impossible if a role has no active key", () => {
    const { event } = right("SELF", "an active key without a commitment")
    expect(requiredSignatures(operationalRevoked, event)).toBeNull()
  })
})

test("the rules of a key history import no package and no runtime module, so they also run in a browser", () => {
  const { files, packages } = reachableFrom("src/core/key-history.ts")
  expect(files).toContain("src/core/key-change.ts")
  expect([...packages]).toEqual([])
})
