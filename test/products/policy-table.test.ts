/**
 * The outcome of each reason of the answer products, written from the design (decisions, "UK business payment" and "UK vendor change";
 * rulings 27, 50, 51, 55, 74, 76) and not from the policies. A row that differs from the design fails here.
 */
import { expect, test } from "bun:test"
import { DECISION_GATE } from "../../src/checks/policy/policy.ts"
import { policyInForce } from "../../src/products/common/answer-rules.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"

const SUPPLIER = [
  "SUPPLIER BLOCK COMPANY_NOT_ACTIVE",
  "SUPPLIER BLOCK SANCTIONS_MATCH",
  "SUPPLIER HOLD SANCTIONS_POSSIBLE_MATCH",
  "SUPPLIER HOLD COMPANY_IN_INSOLVENCY",
  "SUPPLIER HOLD COMPANY_STRIKE_OFF_PROPOSED",
  "SUPPLIER INCONCLUSIVE EVIDENCE_INSUFFICIENT",
  "SUPPLIER CONDITION ACCOUNTS_OVERDUE",
  "SUPPLIER CONDITION RECENTLY_INCORPORATED",
]
const challenge = (gate: string) => [
  `${gate} HOLD PRIOR_AUTHORIZATION_NOT_FOUND`,
  `${gate} HOLD PRIOR_AUTHORIZATION_DIFFERS`,
  `${gate} HOLD CHALLENGE_REUSED`,
  `${gate} HOLD CHALLENGE_NOT_FRESH`,
  `${gate} HOLD CHALLENGE_EXPIRED`,
]
const bindingHolds = (gate: string) => [
  `${gate} HOLD PAYEE_BINDING_EXPIRED`,
  `${gate} HOLD PAYEE_BINDING_NOT_YET_VALID`,
  `${gate} HOLD PAYEE_BINDING_TOO_OLD`,
]
const MATCH = "RESTRICTED_PARTY BLOCK RESTRICTED_PARTY_MATCH"
const POSSIBLE = "RESTRICTED_PARTY HOLD RESTRICTED_PARTY_POSSIBLE_MATCH"
const INSUFFICIENT = "RESTRICTED_PARTY INCONCLUSIVE EVIDENCE_INSUFFICIENT"
const PROGRAM = "RESTRICTED_PARTY CONDITION RESTRICTED_PARTY_PROGRAM_CONDITION"
const AGING = "RESTRICTED_PARTY PASS SOURCE_AGING"
const NAME = "COMPANY_IDENTITY HOLD SUPPLIER_NAME_MISMATCH"
const NOT_FOUND = "COMPANY_IDENTITY CONDITION REGISTRATION_NOT_FOUND"
const ATTESTED = "COMPANY_IDENTITY PASS IDENTITY_ATTESTED_ONLY"
const INVOICE_HOLDS = [
  "INVOICE_PAYEE HOLD OBLIGATION_AUTHORIZED_BEFORE",
  "INVOICE_PAYEE HOLD OBLIGATION_DOCUMENT_CHANGED",
  "INVOICE_PAYEE HOLD DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
]

const accepted = (gate: string) => `${gate} CONDITION SOURCE_ACCEPTED_BY_OPERATOR`

const TABLE: Readonly<Record<string, readonly string[]>> = {
  US_COMPANY_CHECK_V1: [
    MATCH,
    NAME,
    POSSIBLE,
    INSUFFICIENT,
    NOT_FOUND,
    PROGRAM,
    ATTESTED,
    AGING,
    accepted("RESTRICTED_PARTY"),
  ],
  US_SUPPLIER_APPROVE_V1: [
    ...[MATCH, NAME, POSSIBLE, INSUFFICIENT, NOT_FOUND],
    "COMPANY_IDENTITY CONDITION IDENTITY_ATTESTED_ONLY at LOW",
    PROGRAM,
    "RESTRICTED_PARTY CONDITION SOURCE_AGING at LOW",
    `${ATTESTED} at MEDIUM, HIGH`,
    `${AGING} at MEDIUM, HIGH`,
    accepted("RESTRICTED_PARTY"),
  ],
  US_INVOICE_PAYEE_VERIFY_V1: [
    MATCH,
    "INVOICE_PAYEE BLOCK WALLET_RESTRICTED",
    "INVOICE_PAYEE BLOCK OBLIGATION_ALREADY_AUTHORIZED",
    ...[NAME, POSSIBLE, ...INVOICE_HOLDS, ...bindingHolds("PAYEE_BINDING"), INSUFFICIENT, NOT_FOUND, PROGRAM],
    "PAYEE_BINDING CONDITION PAYEE_BINDING_WEAK",
    ...[ATTESTED, AGING],
    accepted("RESTRICTED_PARTY"),
  ],
  US_PAYMENT_AUTHORIZE_V1: [
    MATCH,
    "INVOICE_PAYEE BLOCK OBLIGATION_ALREADY_AUTHORIZED",
    ...[POSSIBLE, ...INVOICE_HOLDS],
    "SUPPLIER_APPROVAL HOLD SUPPLIER_APPROVAL_NOT_FOUND",
    "SUPPLIER_APPROVAL HOLD SUPPLIER_APPROVAL_EXPIRED",
    "SUPPLIER_APPROVAL HOLD SUPPLIER_APPROVAL_DIFFERS",
    ...[INSUFFICIENT, PROGRAM, AGING],
    accepted("RESTRICTED_PARTY"),
  ],
  US_VENDOR_CHANGE_V1: [
    MATCH,
    POSSIBLE,
    ...challenge("VENDOR_CHANGE"),
    INSUFFICIENT,
    PROGRAM,
    AGING,
    accepted("RESTRICTED_PARTY"),
  ],
  US_VENDOR_CONTINUATION_V1: [
    ...[MATCH, POSSIBLE],
    "CONTINUATION HOLD PRIOR_AUTHORIZATION_NOT_FOUND",
    "CONTINUATION HOLD PRIOR_AUTHORIZATION_DIFFERS",
    "CONTINUATION HOLD PRIOR_AUTHORIZATION_NO_LONGER_SUPPORTED",
    ...[INSUFFICIENT, PROGRAM, AGING],
    accepted("RESTRICTED_PARTY"),
  ],
  GB_BUSINESS_PAYMENT_V1: [
    "SUPPLIER BLOCK COMPANY_NOT_REGISTERED",
    "SUPPLIER HOLD COMPANY_NOT_IN_MONTHLY_FILE",
    "SUPPLIER BLOCK SUPPLIER_COMPANY_MISMATCH",
    ...SUPPLIER,
    "INVOICE BLOCK INVOICE_COMPANY_MISMATCH",
    "INVOICE HOLD INVOICE_NAME_MISMATCH",
    "INVOICE CONDITION INVOICE_NAME_IS_PREVIOUS_NAME",
    "INVOICE CONDITION INVOICE_NAME_SIMILAR",
    "PAYEE BLOCK PAYEE_COMPANY_MISMATCH",
    ...bindingHolds("PAYEE"),
    "PAYEE CONDITION PAYEE_BINDING_WEAK",
    ...challenge("PAYEE"),
    accepted("SUPPLIER"),
  ],
  GB_VENDOR_CHANGE_V1: [
    "SUPPLIER BLOCK COMPANY_NOT_REGISTERED",
    "SUPPLIER HOLD COMPANY_NOT_IN_MONTHLY_FILE",
    ...SUPPLIER,
    ...challenge("VENDOR_CHANGE"),
    accepted("SUPPLIER"),
  ],
}

