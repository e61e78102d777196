/** The steps of a purchase that a reply of contact lists, each by a sentence of the interface. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { DecisionContactAnswer } from "../../schemas/us/decision-contact.ts"
import type { ContactDeps } from "../../src/contact/deps.ts"
import { contactRoutes } from "../../src/contact/routes.ts"
import { digestBytes } from "../../src/core/digest.ts"
import { router } from "../../src/http/router.ts"
import { ServedOperations } from "../../src/http/served.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { CHANNEL_PATH, type ContactService, contactService, INTENT } from "./contact-service.ts"

let service: ContactService
beforeAll(async () => {
  service = await contactService()
})
afterAll(() => service[Symbol.asyncDispose]())

const instructionOf = (steps: readonly { id: string; instruction: string }[], id: string) => {
  const found = steps.find((step) => step.id === id)
  if (!found) throw new Error(`no step ${id}`)
  return found.instruction
}

describe("The final response lists the purchase steps", () => {
  const jobSteps = async () => (await service.decision({ intent: INTENT })).purchase.acp_job.steps

  test("fixed facts: price 0.79 USDC on chain id 8453; delivery SLA 15 minutes; offering name Payment Decision", async () => {
    const { limitations, purchase } = await service.decision({ intent: INTENT })
    const { acp_job } = purchase
    expect(limitations).toContain("ACP_JOBS_NOT_TAKEN")
    expect(acp_job).toMatchObject({
      channel_available: false,
      amount: "0.79",
      amount_atomic: "790000",
      asset: "USDC",
      network: "eip155:8453",
      chain_id: 8453,
      sla_minutes: 15,
      offering_name: "Payment Decision",
      minimum_seconds_before_deadline_to_fund: 180,
    })
  })

  test("the evaluator role is unavailable", async () => {
    const { acp_job } = (await service.decision({ intent: INTENT })).purchase
    expect(acp_job.evaluator).toEqual({ role_available: false, accepted: ["NONE"] })
    expect(instructionOf(acp_job.steps, "CREATE_JOB")).toContain("the zero address as evaluator")
  })

  test("the job steps are in the order of the interface", async () => {
    const steps = await jobSteps()
    expect(steps.map(({ n, id }) => `${n} ${id}`)).toEqual([
      "1 AGENT_ID",
      "2 DELEGATE_KEY",
      "3 SIGN_REQUEST_AND_MANDATE",
      "4 CREATE_JOB",
      "5 PERSIST_JOB_ID",
      "6 BIND",
      "7 SEND_FINAL_REQUIREMENT",
      "8 WAIT_BUDGET_EXACT",
      "9 FUND_ONCE",
      "10 READ_HISTORY_AND_VERIFY",
    ])
  })

  test.each([
    ["provider address and offering id are read from the provider listing", "CREATE_JOB", "from the provider listing"],
    ["the buyer organization's authority must be independently verified", "DELEGATE_KEY", "verified independently"],
    [
      "a fresh mandate_id and nonce for each new authorization",
      "SIGN_REQUEST_AND_MANDATE",
      "a fresh mandate_id and a fresh nonce",
    ],
    ["build the ACP v4 envelope with buyer_authorization: null", "CREATE_JOB", "with buyer_authorization null"],
    [
      "create the job with the official ACP client",
      "CREATE_JOB",
      "official ACP client: provider, offering name, requirements JSON, chain id 8453",
    ],
    ["persist the returned job ID before retrying anything", "PERSIST_JOB_ID", "before you retry anything"],
    [
      "the binding covers chain, job ID, ACP client, provider and offering, the full requirement digest excluding buyer_authorization, purchase purpose, price, asset, network, and target_job if present",
      "BIND",
      "covers chain, job id, ACP client, provider and offering, the digest of the full requirement without buyer_authorization, purchase purpose, price, asset, network, and target_job if present",
    ],
    [
      "the provider checks parties, token, amount and contract state at a safe block",
      "FUND_ONCE",
      "The provider checks parties, token, amount and contract state at a safe block",
    ],
    [
      "the job must be verified with the official client first",
      "BIND",
      "Verify the job with the official client first",
    ],
    ["sign the final job binding with the requesting agent's Ed25519 key", "BIND", "requesting agent's Ed25519 key"],
    [
      "set buyer_authorization to {algorithm: Ed25519, signature: <base64url>}",
      "BIND",
      "the algorithm Ed25519 and the base64url signature",
    ],
    [
      "send the final requirement as a requirement message from the same ACP client",
      "SEND_FINAL_REQUIREMENT",
      "as a requirement message from the same ACP client",
    ],
    [
      "the provider verifies author and signed delegation before proposing its fixed budget",
      "SEND_FINAL_REQUIREMENT",
      "before it proposes its fixed budget",
    ],
    [
      "fund the existing job once, only with existing purchase authority",
      "FUND_ONCE",
      "once, only with existing purchase authority",
    ],
    ["an exact 0.79 USDC budget", "WAIT_BUDGET_EXACT", "exactly 0.79 USDC"],
    [
      "at least three minutes left before the on-chain deadline",
      "FUND_ONCE",
      "at least three minutes before the on-chain deadline",
    ],
    [
      "if the deadline is missing, invalid or too close, do not fund",
      "FUND_ONCE",
      "missing, invalid or too close, do not fund",
    ],
    ["a funding observation not yet safe does not authorize duplicate funding", "FUND_ONCE", "no reason to fund again"],
    ["read the job history", "READ_HISTORY_AND_VERIFY", "Read the job history"],
    ["save the delivery exactly", "READ_HISTORY_AND_VERIFY", "Save the delivery exactly"],
    [
      "verify response digest, Proof Capsule signature and issuer key, revocation, request correlation, coverage and validity",
      "READ_HISTORY_AND_VERIFY",
      "the response digest, the signature of the Proof Capsule and its issuer key, revocation, the request correlation, coverage and validity",
    ],
    [
      "a valid HOLD or REVIEW is a correct delivery, not permission to pay the supplier",
      "READ_HISTORY_AND_VERIFY",
      "not permission to pay the supplier",
    ],
    [
      "recovery: reuse the same job and the exact same signed request",
      "READ_HISTORY_AND_VERIFY",
      "the same job and the same signed request",
    ],
    [
      "funding, submission, completion, supplier payout and refund are separate facts",
      "READ_HISTORY_AND_VERIFY",
      "Funding, submission, completion, supplier payout and refund are separate facts",
    ],
    ["a REST completed status is not proof of received USDC", "READ_HISTORY_AND_VERIFY", "no proof of received USDC"],
  ])("%s", async (_, id, words) => {
    expect(instructionOf(await jobSteps(), id)).toContain(words)
  })

  test("the x402 rail is the one of today: quote, one payment, verification, recovery without payment", async () => {
    const { x402 } = (await service.decision({ intent: INTENT })).purchase
    expect(x402.steps.map(({ id }) => id)).toEqual([
      "AGENT_ID",
      "DELEGATE_KEY",
      "SIGN_REQUEST_AND_MANDATE",
      "CHECK_ELIGIBILITY",
      "REQUEST_QUOTE",
      "PAY_ONCE",
      "VERIFY_DELIVERY",
      "RECOVER",
    ])
    expect(x402).toMatchObject({ channel_available: false, amount: "0.79", amount_atomic: "790000" })
  })

  test("the reply has the address and digest of the signing module as it is served", async () => {
    const { acp_job } = (await service.decision({ intent: INTENT })).purchase
    const uri = `${BASE_URL}/v1/channels/acp/buyer-signing.mjs`
    const module = await (await service.send(new Request(uri))).bytes()
    expect(acp_job.signing_module).toEqual({ uri, digest: digestBytes(module), function: "bindRequirement" })
    expect(acp_job.steps[5]).toMatchObject({ id: "BIND", method: "GET", uri })
    expect(acp_job.steps[5]?.instruction).toContain("bindRequirement(draft, actualJob, privateKey)")
  })

  async function contactOf(changes: Partial<ContactDeps>): Promise<DecisionContactAnswer> {
    const { shell, store } = service.service
    const own = { ...shell, served: new ServedOperations() }
    const deps = {
      ...{ shell: own, store, acpChannel: "acp", takesPayments: true, jobOffering: () => null, email: null },
      signingModuleDigest: async () => digestBytes("module"),
      ...changes,
    }
    const app = router(own, contactRoutes(deps))
    const request = new Request(BASE_URL + CHANNEL_PATH, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ intent: INTENT }),
    })
    return (await (await app.handle(request)).json()) as DecisionContactAnswer
  }

  test("a service that takes payments says so", async () => {
    const { purchase } = await contactOf({})
    expect(purchase.x402).toMatchObject({ channel_available: true, network: "eip155:8453" })
  })

  test("a service that takes jobs names its offering; while it takes none, it says so", async () => {
    const offering = {
      providerAddress: `0x${"b2".repeat(20)}`,
      escrowContract: `0x${"e5".repeat(20)}`,
      offeringId: "o-1",
    }
    const named = {
      provider_address: offering.providerAddress,
      escrow_contract: offering.escrowContract,
      offering_id: offering.offeringId,
    }
    const taking = await contactOf({ jobOffering: () => ({ ...offering, isTaking: true }) })
    expect(taking.purchase.acp_job).toMatchObject({ channel_available: true, ...named })
    expect(taking.limitations).not.toContain("ACP_JOBS_NOT_TAKEN")
    const paused = await contactOf({ jobOffering: () => ({ ...offering, isTaking: false }) })
    expect(paused.purchase.acp_job).toMatchObject({ channel_available: false, ...named })
    expect(paused.limitations).toContain("ACP_JOBS_NOT_TAKEN")
    const off = await contactOf({})
    expect(off.purchase.acp_job.channel_available).toBe(false)
    expect(Object.keys(off.purchase.acp_job)).not.toContain("provider_address")
  })
})
