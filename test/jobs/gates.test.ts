/** Before the budget: the gates of the paid route. A refused job leaves no purchase, no hold and no request behind. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { requestDigest } from "../../src/checks/policy/digests.ts"
import { formatInstant, HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import type { AcpDeps } from "../../src/jobs/deps.ts"
import { workRound } from "../../src/jobs/round.ts"
import { insertDelegation } from "../../src/store/buyers/delegations.ts"
import { recordPause } from "../../src/store/jobs/channel.ts"
import { recordEntitlement } from "../../src/store/sales/requests.ts"
import { rowsOf } from "../delivery/selling-bench.ts"
import { agentKey, delegationContent, enterAgent, mandateKey, signedDelegation, testKey } from "../fixtures/buyers.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import type { RequestOptions } from "../fixtures/decision.ts"
import { type BuyerJob, finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { freshRequest, ORIGIN } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail()
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

const payer = { decision_fee_payer: DEV_ACCOUNTS.payer.address }
function fresh({ request, ...options }: RequestOptions = {}): DecisionRequest {
  return freshRequest({ at: rail.machine.now(), ...options, request: { ...payer, ...request } })
}

async function refused(job: BuyerJob, code: string, key = agentKey): Promise<void> {
  rail.send(job, finalOf(job, {}, key))
  await rail.until(job.jobId, "REFUSED")
  await rail.round()
  expect(rail.told(job.jobId)).toEqual([code])
  expect(await rail.escrow.budgets(job.jobId)).toEqual([])
}

const NOTHING = { requests: 0, attempts: 0, computed: 0, delivered: 0, holds: 0 }

describe("refused", () => {
  test.each<[string, string, () => RequestOptions]>([
    ["a mandate that another key signed", "MANDATE_SIGNATURE_INVALID", () => ({ mandateSigner: testKey("x", 77) })],
    ["a mandate that has ended", "MANDATE_NOT_CURRENT", () => ({ mandate: { valid_until: after(-SECOND) } })],
    [
      "a mandate with a lower fee",
      "MANDATE_LIMIT_EXCEEDED",
      () => ({ mandate: { max_decision_fee_atomic: "789999" } }),
    ],
    ["an old evaluation time", "EVALUATED_AT_OUT_OF_WINDOW", () => ({ at: rail.machine.now() - 2 * HOUR })],
    ["an amount over the delegation", "DELEGATION_EXCEEDED", () => ({ request: { amount: "1000001.00" } })],
    ["an unknown organization", "BUYER_NOT_VERIFIED", () => ({ organizationId: "org:example:other" })],
  ])("%s", async (_, code, options) => {
    const request = fresh(options())
    await refused(await rail.newJob({ request }), code)
    expect(await rowsOf(rail.server, request)).toEqual(NOTHING)
    expect((await rail.recover(request)).status).toBe(404)
  })

  test("a key without a delegation", async () => {
    const agentId = `svc:agent:${"b".repeat(32)}`
    const key = testKey(agentId, 78)
    await enterAgent(rail.server.database, rail.machine.now() - HOUR, key, agentId)
    const request = fresh({ agent: key, agentId })
    await refused(await rail.newJob({ request }), "DELEGATION_NOT_ACTIVE", key)
    expect(await rowsOf(rail.server, request)).toEqual(NOTHING)
  })

  test("a delegation that ends before the job and ten minutes", async () => {
    const agentId = `svc:agent:${"c".repeat(32)}`
    const key = testKey(agentId, 79)
    const now = rail.machine.now()
    await enterAgent(rail.server.database, now - HOUR, key, agentId)
    const content = delegationContent(now - HOUR, ORIGIN, {
      ...{ agent_id: agentId, key_id: key.keyId, max_payment_amount: "1000000" },
      ...{ valid_until: after(24 * MINUTE), nonce: "s".repeat(32), idempotency_key: "short" },
    })
    await rail.server.store.run(() => insertDelegation(signedDelegation("dgn_short", content, mandateKey, key, now)))
    const request = fresh({ agent: key, agentId })
    await refused(await rail.newJob({ request }), "AUTHORITY_TOO_SHORT", key)
    expect(await rowsOf(rail.server, request)).toEqual(NOTHING)
  })

  test.each([
    [599, "REFUSED"],
    [600, "BUDGET_PROPOSED"],
  ] as const)("a mandate valid for %i seconds after the deadline: %s", async (beyond, state) => {
    const job = await rail.newJob()
    const { expiredAt } = await rail.escrow.read(job.jobId)
    const request = fresh({ mandate: { valid_until: formatInstant((expiredAt + beyond) * SECOND) } })
    rail.send(job, finalOf({ ...job, request }))
    await rail.until(job.jobId, state)
    if (state === "REFUSED") {
      expect(rail.told(job.jobId)).toEqual(["AUTHORITY_TOO_SHORT"])
      expect(await rowsOf(rail.server, request)).toEqual(NOTHING)
    }
  })

  test("a list that is too old, and not before the list serves again", async () => {
    rail.board.serveNothing()
    const request = fresh()
    await refused(await rail.newJob({ request }), "SOURCE_STALE")
    rail.board.serveFirst()
    expect(await rowsOf(rail.server, request)).toEqual(NOTHING)
    await rail.proposed({ request })
  })

  test("the idempotency key of another request", async () => {
    const first = await rail.proposed()
    const request = fresh({ request: { idempotency_key: first.request.idempotency_key } })
    await refused(await rail.newJob({ request }), "IDEMPOTENCY_KEY_REUSED")
  })

  test("the obligation that another job is buying", async () => {
    const first = await rail.proposed()
    const request = fresh({ request: { invoice: first.request.invoice, supplier: first.request.supplier } })
    await refused(await rail.newJob({ request }), "DECISION_IN_PROGRESS")
    expect(await rowsOf(rail.server, request)).toEqual(NOTHING)
  })
})

describe("a signed request is sold once", () => {
  test("two jobs with one request: the second is refused", async () => {
    const first = await rail.newJob()
    const second = await rail.newJob({ request: first.request })
    rail.send(first, finalOf(first))
    rail.send(second, finalOf(second))
    for (let rounds = 0; rounds < 3; rounds++) await rail.round()
    const states = await Promise.all([first, second].map(async ({ jobId }) => (await rail.job(jobId)).state))
    expect(states.toSorted()).toEqual(["BUDGET_PROPOSED", "REFUSED"])
    const told = [first, second].flatMap(({ jobId }) => rail.told(jobId))
    expect(told).toEqual(["DECISION_IN_PROGRESS"])
  })

  test.each<[string, string, (request: DecisionRequest) => Promise<unknown>]>([
    ["bought by another job", "DECISION_IN_PROGRESS", (request) => rail.proposed({ request })],
    ["sold under another record", "ALREADY_ACQUIRED_USE_RECOVERY", sellElsewhere],
  ])("a request that is %s between the checks and the freeze", async (_, code, between) => {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    const { saleOf } = rail.deps.sold
    let isFirst = true
    const slow: AcpDeps["sold"] = {
      ...rail.deps.sold,
      saleOf: async (request, at) => {
        const sale = await saleOf(request, at)
        if (isFirst) {
          isFirst = false
          await between(request)
        }
        return sale
      },
    }
    rail.machine.advance(10 * SECOND)
    await workRound({ ...rail.deps, sold: slow, owner: "slow" })
    expect((await rail.job(job.jobId)).state).toBe("REFUSED")
    expect(rail.told(job.jobId)).toEqual([code])
  })

  test("a job after a job", async () => {
    const { request } = await rail.completed()
    await refused(await rail.newJob({ request }), "ALREADY_ACQUIRED_USE_RECOVERY")
    expect((await rail.recover(request)).status).toBe(200)
  })
})

test("a paused service proposes nothing; after the resumption it does", async () => {
  const at = () => formatInstant(rail.machine.now())
  await rail.server.store.run(() => recordPause({ at: at(), action: "PAUSE", reason: "test" }))
  const job = await rail.newJob()
  rail.send(job, finalOf(job))
  for (let rounds = 0; rounds < 4; rounds++) await rail.round()
  expect(await rail.job(job.jobId)).toMatchObject({ state: "AWAITING_REQUIREMENT", reason: "PAUSED" })
  await rail.server.store.run(() => recordPause({ at: at(), action: "RESUME", reason: "test" }))
  await rail.until(job.jobId, "BUDGET_PROPOSED")
})

/** The entitlement that another request of the same signed content has. */
async function sellElsewhere(request: DecisionRequest): Promise<void> {
  const other = await rail.proposed()
  const { requestId } = await rail.job(other.jobId)
  const at = formatInstant(rail.machine.now())
  await rail.server.store.run(() => recordEntitlement(requestDigest(request), "acp", requestId ?? "", at))
}

function after(ms: number): string {
  return formatInstant(rail.machine.now() + ms)
}
