import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { CompanyPassport } from "../../../../schemas/us/company-passport.ts"
import { canonicalBytes } from "../../../../src/core/canonical-json.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { isSignedForm } from "../../../../src/core/signed-forms.ts"
import { readJson } from "../../../../src/core/strict-json.ts"
import { lookUpRegistration } from "../../../../src/products/us/registration.ts"
import { passportOf } from "../../../fixtures/company-passport.ts"
import { DECIDED_AT, screeningHit, screeningOf, suppressedHit } from "../../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest } from "../../../fixtures/delivered-answer.ts"
import { registerBoard, registered } from "../../../fixtures/register-board.ts"

test("a passport names the company, what each identifier proved, the state of both questions, the sources and the check", () => {
  const { passport, answered, core } = passportOf()
  const { payload } = passport
  expect(isSignedForm("COMPANY_PASSPORT", payload)).toBe(true)
  expect(payload).toMatchObject({
    passport_id: "psp_AAAAAAAAAAAAAAAAAAAAAA",
    environment: "test",
    company: {
      legal_name: "Harbor Light Instruments LLC",
      identifiers: [{ kind: "uei", value: "ZQGGHJH74DW7", assurance: "FORMAT_ONLY" }],
    },
    identity_state: "ATTESTED_ONLY",
    restricted_party: { state: "CLEAR" },
    check: {
      product: "us.company.check.v1",
      delivery_id: answered.answer.delivery_id,
      core_digest: digestOf(core),
      decision: "APPROVE",
      machine_action: "CONTINUE",
    },
    valid_as_of: answered.answer.valid_as_of,
    valid_until: answered.answer.valid_until,
  })
  expect(payload.sources.map(({ source_id: id }) => id).sort()).toEqual([
    "US_OFAC_CONSOLIDATED",
    "US_OFAC_SDN",
    "US_SAM_EXCLUSIONS",
    "US_TRADE_CSL",
  ])
  for (const source of payload.sources) expect(source.claims.join()).toContain("NO_MATCH_AT_OR_ABOVE")
  expect(payload.limitations).toEqual(
    expect.arrayContaining([
      "PROVES_NO_MORE_THAN_THE_CHECK",
      ...answered.answer.limitations,
      ...answered.answer.coverage.limitations,
    ]),
  )
})

test("a passport does not name the payer and contains no execution id, request id or digest of either", () => {
  const { bytes, answered } = passportOf()
  const { facts, request, capsule } = answered.bundle
  const secrets = [
    facts.payer,
    facts.execution_id,
    facts.request_id,
    facts.stored_request_id,
    request.idempotency_key,
    capsule.payload.request_digest,
    capsule.payload.facts_digest,
  ]
  const text = new TextDecoder().decode(bytes)
  expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
})

test("a passport shows the doubts of the check: conditions, and entries judged to be another party", () => {
  const condition = screeningOf("PROGRAM_CONDITION", [screeningHit({ tier: "CONDITION", measure: "condition" })])
  const conditional = passportOf({ screening: condition }).passport.payload
  expect(conditional.check).toMatchObject({
    decision: "CONDITIONAL",
    machine_action: "CONTINUE_WITH_DECLARED_CONDITIONS",
    conditions: ["CONFIRM_PROGRAM_PERMITS_PAYMENT"],
    reason_codes: ["RESTRICTED_PARTY_PROGRAM_CONDITION", "LIMITED_COVERAGE"],
  })
  expect(conditional.restricted_party).toEqual({ state: "PROGRAM_CONDITION" })
  const judged = { ...companyCheckFacts().screening, suppressed_hits: [suppressedHit()] }
  const sdn = passportOf({ screening: judged }).passport.payload.sources.find((one) => one.source_id === "US_OFAC_SDN")
  expect(sdn?.claims).toContain("SUPPRESSED:306")
})

test.each([
  ["a review", { screening: screeningOf("POSSIBLE_MATCH", [screeningHit()]) }, "REVIEW"],
  ["a block", { screening: screeningOf("MATCH", [screeningHit({ tier: "BLOCK" })]) }, "BLOCK"],
] as const)("%s gives no passport, and the answer names none", (_what, changes, decision) => {
  expect(() => passportOf(changes)).toThrow(`no passport: ${decision}`)
})

test("without a given name the passport has the registered name that was screened", () => {
  const { legal_name: _, ...company } = companyCheckRequest().company
  const lookup = registered("US_SAM_ENTITY", "uei", "ZQGGHJH74DW7", "HARBOR LIGHT INSTRUMENTS LLC")
  const registration = lookUpRegistration(registerBoard(["US_SAM_ENTITY"], [lookup]), company, DECIDED_AT)
  const { passport } = passportOf({ registration }, companyCheckRequest({ company }))
  expect(passport.payload.company.legal_name).toBe("HARBOR LIGHT INSTRUMENTS LLC")
  expect(passport.payload.identity_state).toBe("REGISTERED")
  expect(passport.payload.sources.map((one) => one.source_id)).toContain("US_SAM_ENTITY")
})

test("a passport is one closed document in canonical bytes", () => {
  const { bytes } = passportOf()
  expect(Value.Check(CompanyPassport, readJson(bytes))).toBe(true)
  expect(Buffer.compare(canonicalBytes(readJson(bytes)), bytes)).toBe(0)
})
