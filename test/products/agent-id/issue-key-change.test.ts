import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { compile } from "../../../src/http/read-body.ts"
import { EVENTS_PER_AGENT_MAX } from "../../../src/products/agent-id/issue-key-change.ts"
import {
  CHALLENGES,
  challengeFor,
  change,
  commitmentTo,
  type Enrolled,
  ending,
  enrolled,
  makeKey,
  recovery,
  recoveryRotation,
  revocation,
  rotation,
} from "./key-changes.ts"
import { BASE_URL, codeOf, openService, type Service } from "./service.ts"

let service: Service
let agent: Enrolled
beforeEach(async () => {
  service = openService()
  agent = await enrolled(service)
  service.clock.at += 1000
})
afterEach(() => service.close())

const head = async () => {
  const status = (await (await service.get(`/v1/agent-identities/${agent.agentId}/status`)).json()) as {
    payload: { head_event_digest: string }
  }
  return status.payload.head_event_digest
}

describe("a challenge is the next event of the history, with exactly the members of its kind, for", () => {
  const fresh = makeKey()
  const after = makeKey()
  const since = "2026-03-01T12:00:07.250Z"
  type Row = readonly [
    string,
    (of: Enrolled) => object,
    (of: Enrolled) => Partial<KeyEvent>,
    (of: Enrolled) => string[][],
  ]
  const keyOf = (key: { keyId: string; x: string }) => ({
    key_id: key.keyId,
    public_jwk: { kty: "OKP" as const, crv: "Ed25519" as const, x: key.x },
  })
  const rows: readonly Row[] = [
    [
      "a routine rotation",
      (of) => rotation(of.agentId, of.next, { next_operational_key_digest: commitmentTo(after) }),
      (of) => ({
        purpose: "ROTATION",
        keys: { operational: keyOf(of.next), recovery: keyOf(of.recovery) },
        next_operational_key_digest: commitmentTo(after),
        change: {
          kind: "ROTATE_OPERATIONAL",
          mode: "ROUTINE",
          replaces_key_id: of.operational.keyId,
          authorized_by: ["OPERATIONAL", "NEW_OPERATIONAL"],
        },
      }),
      (of) => [
        ["OPERATIONAL", of.operational.keyId],
        ["NEW_OPERATIONAL", of.next.keyId],
      ],
    ],
    [
      "a recovery with a claimed compromise",
      (of) => recovery(of.agentId, fresh, { compromise_suspected_since: since }),
      (of) => ({
        purpose: "ROTATION",
        keys: { operational: keyOf(fresh), recovery: keyOf(of.recovery) },
        next_operational_key_digest: null,
        change: {
          kind: "ROTATE_OPERATIONAL",
          mode: "RECOVERY",
          replaces_key_id: of.operational.keyId,
          compromise_suspected_since: since,
          authorized_by: ["RECOVERY", "NEW_OPERATIONAL"],
        },
      }),
      (of) => [
        ["RECOVERY", of.recovery.keyId],
        ["NEW_OPERATIONAL", fresh.keyId],
      ],
    ],
    [
      "a new recovery key",
      (of) => recoveryRotation(of.agentId, fresh),
      (of) => ({
        purpose: "ROTATION",
        keys: { operational: keyOf(of.operational), recovery: keyOf(fresh) },
        next_operational_key_digest: commitmentTo(of.next),
        change: {
          kind: "ROTATE_RECOVERY",
          replaces_key_id: of.recovery.keyId,
          authorized_by: ["RECOVERY", "NEW_RECOVERY"],
        },
      }),
      (of) => [
        ["RECOVERY", of.recovery.keyId],
        ["NEW_RECOVERY", fresh.keyId],
      ],
    ],
    [
      "a revocation by the key itself",
      (of) => revocation(of.agentId),
      (of) => ({
        purpose: "REVOCATION",
        keys: { operational: null, recovery: keyOf(of.recovery) },
        next_operational_key_digest: null,
        change: {
          kind: "REVOKE_OPERATIONAL",
          revokes_key_id: of.operational.keyId,
          reason: "UNSPECIFIED",
          authorized_by: ["OPERATIONAL"],
        },
      }),
      (of) => [["OPERATIONAL", of.operational.keyId]],
    ],
    [
      "a revocation by the recovery key",
      (of) => revocation(of.agentId, { mode: "RECOVERY", reason: "KEY_COMPROMISE", compromise_suspected_since: since }),
      (of) => ({
        purpose: "REVOCATION",
        keys: { operational: null, recovery: keyOf(of.recovery) },
        next_operational_key_digest: null,
        change: {
          kind: "REVOKE_OPERATIONAL",
          revokes_key_id: of.operational.keyId,
          reason: "KEY_COMPROMISE",
          compromise_suspected_since: since,
          authorized_by: ["RECOVERY"],
        },
      }),
      (of) => [["RECOVERY", of.recovery.keyId]],
    ],
    [
      "the end of the identity",
      (of) => ending(of.agentId),
      () => ({
        purpose: "REVOCATION",
        keys: { operational: null, recovery: null },
        next_operational_key_digest: null,
        change: { kind: "REVOKE_IDENTITY", reason: "CESSATION_OF_OPERATION", authorized_by: ["RECOVERY"] },
      }),
      (of) => [["RECOVERY", of.recovery.keyId]],
    ],
  ]
  test.each(rows)("%s", async (_what, request, members, signatures) => {
    const answer = await challengeFor(service, request(agent))
    expect([...compile(AgentIdentityChallenge).Errors(answer)]).toEqual([])
    const { challenge_id, nonce, ...said } = answer.challenge
    expect(said).toEqual({
      domain: "svc.agent-identity.key-event.v1",
      schema_version: "1.0.0",
      claim: "KEY_CONTROL_ONLY",
      audience: BASE_URL,
      issued_at: "2026-03-01T12:00:08.250Z",
      expires_at: "2026-03-01T12:10:08.250Z",
      agent_id: agent.agentId,
      sequence: 1,
      previous_event_digest: await head(),
      ...members(agent),
    } as typeof said)
    expect(nonce).toHaveLength(43)
    expect(answer.challenge_digest).toBe(digestOf(answer.challenge))
    expect(answer.required_signatures.map(({ role, key_id }) => [role, key_id])).toEqual(signatures(agent))
    expect(answer.proof_request.uri).toBe(`${BASE_URL}${CHALLENGES}/${challenge_id}/prove`)
  })
})

