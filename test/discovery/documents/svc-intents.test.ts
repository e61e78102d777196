import { expect, test } from "bun:test"
import { PRODUCT_IDS } from "../../../schemas/products.ts"
import { svcIntents } from "../../../src/discovery/documents/svc-intents.ts"
import { agentIdDescriptor } from "../../../src/products/agent-id/descriptor.ts"
import { BASE, discoveryParts } from "../../fixtures/discovery-parts.ts"

const { intents, issuer, not_implemented, runtime_statement } = svcIntents(discoveryParts())
const named = (name: string) => intents.filter(({ intent }) => intent === name)

test("the intents of Agent ID are those that its descriptor names", () => {
  const descriptor = agentIdDescriptor({ baseUrl: BASE, issuerName: "Example Operator" })
  const printed = intents.filter(({ product_id }) => product_id === descriptor.product_id)
  expect(printed.map(({ intent }) => intent).sort()).toEqual([...descriptor.intents].sort())
  expect(new Set(printed.map(({ solution_id }) => solution_id))).toEqual(new Set([descriptor.solution_id]))
  expect(new Set(printed.map(({ coverage }) => coverage))).toEqual(new Set([descriptor.coverage]))
})

test("three needs of one route have the inputs of their own alternative", () => {
  const inputs = (name: string) => named(name)[0]?.required_inputs
  expect(inputs("ENROLL_AGENT_IDENTITY")).toEqual([
    "/schema_version",
    "/purpose",
    "/operational_public_jwk",
    "/recovery_public_jwk",
  ])
  expect(inputs("ROTATE_AGENT_KEY")).toContain("/new_public_jwk")
  expect(inputs("REVOKE_AGENT_KEY")).toContain("/reason")
  const routes = ["ENROLL_AGENT_IDENTITY", "ROTATE_AGENT_KEY", "REVOKE_AGENT_KEY"].map((name) => named(name)[0]?.uri)
  expect(new Set(routes)).toEqual(new Set([`${BASE}/v1/agent-identities/challenges`]))
})

test("a route with a path parameter is a template, and every other one is a URI", () => {
  for (const { uri, uri_template } of intents) {
    expect([uri === undefined, uri_template === undefined].sort()).toEqual([false, true])
    expect(uri ?? "").not.toContain("{")
    expect(uri_template ?? "{").toContain("{")
  }
  expect(named("READ_AGENT_STATUS")[0]?.uri_template).toBe(`${BASE}/v1/agent-identities/{agentId}/status`)
})

test("an eligibility check names its product, and a token its country only", () => {
  const checks = [...named("CHECK_ELIGIBILITY"), ...named("CHECK_PAYMENT_DECISION_ELIGIBILITY")]
  expect(checks.map(({ product_id }) => product_id ?? "").sort()).toEqual(PRODUCT_IDS.toSorted())
  for (const country of ["GB", "US"]) {
    expect(named(`REDEEM_${country}_TOKEN`)).toMatchObject([{ product_id: null, jurisdiction: country }])
  }
})

test("only the paid routes have a charge, and each intent says what it is not for", () => {
  expect(intents.filter(({ charge }) => charge !== null)).toHaveLength(PRODUCT_IDS.length)
  expect(intents.filter(({ not_for }) => not_for.length === 0)).toEqual([])
  expect([issuer, runtime_statement]).toEqual(["Example Operator", "RUNTIME_DESCRIPTOR_NOT_INDEXING_PROOF"])
})

test("each intent says what planning asks for: an agent, a mandate, a delegation", () => {
  const needs = (...wanted: string[]) =>
    intents
      .filter((line) => JSON.stringify(line.needs) === JSON.stringify(wanted))
      .map(({ intent }) => intent)
      .sort()
  expect(needs("AGENT", "MANDATE")).toEqual(["RELEASE_PAYMENT_TO_SUPPLIER"])
  expect(needs("AGENT", "DELEGATION")).toEqual(["AUTHORIZE_US_VENDOR_PAYMENT_DETAIL_CHANGE"])
  expect(needs("AGENT")).toEqual([
    "ENROLL_BUYER_DELEGATION",
    "EXPORT_AGENT_IDENTITY",
    "READ_AGENT_STATUS",
    "RECOVER_PAYMENT_DECISION",
    "REGISTER_SIGNED_ARTIFACT",
    "REVOKE_AGENT_KEY",
    "ROTATE_AGENT_KEY",
  ])
  expect(needs()).toHaveLength(intents.length - 9)
})

test("the needs that no route meets are named with the nearest ones", () => {
  expect(not_implemented).toEqual([
    { intent: "EXECUTE_SUPPLIER_TRANSFER", nearest_intents: ["RELEASE_PAYMENT_TO_SUPPLIER"] },
    { intent: "MONITOR_SUPPLIER_CONTINUOUSLY", nearest_intents: ["CONTINUE_US_VENDOR_AUTHORIZATION"] },
    { intent: "CHECK_US_STATE_GOOD_STANDING", nearest_intents: ["CHECK_US_COMPANY"] },
    { intent: "CHECK_BR_COMPANY", nearest_intents: [] },
  ])
})
