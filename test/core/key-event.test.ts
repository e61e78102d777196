import { expect, test } from "bun:test"
import { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { agentIdOf } from "../../src/core/agent-id.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { digestOf } from "../../src/core/digest.ts"
import { keyFromSeed, signWith } from "../../src/core/ed25519.ts"
import { enrolmentEvent } from "../../src/core/key-event.ts"
import { compile } from "../../src/http/read-body.ts"

/** Made with the `canonicalize` package, @noble/ed25519 and node's SHA-256, without the code under test. Seeds: 1..32 and 101..132. */
const own = {
  parts: {
    audience: "https://bizauth.example",
    challengeId: "AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcY",
    nonce: "ycrLzM3Oz9DR0tPU1dbX2Nna29zd3t_g4eLj5OXm5-g",
    issuedAt: "2026-05-04T03:02:01.000Z",
    expiresAt: "2026-05-04T03:12:01.000Z",
    operationalX: "ebVWLo_mVPlAeLES6KmLp5AfhTrmlb7X4OORC60ElmQ",
    recoveryX: "2inpWwLgD_oVZFd1-x0roiKhlDOV7qBrlOLAV7e-adA",
    nextOperationalKeyDigest: null,
  },
  operationalKeyId: "ed25519-WWpn_pfHui9YKR4CZtQsDGMu7_Gch2zYChfSvnxgtPk",
  eventDigest: "sha256:9a33db82df4237effa487a1357a323d112146e1f02c2b03a3cae81c0e6c2714b",
  agentId: "svc:agent:mjPbgt9CN-_6SHoTV6Mj0RIUbh8CwrA6",
  operationalSignature: "SYICYbIAmP4gbsSt4pT9pqQxY3xg6NclrEt0JHBa-e5st4Oluc9iUe37wAfz8pHO_S7NoBuiAi4OKrbTY4DxDg",
  recoverySignature: "HrxXmdjr_W86_FMSPkQIx-pY7RzTyCOlbZpbSEr61iGsSsry4809LnDNdmafvmSV4jUiViYMXM_s73b80dR8CA",
}
const seed = (from: number) => Uint8Array.from({ length: 32 }, (_, index) => from + index)

test("an enrolment event has the digest, id and signatures that other implementations compute", () => {
  const event = enrolmentEvent(own.parts)
  expect(compile(KeyEvent).Check(event)).toBe(true)
  expect(event.keys.operational.key_id).toBe(own.operationalKeyId)
  expect(digestOf(event)).toBe(own.eventDigest as never)
  expect(agentIdOf(digestOf(event))).toBe(own.agentId)
  expect(signWith(keyFromSeed(seed(1)).privateKey, canonicalize(event))).toBe(own.operationalSignature)
  expect(signWith(keyFromSeed(seed(101)).privateKey, canonicalize(event))).toBe(own.recoverySignature)
})

test("a change of any part changes the agent id", () => {
  const idOf = (parts: typeof own.parts) => agentIdOf(digestOf(enrolmentEvent(parts)))
  const ids = [
    idOf(own.parts),
    idOf({ ...own.parts, audience: "https://other.example" }),
    idOf({ ...own.parts, nonce: own.parts.nonce.replace("y", "z") }),
    idOf({ ...own.parts, operationalX: own.parts.recoveryX }),
    idOf({ ...own.parts, expiresAt: "2026-05-04T03:12:01.001Z" }),
  ]
  expect(new Set(ids).size).toBe(ids.length)
})