describe("a challenge for a key change is refused", () => {
  const key = makeKey()
  const shapes: readonly [string, (of: Enrolled) => object, string][] = [
    [
      "a compromise in a routine rotation",
      (of) => rotation(of.agentId, key, { compromise_suspected_since: "2026-03-01T12:00:07.250Z" }),
      "/compromise_suspected_since",
    ],
    [
      "a compromise in a self-revocation",
      (of) => revocation(of.agentId, { compromise_suspected_since: "2026-03-01T12:00:07.250Z" }),
      "/compromise_suspected_since",
    ],
    [
      "a compromise with the end of an identity",
      (of) => ending(of.agentId, { compromise_suspected_since: "2026-03-01T12:00:07.250Z" }),
      "/compromise_suspected_since",
    ],
    [
      "a compromise of the recovery key",
      (of) => recoveryRotation(of.agentId, key, { compromise_suspected_since: "2026-03-01T12:00:07.250Z" }),
      "/compromise_suspected_since",
    ],
    [
      "a day that does not exist",
      (of) => recovery(of.agentId, key, { compromise_suspected_since: "2026-02-30T12:00:00Z" }),
      "/compromise_suspected_since",
    ],
    ["a routine new recovery key", (of) => recoveryRotation(of.agentId, key, { mode: "ROUTINE" }), "/mode"],
    [
      "a commitment with a new recovery key",
      (of) => recoveryRotation(of.agentId, key, { next_operational_key_digest: commitmentTo(key) }),
      "/next_operational_key_digest",
    ],
    ["an identity ended by its operational key", (of) => ending(of.agentId, { mode: "SELF" }), "/mode"],
    ["an unknown reason", (of) => revocation(of.agentId, { reason: "BORED" }), "/reason"],
    ["a reason in a rotation", (of) => rotation(of.agentId, key, { reason: "SUPERSEDED" }), "/reason"],
  ]
  test.each(shapes)("for %s with 422 SCHEMA_INVALID that names the member", async (_what, request, pointer) => {
    const response = await service.post(CHALLENGES, request(agent))
    const problem = (await response.json()) as { code: string; errors: { pointer: string }[] }
    expect([response.status, problem.code, problem.errors.map((error) => error.pointer)]).toEqual([
      422,
      "SCHEMA_INVALID",
      [pointer],
    ])
  })

  test("for a weak new key with 422 before the identity is looked up", async () => {
    const weak = { ...key, x: "AQAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" }
    const unknown = `svc:agent:${"A".repeat(32)}`
    expect(await codeOf(await service.post(CHALLENGES, recovery(unknown, weak)))).toBe("422 KEY_SMALL_ORDER")
    expect(await codeOf(await service.post(CHALLENGES, recovery(unknown, key)))).toBe("404 AGENT_NOT_FOUND")
  })

  const refused = async (request: object): Promise<unknown[]> => {
    const response = await service.post(CHALLENGES, request)
    const { code, reason_codes } = (await response.json()) as { code: string; reason_codes: string[] }
    return [response.status, code, ...reason_codes]
  }
  const CONFLICT = [409, "LIFECYCLE_CONFLICT"]

  test("for a routine rotation to a key that was not committed", async () => {
    expect(await refused(rotation(agent.agentId, key))).toEqual([...CONFLICT, "COMMITMENT_MISMATCH"])
  })

  test("for a routine rotation without any commitment", async () => {
    await change(service, recovery(agent.agentId, key), { RECOVERY: agent.recovery, NEW_OPERATIONAL: key })
    expect(await refused(rotation(agent.agentId, agent.next))).toEqual([...CONFLICT, "COMMITMENT_MISSING"])
  })

  test("for a revoked operational key, which can neither rotate nor be revoked again", async () => {
    await change(service, revocation(agent.agentId), { OPERATIONAL: agent.operational })
    expect(await refused(rotation(agent.agentId, agent.next))).toEqual([...CONFLICT, "TARGET_NOT_ACTIVE"])
    expect(await refused(revocation(agent.agentId, { mode: "RECOVERY" }))).toEqual([...CONFLICT, "TARGET_NOT_ACTIVE"])
  })

  test("for any change of a revoked identity", async () => {
    await change(service, ending(agent.agentId), { RECOVERY: agent.recovery })
    for (const request of [
      rotation(agent.agentId, agent.next),
      recovery(agent.agentId, key),
      recoveryRotation(agent.agentId, key),
      revocation(agent.agentId),
      ending(agent.agentId),
    ]) {
      expect(await refused(request)).toEqual([...CONFLICT, "IDENTITY_REVOKED"])
    }
  })

  test.each(["2026-03-01T12:00:07.249Z", "2026-03-01T12:00:08.251Z"])(
    "for a compromise at %s, before the key existed or in the future",
    async (since) => {
      const claim = { compromise_suspected_since: since }
      for (const request of [
        recovery(agent.agentId, key, claim),
        revocation(agent.agentId, { mode: "RECOVERY", ...claim }),
      ]) {
        const response = await service.post(CHALLENGES, request)
        expect(await response.json()).toMatchObject({
          ...{ code: "LIFECYCLE_CONFLICT", status: 409, reason_codes: ["COMPROMISE_OUT_OF_RANGE"] },
          errors: [{ pointer: "/compromise_suspected_since", code: "COMPROMISE_OUT_OF_RANGE" }],
        })
      }
    },
  )

  test("for a second routine rotation within ten minutes with 429 and the seconds to wait; a recovery is not limited", async () => {
    const after = makeKey()
    await change(service, rotation(agent.agentId, agent.next, { next_operational_key_digest: commitmentTo(after) }), {
      OPERATIONAL: agent.operational,
      NEW_OPERATIONAL: agent.next,
    })
    service.clock.at += 599_000
    const response = await service.post(CHALLENGES, rotation(agent.agentId, after))
    expect(response.status).toBe(429)
    expect(response.headers.get("retry-after")).toBe("1")
    expect(await response.json()).toMatchObject({ reason_codes: ["ROUTINE_ROTATION_TOO_SOON"], retryable: true })
    expect((await service.post(CHALLENGES, recovery(agent.agentId, key))).status).toBe(201)
    service.clock.at += 1000
    expect((await service.post(CHALLENGES, rotation(agent.agentId, after))).status).toBe(201)
  })

  test(`for a rotation after event ${EVENTS_PER_AGENT_MAX}; revoking stays possible`, async () => {
    service.database.run("UPDATE agent SET sequence = ?", [EVENTS_PER_AGENT_MAX - 2])
    expect((await service.post(CHALLENGES, recovery(agent.agentId, key))).status).toBe(201)
    service.database.run("UPDATE agent SET sequence = ?", [EVENTS_PER_AGENT_MAX - 1])
    for (const request of [
      rotation(agent.agentId, agent.next),
      recovery(agent.agentId, key),
      recoveryRotation(agent.agentId, key),
    ]) {
      expect(await refused(request)).toEqual([...CONFLICT, "EVENTS_USED_UP"])
    }
    expect((await service.post(CHALLENGES, revocation(agent.agentId))).status).toBe(201)
    const result = await change(service, ending(agent.agentId), { RECOVERY: agent.recovery })
    expect(result.event.sequence).toBe(EVENTS_PER_AGENT_MAX)
  })
})
