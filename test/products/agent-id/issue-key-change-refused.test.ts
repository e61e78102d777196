/** Why a challenge for a change of keys is refused. */
import { afterEach, beforeEach, describe, expect } from "bun:test"
import { EVENTS_PER_AGENT_MAX } from "../../../src/products/agent-id/issue-key-change.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import {
  CHALLENGES,
  change,
  commitmentTo,
  type Enrolled,
  ending,
  makeKey,
  openWithEnrolled,
  recovery,
  recoveryRotation,
  revocation,
  rotation,
} from "./key-changes.ts"
import { codeOf, type Service } from "./service.ts"

const test = slowTests(import.meta.path)

let service: Service
let agent: Enrolled
beforeEach(async () => {
  ;({ service, agent } = await openWithEnrolled())
})
afterEach(() => service.close())

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
    await service.write("UPDATE agent SET sequence = ?", EVENTS_PER_AGENT_MAX - 2)
    expect((await service.post(CHALLENGES, recovery(agent.agentId, key))).status).toBe(201)
    await service.write("UPDATE agent SET sequence = ?", EVENTS_PER_AGENT_MAX - 1)
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