test("every policy has the rows of the design, with their outcomes, in their order", () => {
  const written = ANSWER_RULES.map(policyInForce).map(({ id, reasons }) => [
    id,
    reasons
      .filter(({ gate }) => gate !== DECISION_GATE)
      .map(({ gate, outcome, code, tolerances }) => {
        const at = tolerances.length < 3 ? ` at ${tolerances.join(", ")}` : ""
        return `${gate} ${outcome} ${code}${at}`
      }),
  ])
  expect(Object.fromEntries(written)).toEqual(TABLE)
})

const BINDING_ENDED = ["PAYEE_BINDING_EXPIRED", "PAYEE_BINDING_TOO_OLD"]
const CHALLENGE_ENDED = ["CHALLENGE_NOT_FRESH", "CHALLENGE_EXPIRED"]
const ENDED: Readonly<Record<string, readonly string[]>> = {
  US_INVOICE_PAYEE_VERIFY_V1: BINDING_ENDED,
  US_VENDOR_CHANGE_V1: CHALLENGE_ENDED,
  GB_BUSINESS_PAYMENT_V1: [...BINDING_ENDED, ...CHALLENGE_ENDED],
  GB_VENDOR_CHANGE_V1: CHALLENGE_ENDED,
}

test("a failed source has the same outcome in all policies, except for companies that a monthly file lacks", () => {
  for (const { id, uncharged } of ANSWER_RULES.map(policyInForce)) {
    expect(Object.fromEntries(uncharged.map(({ code, decision }) => [code, decision]))).toEqual({
      SOURCE_SCHEMA_BREAK: "NO_DECISION",
      SOURCE_DISABLED: "NO_DECISION",
      SOURCE_NOT_SET_UP: "NO_DECISION",
      SOURCE_UNAVAILABLE: "RETRY",
      SOURCE_STALE: "RETRY",
      // Only the monthly file of a register can be searched for a missing company.
      ...(id.startsWith("GB_") && { SOURCE_INCOMPLETE: "NO_DECISION" }),
      // Rulings 90: evidence of the caller that has ended is a stale source, and waiting does not help.
      ...Object.fromEntries((ENDED[id] ?? []).map((code) => [code, "NO_DECISION"])),
    })
  }
})

/** Design and rulings 41, 47, 56: every number that decides an answer of a product. */
test("the thresholds match the design", () => {
  const of = (id: string) => ANSWER_RULES.map(policyInForce).find((policy) => policy.id === id)?.thresholds
  expect(of("US_COMPANY_CHECK_V1")).toMatchObject({ passport_days_max: 30 })
  expect(of("US_SUPPLIER_APPROVE_V1")).toMatchObject({ approval_days: 30 })
  expect(of("US_INVOICE_PAYEE_VERIFY_V1")).toMatchObject({ payee_binding_days_max: 90, validity_minutes_max: 60 })
  expect(of("US_PAYMENT_AUTHORIZE_V1")).toMatchObject({ validity_minutes_max: 60 })
  expect(of("US_VENDOR_CHANGE_V1")).toMatchObject({ challenge_hours_max: 24, validity_hours_max: 24 })
  expect(of("US_VENDOR_CONTINUATION_V1")).toMatchObject({ continuation_days: 30 })
  expect(of("GB_VENDOR_CHANGE_V1")).toMatchObject({ challenge_hours_max: 24, validity_hours_max: 24 })
  expect(of("GB_BUSINESS_PAYMENT_V1")).toMatchObject({
    recently_incorporated_days: 90,
    payee_binding_days_max: 90,
    challenge_hours_max: 24,
    validity_minutes_max: 60,
  })
})
