/** Contact for the Payment Decision: missing inputs, the delegation contract and the free checks, each by a sentence of the interface. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { walkSchema } from "../../src/contact/walk-schema.ts"
import { digestOf } from "../../src/core/digest.ts"
import { requestDocuments } from "../../src/server/request-documents.ts"
import { BASE_URL } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import {
  CHANNEL_PATH,
  type ContactService,
  contactService,
  DECISION_PATH,
  INTENT,
  PRODUCT_PATHS,
} from "./contact-service.ts"

const test = slowTests(import.meta.path)

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
