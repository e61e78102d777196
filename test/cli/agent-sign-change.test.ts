/** How an outsider buys a US vendor change: a JSON file, the agent command, and the service accepts the signature. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import type { VendorChangeRequest } from "../../schemas/us/vendor-change.ts"
import { EXIT } from "../../src/base/exit.ts"
import { realMachine } from "../../src/base/machine.ts"
import { requestSigningBytes } from "../../src/checks/policy/digests.ts"
import { verifySignature } from "../../src/core/ed25519.ts"
import { formatInstant } from "../../src/core/time.ts"
import { without } from "../../src/core/without.ts"
import { type AgentMachine, openAgentMachine } from "../fixtures/agent-machine.ts"
import { AGENT_ID, agentKey } from "../fixtures/buyers.ts"
import { VENDOR_CHANGE_PATH, vendorChangeBody } from "../fixtures/vendor-change.ts"
import { enterDelegation, openSeller } from "../products/us/payment-decision/seller.ts"

let agentMachine: AgentMachine
beforeEach(() => {
  agentMachine = openAgentMachine()
})
afterEach(() => agentMachine[Symbol.dispose]())

const AT = Date.UTC(2026, 10, 20, 10)

/** What a person writes: no signature, no key, no constant, no time. */
function changeDraft(changes: Record<string, unknown> = {}): Record<string, unknown> {
  const body = vendorChangeBody()
  const constants = ["schema_version", "jurisdiction", "coverage", "idempotency_key", "requesting_agent"] as const
  return {
    ...without(body, ...constants),
    freshness_requirements: { max_age_seconds: body.freshness_requirements.max_age_seconds },
    ...changes,
  }
}

const sign = (machine = realMachine) => agentMachine.sign({ "mandate-key": "" }, machine)
const signed = () => JSON.parse(readFileSync(agentMachine.path("request.json"), "utf8")) as VendorChangeRequest

test("a draft that names the service's domain is completed and signed with the agent's key, without a mandate", async () => {
  agentMachine.write("draft.json", changeDraft())
  expect(await sign({ ...realMachine, now: () => AT })).toMatchObject({ exit: EXIT.DONE, err: "" })
  const change = signed()
  expect(verifySignature(agentKey.x, requestSigningBytes(change), change.requesting_agent.request_signature)).toBe(true)
  expect(change.requesting_agent).toMatchObject({ agent_id: AGENT_ID, key_id: agentKey.keyId })
  expect(change.freshness_requirements.evaluated_at).toBe(formatInstant(AT))
})

test.each([
  [
    "the service it is for is left out",
    () => without(changeDraft() as { audience: string }, "audience"),
    EXIT.USAGE,
    "/audience",
  ],
  [
    "where the vendor is paid now is left out",
    () => without(changeDraft() as { current_payee_fingerprint: null }, "current_payee_fingerprint"),
    EXIT.USAGE,
    "/current_payee_fingerprint",
  ],
  ["an unknown member", () => changeDraft({ buyer_mandate: {} }), EXIT.USAGE, "/buyer_mandate"],
  [
    "another agent",
    () => changeDraft({ requesting_agent: { agent_id: `svc:agent:${"b".repeat(32)}` } }),
    EXIT.INVALID,
    "agent_id",
  ],
  ["another domain", () => changeDraft({ domain: "svc.buyer-delegation.v1" }), EXIT.USAGE, "--mandate-key"],
])("nothing is signed when the draft conflicts with the signing context: %s", async (_, draft, exit, named) => {
  agentMachine.write("draft.json", draft())
  expect(await sign()).toMatchObject({ exit, err: expect.stringContaining(named) })
  expect(existsSync(agentMachine.path("request.json"))).toBe(false)
})

test("--mandate-key is rejected for a payee change, because a change is no payment order", async () => {
  agentMachine.write("draft.json", changeDraft())
  expect(await agentMachine.sign()).toMatchObject({ exit: EXIT.USAGE })
  expect(existsSync(agentMachine.path("request.json"))).toBe(false)
})

test("the service gives a quote for the signed request", async () => {
  const seller = await openSeller()
  try {
    await enterDelegation(seller, agentKey, { scope: ["AUTHORIZE_DESTINATION_CHANGE"] })
    agentMachine.write("draft.json", changeDraft())
    await sign()
    expect((await seller.server.post(signed(), {}, VENDOR_CHANGE_PATH)).status).toBe(402)
  } finally {
    await seller.close()
  }
})
