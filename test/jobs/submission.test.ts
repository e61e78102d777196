/** The provider's transactions: each happens once, whatever node, fees, nonces and reorganizations do; and the text is the same for ever. */
import { afterAll, afterEach, beforeAll, describe, expect } from "bun:test"
import { encodeFunctionData, type Hex, keccak256, pad, parseAbi, parseTransaction, toHex } from "viem"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { MINUTE } from "../../src/core/time.ts"
import { meetJob } from "../../src/jobs/discover.ts"
import { HubUnavailable } from "../../src/jobs/hub/hub.ts"
import { maintainActions } from "../../src/jobs/provider-actions.ts"
import { actionTransactions, findAction } from "../../src/store/jobs/job-actions.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { type BuyerJob, finalOf } from "../fixtures/job-buyer.ts"
import { type JobRail, openJobRail } from "../fixtures/job-rail.ts"
import { PROVIDER } from "../fixtures/job-worker.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { storeWith } from "../fixtures/store-with.ts"

const test = slowTests(import.meta.path)

let rail: JobRail
beforeAll(async () => {
  rail = await openJobRail()
})
afterEach(() => rail.leaveJobs())
afterAll(() => rail.close())

async function rounds(count: number): Promise<void> {
  for (let round = 0; round < count; round++) await rail.round()
}

async function submittedOnce({ jobId }: Pick<BuyerJob, "jobId">): Promise<void> {
  const [text = ""] = rail.hub.deliverables(jobId)
  expect(new Set(rail.hub.deliverables(jobId)).size).toBe(1)
  expect(await rail.escrow.submissions(jobId)).toEqual([keccak256(toHex(text))])
  expect((await rail.escrow.budgets(jobId)).length).toBe(1)
}

async function action(jobId: string, name: "SET_BUDGET" | "SUBMIT") {
  const { id } = await rail.job(jobId)
  return rail.server.store.read(function* () {
    return { row: yield* findAction(id, name), signed: yield* actionTransactions(id, name) }
  })
}

/** A job whose submission is signed and stored, and reached no node. */
async function unsent(): Promise<BuyerJob> {
  const job = await rail.funded()
  await rail.safe()
  await rail.holdTransactions()
  await rail.until(job.jobId, "SUBMIT_PREPARED")
  expect((await action(job.jobId, "SUBMIT")).signed.length).toBe(1)
  return job
}

/** A transfer of the provider's wallet by another program, in a safe block. */
async function foreign(): Promise<void> {
  await foreignUnsafe()
  await rail.safe()
}

/** The same, in a block that a reorganization may still take away. */
const foreignUnsafe = () => rail.chain.send(PROVIDER, { to: DEV_ACCOUNTS.stranger.address, data: "0x" })

test("a transaction that was lost is sent again, the same bytes", async () => {
  const job = await unsent()
  await rail.releaseTransactions()
  await rail.until(job.jobId, "SUBMITTED")
  const { signed } = await action(job.jobId, "SUBMIT")
  expect((await rail.chain.publicClient.getTransaction({ hash: signed[0]?.txHash as Hex })).blockNumber).not.toBeNull()
  expect(signed.length).toBe(1)
  await submittedOnce(job)
})

