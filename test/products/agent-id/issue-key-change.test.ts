import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { AgentIdentityChallenge } from "../../../schemas/agent-id/challenge.ts"
import type { KeyEvent } from "../../../schemas/agent-id/key-event.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { compile } from "../../../src/http/read-body.ts"
import {
  CHALLENGES,
  challengeFor,
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
import { BASE_URL, type Service } from "./service.ts"

let service: Service
let agent: Enrolled
beforeEach(async () => {
  ;({ service, agent } = await openWithEnrolled())
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
