/** The contact routes: each statement of the interface about contact, missing inputs, delegation, free checks and steps of purchase. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { getCapabilities } from "../../schemas/discovery/capabilities.ts"
import { operation, PUBLIC_READ } from "../../schemas/operation.ts"
import { routes } from "../../src/app.ts"
import { CONTACT_PRODUCTS, contactRoutes } from "../../src/contact/routes.ts"
import { walkSchema } from "../../src/contact/walk-schema.ts"
import { digestBytes, digestOf } from "../../src/core/digest.ts"
import { readJson } from "../../src/core/strict-json.ts"
import { createDataDirectory } from "../../src/data/data-directory.ts"
import { router } from "../../src/http/router.ts"
import { serve } from "../../src/http/serve.ts"
import { ServedOperations } from "../../src/http/served.ts"
import { requestDocuments } from "../../src/request-documents.ts"
import { findContactStop } from "../../src/store/contact/contact-stops.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { BASE_URL, testServiceOn } from "../fixtures/service.ts"
import {
  CHANNEL_PATH,
  type ContactService,
  contactService,
  DECISION_PATH,
  DECISION_PATHS,
  INTENT,
  PRODUCT_PATHS,
} from "./contact-service.ts"

let service: ContactService
beforeAll(async () => {
  service = await contactService()
})
afterAll(() => service[Symbol.asyncDispose]())

const documents = requestDocuments(BASE_URL)
const [decisionDocument] = documents
if (!decisionDocument) throw new Error("no documents")
const complete = decisionDocument.example()
const instructionOf = (steps: readonly { id: string; instruction: string }[], id: string) => {
  const found = steps.find((step) => step.id === id)
  if (!found) throw new Error(`no step ${id}`)
  return found.instruction
}

describe("Contact: POST {base_url}/v1/channels/<acp_channel>/contact with {intent: RELEASE_PAYMENT_TO_SUPPLIER}", () => {
  test("is complete in one reply", async () => {
    const answer = await service.decision({ intent: INTENT })
    expect(answer).toMatchObject({
      schema_version: "1.0.0",
      type: "svc.acp.contact.v1",
      status: "INPUT_REQUIRED",
      intent: INTENT,
      product: "decision-gate.release-payment-to-supplier.v1",
      email_path: { available: false },
      economic_activity: { charged: false, quote_created: false, settlement_created: false },
      next_machine_action: "PROVIDE_MISSING_INPUT",
    })
  })

  test("the route of the product gives the same reply", async () => {
    const body = { intent: INTENT, draft_request: { amount: 5 } }
    expect(await service.decision(body, DECISION_PATH)).toEqual(await service.decision(body))
  })

  test("the channel is the setting acp_channel, in the path and in the type; another channel is not found", async () => {
    await using other = await contactService({ acp_channel: "jobs", agent_id_channels: "jobs,b,c,d,e,f" })
    const answer = await other.decision({ intent: INTENT }, "/v1/channels/jobs/contact")
    expect(answer.type).toBe("svc.jobs.contact.v1")
    expect((await other.post(CHANNEL_PATH, { intent: INTENT })).status).toBe(404)
  })

  test("the same body gives the same bytes", async () => {
    const texts = await Promise.all(
      [1, 2].map(async () => (await service.post(CHANNEL_PATH, { intent: INTENT, draft_request: {} })).text()),
    )
    expect(new Set(texts).size).toBe(1)
  })
})

describe("The final response lists missing input paths", () => {
  test("an empty draft lacks every required input, and one of the identifiers", async () => {
    const answer = await service.decision({ intent: INTENT })
    const { missing } = walkSchema(decisionDocument.request as never, {})
    expect(answer.missing_input_paths).toEqual([...missing])
    expect(answer.missing_input_paths).toContain("/buyer_mandate/payload/mandate_id")
    expect(answer.missing_one_of).toEqual(["cage", "cik", "lei", "uei"].map((name) => `/supplier/identifiers/${name}`))
    expect([answer.invalid_inputs, answer.inputs_omitted]).toEqual([[], 0])
  })

  test("a complete draft lacks nothing, and the next step is the free check", async () => {
    const answer = await service.decision({ intent: INTENT, draft_request: complete })
    expect(answer).toMatchObject({
      status: "INPUT_COMPLETE",
      missing_input_paths: [],
      missing_one_of: [],
      invalid_inputs: [],
      next_machine_action: "CHECK_ELIGIBILITY",
    })
  })

  test("an invalid input is named with its rule and what was expected", async () => {
    const draft = { ...complete, amount: "1.2345678", currency: "usd" }
    const answer = await service.decision({ intent: INTENT, draft_request: draft })
    expect(answer.invalid_inputs.map(({ path, code }) => [path, code])).toEqual([
      ["/amount", "PATTERN"],
      ["/currency", "PATTERN"],
    ])
    expect(answer.invalid_inputs[1]?.expected).toContain("^[A-Z]{3}$")
    expect([answer.status, answer.next_machine_action]).toEqual(["INPUT_REQUIRED", "CORRECT_REQUEST"])
  })

  test("an unknown member is one fault of its object, and its name and value are not repeated", async () => {
    const draft = { ...complete, zq7_unknown: "zq7-value", zq7_more: { zq7_deep: 1 } }
    const response = await service.post(CHANNEL_PATH, { intent: INTENT, draft_request: draft })
    const text = await response.text()
    expect(text).not.toContain("zq7")
    expect(JSON.parse(text).invalid_inputs).toMatchObject([{ path: "", code: "UNKNOWN_MEMBER" }])
  })

  test("a draft with thousands of faults gets at most 200 pointers and the number of the others", async () => {
    const evidence = Array.from({ length: 10_000 }, () => 1)
    const answer = await service.decision({
      intent: INTENT,
      draft_request: { ...complete, evidence_references: evidence },
    })
    expect([answer.invalid_inputs.length, answer.inputs_omitted]).toEqual([200, 9_801])
  })

  test("the digest of the request leaves out what belongs to the e-mail path", async () => {
    const body = { intent: INTENT, draft_request: { amount: "1.00" } }
    expect((await service.decision(body)).request_digest).toBe(digestOf(body))
  })

  test("the link to the input schema has the digest that its route states", async () => {
    const { input_schema } = await service.decision({ intent: INTENT })
    const { schema, schema_digest } = (await (await service.send(new Request(input_schema.uri))).json()) as {
      schema: unknown
      schema_digest: string
    }
    expect([input_schema.digest, digestOf(schema)]).toEqual([schema_digest, schema_digest] as never)
  })
})

describe("The final response lists the authority delegation contract", () => {
  test("an authorized organization delegates an agent signing key through the enroll route", async () => {
    const { authority_delegation: contract } = await service.decision({ intent: INTENT })
    expect(contract).toMatchObject({
      required: true,
      enroll: { method: "POST", uri: `${BASE_URL}/v1/us/decision-gates/buyer-onboarding/enroll` },
      delegates: "AGENT_SIGNING_KEY",
      algorithm: "Ed25519",
      canonicalization: "SVC-C14N-JSON-1",
    })
  })

  test("the buyer organization's authority must be independently verified", async () => {
    const { authority_delegation: contract } = await service.decision({ intent: INTENT })
    expect(contract.for).toBe("INDEPENDENTLY_VERIFIED_ORGANIZATION")
    expect(contract.required_evidence).toContain("ORGANIZATION_VERIFIED_BY_OPERATOR")
  })

  test("free registration alone grants no payment authority", async () => {
    const { authority_delegation: contract, purchase } = await service.decision({ intent: INTENT })
    expect(contract.free_agent_id_grants_payment_authority).toBe(false)
    for (const { steps } of Object.values(purchase)) {
      expect(instructionOf(steps, "AGENT_ID")).toContain("grants no payment authority")
    }
  })
})

describe("The final response lists free eligibility checks", () => {
  test("they validate a supported federal identifier, legal name and authorized decision-fee payer, and known identity collisions", async () => {
    const { eligibility_checks: checks } = await service.decision({ intent: INTENT })
    const uri = `${BASE_URL}/v1/us/decision-gates/release-payment-to-supplier/eligibility`
    expect(checks).toEqual([
      { name: "FEDERAL_IDENTIFIER", method: "POST", uri, charge: "0" },
      { name: "LEGAL_NAME", method: "POST", uri, charge: "0" },
      { name: "DECISION_FEE_PAYER", method: "POST", uri, charge: "0" },
      { name: "IDENTITY_COLLISION", method: "POST", uri, charge: "0" },
      { name: "SOURCE_HEALTH", method: "GET", uri: `${BASE_URL}/v1/us/federal/source-health`, charge: "0" },
    ])
  })

  test("every route that a reply names is served, with its method", async () => {
    const served = new Set(
      service.service.shell.served.rows().map(({ method, path }) => `${method} ${BASE_URL}${path}`),
    )
    const bodies = await Promise.all([
      service.decision({ intent: INTENT }),
      ...PRODUCT_PATHS.map((path) => service.product(path, {})),
    ])
    for (const { eligibility_checks, purchase, input_schema } of bodies) {
      const steps = Object.values(purchase).flatMap((rail) => rail.steps)
      const named = [...eligibility_checks, ...steps.filter(({ uri }) => uri !== undefined)]
      expect(named.map(({ method, uri }) => `${method} ${uri}`).filter((route) => !served.has(route))).toEqual([])
      expect(served).toContain(`GET ${input_schema.uri}`)
    }
  })
})

describe("The final response lists the purchase steps", () => {
  const jobSteps = async () => (await service.decision({ intent: INTENT })).purchase.acp_job.steps

  test("fixed facts: price 0.79 USDC on chain id 8453; delivery SLA 15 minutes; offering name Payment Decision", async () => {
    const { acp_job } = (await service.decision({ intent: INTENT })).purchase
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

  test("without the signing module the reply does not name it; with it the reply has its address and digest", async () => {
    const { acp_job } = (await service.decision({ intent: INTENT })).purchase
    expect([acp_job.signing_module, acp_job.steps[5]?.uri]).toEqual([undefined, undefined])

    const { shell, store } = service.service
    const own = { ...shell, served: new ServedOperations() }
    const module = "export const bindRequirement = () => null\n"
    const row = operation({
      ...PUBLIC_READ,
      id: "get_buyer_signing_module",
      path: "/v1/channels/{channel}/buyer-signing.mjs",
      summary: "Module",
      responses: { 200: { description: "Module", mediaType: "text/javascript" } },
    })
    const all = [
      serve(own, row, () => ({ status: 200, body: module })),
      ...contactRoutes({ shell: own, store, acpChannel: "acp", takesPayments: true }),
    ]
    const app = router(own, all, () => "")
    const response = await app.handle(
      new Request(BASE_URL + CHANNEL_PATH, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ intent: INTENT }),
      }),
    )
    const { purchase } = (await response.json()) as Awaited<ReturnType<ContactService["decision"]>>
    const uri = `${BASE_URL}/v1/channels/acp/buyer-signing.mjs`
    expect(purchase.acp_job.signing_module).toEqual({ uri, digest: digestBytes(module), function: "bindRequirement" })
    expect(purchase.acp_job.steps[5]).toMatchObject({ id: "BIND", method: "GET", uri })
    expect(purchase.x402.channel_available).toBe(true)
  })
})

describe("Opt out with {action: STOP, reply_to}", () => {
  const stop = (reply_to: string, path: string = CHANNEL_PATH) => service.post(path, { action: "STOP", reply_to })
  const stoppedAt = (mailbox: string) => service.service.store.read(() => findContactStop(mailbox))

  test.each(DECISION_PATHS)(
    "%s records the mailbox, and says the same to a known and to an unknown one",
    async (path) => {
      const mailbox = `agent-${path.length}@host.example`
      const [first, second] = [await stop(mailbox, path), await stop(mailbox.replace("host", "HOST"), path)]
      const texts = [await first.text(), await second.text()]
      expect([first.status, second.status, new Set(texts).size]).toEqual([200, 200, 1])
      expect(readJson(Buffer.from(texts[0] ?? ""))).toMatchObject({ status: "STOPPED", next_machine_action: "NONE" })
      expect(texts[0]).not.toContain("host.example")
      expect(await stoppedAt(mailbox)).toBe("2026-11-23T00:00:00.000Z")
    },
  )

  test("a repeated opt-out keeps the first time", async () => {
    await stop("first@host.example")
    service.clock.set(Date.UTC(2026, 10, 24))
    expect((await stop("first@host.example")).status).toBe(200)
    expect(await stoppedAt("first@host.example")).toBe("2026-11-23T00:00:00.000Z")
    service.clock.set(Date.UTC(2026, 10, 23))
  })

  test("a hundred at once record one row", async () => {
    const answers = await Promise.all(Array.from({ length: 100 }, () => stop("many@host.example")))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(await stoppedAt("many@host.example")).not.toBeNull()
  })

  test("it survives a restart", async () => {
    using fresh = freshDirectory()
    const directory = `${fresh.path}/data`
    await createDataDirectory(directory, "test", service.clock)
    const first = await testServiceOn(directory, service.clock)
    const body = JSON.stringify({ action: "STOP", reply_to: "kept@host.example" })
    const headers = { "content-type": "application/json" }
    await routes(first.service).handle(new Request(BASE_URL + CHANNEL_PATH, { method: "POST", headers, body }))
    await first.service.close()
    const second = await testServiceOn(directory, service.clock)
    const kept = await second.service.store.read(() => findContactStop("kept@host.example"))
    await second.service.close()
    expect(kept).toBe("2026-11-23T00:00:00.000Z")
  })

  test("the mailbox is not logged", () => {
    expect(JSON.stringify(service.logged)).not.toContain("host.example")
  })
})

describe("the other products", () => {
  test.each(CONTACT_PRODUCTS.map(([contact, paid]) => [contact.path, paid] as const))(
    "%s names the missing inputs, the free checks and how to buy",
    async (path, paid) => {
      const answer = await service.product(path, {})
      const { missing, missing_one_of } = walkSchema(paid.body as never, {})
      expect(answer.missing_input_paths).toEqual([...missing])
      expect(answer.missing_one_of).toEqual([...missing_one_of])
      expect(answer).toMatchObject({
        product: paid.product?.id,
        status: "INPUT_REQUIRED",
        request_digest: digestOf({}),
      })
      expect(answer.purchase.x402).toMatchObject({ amount: paid.price.amount, asset: "USDC", network: "eip155:8453" })
      const ids = answer.purchase.x402.steps.map(({ id }) => id)
      expect(ids.slice(-4)).toEqual(["CHECK_ELIGIBILITY", "REQUEST_QUOTE", "PAY_ONCE", "VERIFY_ANSWER"])
      const review = instructionOf(answer.purchase.x402.steps, "REQUEST_QUOTE")
      expect(review.includes("A person reviews")).toBe(paid.product?.jurisdiction === "GB")
    },
  )

  test.each(PRODUCT_PATHS)("%s: the example of the product lacks nothing", async (path) => {
    const { example } =
      documents.find(({ operations }) => `${path}`.startsWith(operations.example.path.replace(/example$/, ""))) ?? {}
    const answer = await service.product(path, { draft_request: example?.() ?? {} })
    expect([answer.status, answer.missing_input_paths, answer.invalid_inputs]).toEqual(["INPUT_COMPLETE", [], []])
  })

  test("every paid product has a contact route", async () => {
    const rows = service.service.shell.served.rows()
    const paid = rows.filter(({ authentication }) => authentication === "X402")
    const paths = new Set(rows.map(({ path }) => path))
    expect(paid.length).toBe(9)
    expect(paid.filter(({ path }) => !paths.has(`${path}/contact`))).toEqual([])
  })

  test("the catalogue of capabilities lists contact among the free operations", async () => {
    const response = await service.send(new Request(BASE_URL + getCapabilities.path))
    const { free_operations } = (await response.json()) as { free_operations: { path: string }[] }
    const paths = free_operations.map(({ path }) => path)
    for (const path of [...DECISION_PATHS, ...PRODUCT_PATHS]) expect(paths).toContain(path)
  })
})