describe("a foreign transaction takes the nonce", () => {
  test("of a submission: it gets another once the block is safe, and happens once", async () => {
    const job = await unsent()
    const before = (await action(job.jobId, "SUBMIT")).row?.nonce
    await foreignUnsafe()
    await rail.releaseTransactions()
    await rounds(3)
    expect((await action(job.jobId, "SUBMIT")).row?.nonce).toBe(before)
    await rail.safe()
    await rail.until(job.jobId, "SUBMITTED")
    expect((await action(job.jobId, "SUBMIT")).row?.nonce).toBeGreaterThan(before ?? 0)
    await rail.safe()
    await rail.until(job.jobId, "COMPLETED")
    await submittedOnce(job)
  })

  test("of a submission, and another worker signs it under another nonce first: each is stored with its own nonce", async () => {
    const job = await unsent()
    const before = (await action(job.jobId, "SUBMIT")).row?.nonce ?? 0
    await foreign()
    await rail.releaseTransactions()
    await rail.chain.setAutomine(false)
    const { store } = rail.deps
    let isFirst = true
    const slow = storeWith(store, {
      read: async (unit) => {
        const found = await store.read(unit)
        if (isFirst) {
          isFirst = false
          await maintainActions(rail.deps)
          rail.machine.advance(MINUTE)
        }
        return found
      },
    })
    await maintainActions({ ...rail.deps, store: slow })
    const { row, signed } = await action(job.jobId, "SUBMIT")
    expect(row?.nonce).toBeGreaterThan(before)
    expect(signed.map(({ raw }) => parseTransaction(raw as Hex).nonce)).toEqual(signed.map(({ nonce }) => nonce))
    await rail.chain.setAutomine(true)
    await rail.chain.mine(1)
    await rail.until(job.jobId, "SUBMITTED")
    await submittedOnce(job)
  })

  test("of a budget", async () => {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    await rail.holdTransactions()
    await rail.until(job.jobId, "BUDGET_PREPARED")
    await foreign()
    await rail.releaseTransactions()
    await rail.until(job.jobId, "BUDGET_PROPOSED")
    expect(await rail.escrow.budgets(job.jobId)).toEqual([790_000n])
  })

  test("of one of two submissions; both happen", async () => {
    const first = await unsent()
    await rail.releaseTransactions()
    const second = await rail.funded()
    await rail.safe()
    await rail.holdTransactions()
    await rail.until(second.jobId, "SUBMIT_PREPARED")
    await foreign()
    await rail.releaseTransactions()
    await rail.until(second.jobId, "SUBMITTED")
    await rail.safe()
    await rail.until(second.jobId, "COMPLETED")
    expect((await rail.job(first.jobId)).state).toBe("COMPLETED")
    await submittedOnce(first)
    await submittedOnce(second)
  })
})

describe("a transaction that fails because the contract is paused at that moment is signed anew", () => {
  test("a submission", async () => {
    const job = await unsent()
    const before = (await action(job.jobId, "SUBMIT")).row?.nonce
    await rail.escrow.setPaused(true)
    await rail.releaseTransactions()
    await rounds(2)
    await rail.safe()
    await rounds(2)
    expect((await action(job.jobId, "SUBMIT")).row?.state).toBe("REVERTED")
    expect(await rail.job(job.jobId)).toMatchObject({ state: "SUBMIT_PREPARED", reason: "SUBMIT_WOULD_FAIL" })
    await rail.escrow.setPaused(false)
    await rail.until(job.jobId, "SUBMITTED")
    expect((await action(job.jobId, "SUBMIT")).row?.nonce).toBeGreaterThan(before ?? 0)
    await rail.safe()
    await rail.until(job.jobId, "COMPLETED")
    await submittedOnce(job)
  })

  test("a budget", async () => {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    await rail.holdTransactions()
    await rail.until(job.jobId, "BUDGET_PREPARED")
    await rail.escrow.setPaused(true)
    await rail.releaseTransactions()
    await rounds(2)
    await rail.safe()
    await rounds(2)
    expect(await rail.job(job.jobId)).toMatchObject({ state: "BUDGET_PREPARED", reason: "BUDGET_WOULD_FAIL" })
    await rail.escrow.setPaused(false)
    await rail.until(job.jobId, "BUDGET_PROPOSED")
    expect(await rail.escrow.budgets(job.jobId)).toEqual([790_000n])
  })
})

