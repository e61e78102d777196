/** Where the two signatures of a request are verified, how often, and that the refusals are the same. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { availableParallelism } from "node:os"
import { join } from "node:path"
import type { DecisionRequest } from "../../../../../schemas/us/payment-decision.ts"
import { requestTexts } from "../../../../../src/checks/policy/digests.ts"
import { ValidSignatures } from "../../../../../src/core/crypto/valid-signatures.ts"
import { signatureFaultAside } from "../../../../../src/core/ed25519.ts"
import { firstRefusal } from "../../../../../src/products/common/pre-quote-check.ts"
import { checksBeforeQuote, entryChecks } from "../../../../../src/products/us/payment-decision/pre-quote-checks.ts"
import { agentKey, mandateKey, ORGANIZATION_ID, testKey } from "../../../../fixtures/buyers.ts"
import { DECIDED_AT, signedRequest } from "../../../../fixtures/decision.ts"
import { slowTests } from "../../../../fixtures/slow-tests.ts"
import { freshRequest, NO_REGISTERS, ORIGIN, signedHeader, staticBoard } from "../../../../fixtures/test-server.ts"
import { askEligibility } from "../eligibility-seller.ts"
import { openSeller, type Seller } from "../seller.ts"

const test = slowTests(import.meta.path)

const stranger = testKey("stranger", 77)

describe.each([1, 2])("with %d processors", (processors) => {
  let seller: Seller
  beforeAll(async () => {
    seller = await openSeller(processors)
    // From here on both keys are known to the process.
    expect((await seller.refused(freshRequest())).status).toBe(402)
  })
  afterAll(() => seller.close())

  const badRequest = { agent: { keyId: agentKey.keyId, privateKey: stranger.privateKey } }
  const badMandate = { mandateSigner: { ...mandateKey, privateKey: stranger.privateKey } }
  test.each([
    ["both signatures", "REQUEST_SIGNATURE_INVALID", { ...badRequest, ...badMandate }],
    ["the signature of the request", "REQUEST_SIGNATURE_INVALID", badRequest],
    ["the signature of the mandate", "MANDATE_SIGNATURE_INVALID", badMandate],
    ["buyer and mandate", "BUYER_NOT_VERIFIED", { ...badMandate, organizationId: "org:example:unknown" }],
  ] as const)("the first refusal is the same if %s are wrong, at each call", async (_, code, options) => {
    const request = freshRequest(options)
    for (let call = 0; call < 2; call++) {
      const refusal = await seller.refused(request)
      expect([refusal.status, refusal.code]).toEqual([403, code])
    }
  })

  test("the lines of an eligibility answer name the same faults", async () => {
    for (const [options, failed] of [
      [{}, []],
      [badRequest, ["REQUEST_SIGNATURE"]],
      [badMandate, ["MANDATE"]],
    ] as const) {
      const { checks } = await askEligibility(seller, freshRequest(options))
      expect(checks.flatMap(({ check_id, state }) => (state === "FAILED" ? check_id : []))).toEqual([...failed])
    }
  })

  test("a quoted request is sold", async () => {
    const request = freshRequest()
    expect((await seller.server.post(request, await signedHeader(seller.server, request))).status).toBe(200)
  })
})

/** The two checks over the real verification on other threads, with the signatures that it was asked for. */
function checksOver() {
  const verified: string[] = []
  let running = 0
  let runningMax = 0
  const signatures = new ValidSignatures(true, async (x, message, value) => {
    verified.push(value)
    runningMax = Math.max(runningMax, ++running)
    const fault = await signatureFaultAside(x, message, value)
    running--
    return fault === null
  })
  const context = { sources: staticBoard(), registers: NO_REGISTERS, baseUrl: () => ORIGIN, signatures }
  const checks = [...entryChecks(signatures), ...checksBeforeQuote(context)]
  const signed = checks.filter(({ id }) => id === "REQUEST_SIGNATURE" || id === "MANDATE")
  const judge = (request: DecisionRequest, { paid = false, state = "ACTIVE" } = {}) => {
    const key = { ...mandateKey, organizationId: ORGANIZATION_ID, state, revokedSince: null }
    const authority = { mandateSigner: { kind: "ORGANIZATION", key }, mandateRevoked: false, conflict: null }
    const input = {
      request,
      texts: requestTexts(request),
      agentKey,
      at: DECIDED_AT,
      paid,
      recordsForChecks: { authority },
    }
    return firstRefusal(signed, input as unknown as Parameters<(typeof signed)[number]["judge"]>[0])
  }
  return { judge, verified, runningMax: () => runningMax }
}

const signaturesOf = ({ requesting_agent: agent, buyer_mandate: mandate }: DecisionRequest) => [
  agent.request_signature,
  mandate.signature.value,
]

describe("the signatures of one request", () => {
  const first = signedRequest()
  const second = signedRequest({ request: { idempotency_key: "order-2026-0002" } })

  test("are verified for its quote and not for its payment, which the state of the key refuses all the same", async () => {
    const { judge, verified } = checksOver()
    expect(await judge(first)).toBeNull()
    expect(await judge(first, { paid: true })).toBeNull()
    expect((await judge(first, { paid: true, state: "REVOKED" }))?.code).toBe("MANDATE_SIGNATURE_INVALID")
    expect(verified).toEqual(signaturesOf(first))
  })

  test("are verified at the same time once the process knows the key of the mandate", async () => {
    const { judge, verified, runningMax } = checksOver()
    expect([await judge(first), runningMax()]).toEqual([null, 1])
    expect([await judge(second), runningMax()]).toEqual([null, 2])
    expect(verified).toEqual([...signaturesOf(first), ...signaturesOf(second)])
  })
})

describe("a process", () => {
  const whereOf = (...command: string[]) => {
    const script = join(import.meta.dir, "../../../../fixtures/verifying-process.ts")
    const { stdout, stderr, exitCode } = Bun.spawnSync([...command, process.execPath, script])
    if (exitCode !== 0) throw new Error(stderr.toString())
    return stdout.toString()
  }
  const processors = availableParallelism()

  test.skipIf(Bun.which("taskset") === null)("that may use one processor verifies in place", () => {
    expect(whereOf("taskset", "-c", "0")).toBe("in place of 1")
  })

  test.skipIf(processors === 1)("that may use several lets other threads verify", () => {
    expect(whereOf()).toBe(`aside of ${processors}`)
  })
})
