/** Proofs that change nothing: wrong keys, and keys of another identity. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import type { SigningRole } from "../../../schemas/agent-id/key-event.ts"
import type { SigningKey } from "../../../src/agent/keys.ts"
import { enrolmentRequest, makeAgentKeys, proofOf } from "../../fixtures/agent.ts"
import {
  challengeFor,
  change,
  type Enrolled,
  ending,
  enrolled,
  makeKey,
  openWithEnrolled,
  proofBy,
  recovery,
  revocation,
  rotation,
} from "./key-changes.ts"
import { codeOf, provePath, type Service } from "./service.ts"

let service: Service
let agent: Enrolled
beforeEach(async () => {
  ;({ service, agent } = await openWithEnrolled())
})
afterEach(() => service.close())

const self = (document: string) => `/v1/agent-identities/${agent.agentId}/${document}`
const told = async () => {
  const { payload } = (await (await service.get(self("status"))).json()) as {
    payload: {
      identity_status: string
      sequence: number
      head_event_digest: string
      keys: { key_id: string; status: string }[]
    }
  }
  return { ...payload, keys: Object.fromEntries(payload.keys.map(({ key_id, status }) => [key_id, status])) }
}

describe("a proof by the wrong keys changes nothing", () => {
  const fresh = makeKey()
  const rows: readonly [
    string,
    (of: Enrolled) => object,
    (of: Enrolled) => Partial<Record<SigningRole, SigningKey>>,
  ][] = [
    [
      "a recovery signed by the operational key",
      (of) => recovery(of.agentId, fresh),
      (of) => ({ RECOVERY: of.operational, NEW_OPERATIONAL: fresh }),
    ],
    [
      "a routine rotation signed by the recovery key",
      (of) => rotation(of.agentId, of.next),
      (of) => ({ OPERATIONAL: of.recovery, NEW_OPERATIONAL: of.next }),
    ],
    [
      "a rotation the new key did not sign",
      (of) => recovery(of.agentId, fresh),
      (of) => ({ RECOVERY: of.recovery, NEW_OPERATIONAL: of.next }),
    ],
    ["an end signed by the operational key", (of) => ending(of.agentId), (of) => ({ RECOVERY: of.operational })],
    ["a revocation by a stranger", (of) => revocation(of.agentId), () => ({ OPERATIONAL: fresh })],
  ]
  test.each(rows)("%s", async (_what, request, signers) => {
    const challenge = await challengeFor(service, request(agent))
    const proof = proofBy(challenge, signers(agent))
    const before = await told()
    expect(await codeOf(await service.post(provePath(challenge), proof))).toBe("422 PROOF_SIGNATURE_INVALID")
    // The same under the key ids that the challenge names, so that only the signature is wrong.
    const signatures = proof.signatures.map((each, index) => ({
      ...each,
      key_id: challenge.required_signatures[index]?.key_id ?? "",
    }))
    expect(await codeOf(await service.post(provePath(challenge), { ...proof, signatures }))).toBe(
      "422 PROOF_SIGNATURE_INVALID",
    )
    expect(await told()).toEqual(before)
  })

  test("a signature that the challenge does not ask for is rejected, not ignored", async () => {
    const challenge = await challengeFor(service, ending(agent.agentId))
    const proof = proofBy(challenge, { RECOVERY: agent.recovery })
    const more = { ...proof.signatures[0], role: "OPERATIONAL" }
    const response = await service.post(provePath(challenge), { ...proof, signatures: [...proof.signatures, more] })
    expect(await response.json()).toMatchObject({
      code: "PROOF_SIGNATURE_INVALID",
      errors: [{ pointer: "/signatures/1/role", code: "ROLE_NOT_REQUIRED" }],
    })
  })
})

describe("a key serves one identity only, and only its proven holder learns that it is in use", () => {
  const negatedKey = (key: SigningKey): SigningKey => {
    const bytes = Buffer.from(key.x, "base64url")
    bytes[31] = (bytes[31] ?? 0) ^ 0x80
    return { ...key, x: bytes.toString("base64url") }
  }

  test("an identity's own old key, its recovery key, and another identity's key cannot become the new key", async () => {
    const other = await enrolled(service)
    for (const key of [agent.operational, agent.recovery, other.operational, other.recovery]) {
      const challenge = await challengeFor(service, recovery(agent.agentId, key))
      const proof = proofBy(challenge, { RECOVERY: agent.recovery, NEW_OPERATIONAL: key })
      expect(await codeOf(await service.post(provePath(challenge), proof))).toBe("409 KEY_ALREADY_ENROLLED")
    }
    expect((await told()).sequence).toBe(0)
  })

  test("a request with the negation of an enrolled key gets the normal response, and a proof without the key reveals nothing", async () => {
    const challenge = await challengeFor(service, recovery(agent.agentId, negatedKey(agent.operational)))
    const named = challenge.required_signatures[1]?.key_id ?? ""
    const proof = proofBy(challenge, { RECOVERY: agent.recovery, NEW_OPERATIONAL: { ...makeKey(), keyId: named } })
    expect(await codeOf(await service.post(provePath(challenge), proof))).toBe("422 PROOF_SIGNATURE_INVALID")
  })

  test("a rotated key cannot enrol another identity", async () => {
    await change(service, rotation(agent.agentId, agent.next), {
      OPERATIONAL: agent.operational,
      NEW_OPERATIONAL: agent.next,
    })
    const keys = { operational: makeAgentKeys().operational, recovery: agent.operational }
    const challenge = await challengeFor(service, enrolmentRequest(keys))
    expect(await codeOf(await service.post(provePath(challenge), proofOf(challenge, keys)))).toBe(
      "409 KEY_ALREADY_ENROLLED",
    )
  })
})