test("a transaction that no block takes gets a higher fee under its nonce", async () => {
  const job = await rail.funded()
  await rail.until(job.jobId, "FUNDING_SEEN")
  await rail.safe()
  await rail.chain.setAutomine(false)
  await rounds(9)
  const { row, signed } = await action(job.jobId, "SUBMIT")
  expect(signed.length).toBeGreaterThan(1)
  expect(signed.every(({ nonce }) => nonce === row?.nonce)).toBe(true)
  const fees = signed.map(({ maxFeeWei }) => BigInt(maxFeeWei))
  for (const [at, fee] of fees.entries()) {
    const lower = fees[at + 1]
    if (lower !== undefined) expect(fee * 10n).toBeGreaterThan(lower * 11n)
  }
  await rail.chain.setAutomine(true)
  await rail.chain.mine(1)
  await rail.until(job.jobId, "SUBMITTED")
  const mined = await Promise.all(
    signed.map(({ txHash: hash }) =>
      rail.chain.publicClient.getTransactionReceipt({ hash: hash as Hex }).catch(() => null),
    ),
  )
  expect(mined.map((receipt) => receipt !== null)).toEqual([true, ...signed.slice(1).map(() => false)])
  await submittedOnce(job)
})

test("a submission that a reorganization takes away is sent again with the same hash", async () => {
  const job = await rail.funded()
  await rail.safe()
  await rail.until(job.jobId, "SUBMITTED")
  const [{ txHash } = { txHash: "" }] = (await action(job.jobId, "SUBMIT")).signed
  const text = rail.hub.deliverables(job.jobId)[0]
  const { submission } = await rail.factOf(job.jobId)
  await rail.chain.reorganize(
    Number((await rail.chain.publicClient.getBlockNumber()) - BigInt(submission.blockNumber)) + 1,
  )
  expect(await rail.escrow.submissions(job.jobId)).toEqual([])
  expect((await rail.recover(job.request)).status).toBe(200)
  await rail.round()
  expect(["SUBMIT_PREPARED", "SUBMITTED"]).toContain((await rail.job(job.jobId)).state)
  await rail.until(job.jobId, "SUBMITTED")
  await rail.safe()
  await rail.until(job.jobId, "COMPLETED")
  expect((await action(job.jobId, "SUBMIT")).signed.map((one) => one.txHash)).toEqual([txHash])
  expect(rail.hub.deliverables(job.jobId)).toEqual([text ?? ""])
  await submittedOnce(job)
  const levels = (await rail.facts(job.jobId)).filter(({ fact }) => fact === "SUBMISSION").map(({ level }) => level)
  expect(new Set(levels)).toEqual(new Set(["LATEST", "ORPHANED", "SAFE"]))
})

test("a wallet without ether waits; with ether it goes on", async () => {
  const job = await rail.newJob()
  rail.send(job, finalOf(job))
  await rail.chain.setEtherBalance(PROVIDER.address, 0n)
  await rounds(4)
  expect(["REQUIREMENT_VERIFIED", "BUDGET_PREPARED"]).toContain((await rail.job(job.jobId)).state)
  await rail.chain.setEtherBalance(PROVIDER.address, 10n ** 18n)
  await rail.until(job.jobId, "BUDGET_PROPOSED")
  expect((await rail.escrow.budgets(job.jobId)).length).toBe(1)
})

describe("a node that does not answer delays the job and changes nothing", () => {
  test("at any state", async () => {
    const job = await rail.newJob()
    rail.send(job, finalOf(job))
    const states: string[] = []
    for (let rounds = 0; rounds < 40; rounds++) {
      rail.proxy.fault("*", { reject: true })
      await rail.round()
      rail.proxy.fault("*", null)
      await rail.round()
      const { state } = await rail.job(job.jobId)
      if (state === "COMPLETED") break
      if (states.at(-1) !== state) states.push(state)
      if (state === "BUDGET_PROPOSED" && (await rail.escrow.read(job.jobId)).status === 0)
        await rail.escrow.fund(job.jobId)
      await rail.chain.mine(1)
    }
    expect((await rail.job(job.jobId)).state).toBe("COMPLETED")
    expect(states).toContain("FUNDING_SEEN")
    await submittedOnce(job)
  })
})

test("a submission of another text under the provider's key is an alarm, and its facts are kept", async () => {
  const job = await unsent()
  const submit = parseAbi(["function submit(uint256 jobId, bytes32 deliverable, bytes optParams)"])
  const data = encodeFunctionData({ abi: submit, functionName: "submit", args: [BigInt(job.jobId), pad("0x1"), "0x"] })
  await rail.chain.send(PROVIDER, { to: rail.escrow.address, data })
  await rail.releaseTransactions()
  await rounds(2)
  expect(await rail.job(job.jobId)).toMatchObject({ state: "SUBMIT_PREPARED", reason: "SUBMISSION_DIFFERS" })
  await rail.safe()
  await rail.until(job.jobId, "SUBMIT_MISMATCH")
  expect(rail.server.lines.some(({ event }) => event === "acp_submission_differs")).toBe(true)
  expect((await rail.recover(job.request)).status).toBe(200)
  expect(await rail.escrow.submissions(job.jobId)).toEqual([pad("0x1")])
  const facts = new Set((await rail.facts(job.jobId)).map(({ fact }) => fact))
  expect([...facts].toSorted()).toEqual(["COMPLETION", "FUNDING", "PAYOUT", "SUBMISSION"])
  await rounds(2)
  expect((await action(job.jobId, "SUBMIT")).row?.state).not.toBe("SAFE")
})

describe("the same requirement once more", () => {
  test.each(["SUBMITTED", "COMPLETED"] as const)(
    "in %s: the same bytes are posted again, and nothing is submitted",
    async (state) => {
      const job = await rail.funded()
      const text = canonicalize(finalOf(job))
      await rail.safe()
      await rail.until(job.jobId, "SUBMITTED")
      if (state === "COMPLETED") {
        await rail.safe()
        await rail.until(job.jobId, state)
      }
      rail.send(job, text)
      await rail.look(job.jobId)
      await rounds(2)
      expect(rail.hub.deliverables(job.jobId).length).toBe(2)
      await submittedOnce(job)
      expect((await rail.job(job.jobId)).state).toBe(state)
    },
  )

  test("also when it comes while the worker ends its work on the completed job", async () => {
    const job = await rail.completed()
    let isLate = true
    const { hub } = rail.deps
    const history: typeof hub.history = async (jobId) => {
      const read = await hub.history(jobId)
      if (isLate && jobId === job.jobId) {
        isLate = false
        rail.send(job, finalOf(job))
        await meetJob(rail.deps, jobId)
      }
      return read
    }
    const deps = { ...rail.deps, hub: { ...hub, history } }
    await rail.look(job.jobId, deps)
    expect(isLate).toBe(false)
    await rail.round(deps)
    expect(rail.hub.deliverables(job.jobId).length).toBe(2)
    expect((await rail.job(job.jobId)).lookAt).toBeNull()
  })

  test("while the hub takes no delivery: the job rests until the hub has news of it", async () => {
    const job = await rail.completed()
    rail.send(job, finalOf(job))
    const { hub } = rail.deps
    const postDeliverable = () => Promise.reject(new HubUnavailable("post", 400))
    await rail.look(job.jobId, { ...rail.deps, hub: { ...hub, postDeliverable } })
    expect((await rail.job(job.jobId)).lookAt).toBeNull()
    await rail.look(job.jobId)
    expect(rail.hub.deliverables(job.jobId).length).toBe(2)
  })

  test("at most eight times, and another requirement never", async () => {
    const job = await rail.completed()
    const { deliverables } = rail.hub
    rail.send(job, finalOf({ ...job, request: (await rail.newJob()).request }))
    await rail.look(job.jobId)
    expect(deliverables(job.jobId).length).toBe(1)
    for (let again = 0; again < 10; again++) {
      rail.send(job, finalOf(job))
      await rail.look(job.jobId)
    }
    expect(deliverables(job.jobId).length).toBe(9)
    await submittedOnce(job)
    expect((await rail.job(job.jobId)).lookAt).toBeNull()
  })
})
