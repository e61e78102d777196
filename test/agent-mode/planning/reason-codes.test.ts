/** The codes of the planner, over facts that the test chooses. */
import { describe, expect, test } from "bun:test"
import type { MissingInput } from "../../../schemas/agent-mode/planning.ts"
import { type PlanningFacts, plan } from "../../../src/agent-mode/planning/plan.ts"
import { planningCatalogue } from "../../../src/agent-mode/planning/planning-catalogue.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { MINUTE } from "../../../src/core/time.ts"
import { operationTable } from "../../../src/discovery/operations.ts"
import { intentBody, START, source } from "./planning-service.ts"

const catalogue = planningCatalogue(operationTable([]), "eip155:8453")
const DIGEST = digestOf("a digest")
const FACTS: PlanningFacts = {
  agent: "NOT_STATED",
  sources: [source()],
  arePaymentsOff: false,
  references: { reusable: [], rejected: [] },
}

function planned(intent: string, changes: Parameters<typeof intentBody>[0] = {}, facts: Partial<PlanningFacts> = {}) {
  const [line] = catalogue.byIntent.get(intent) ?? []
  if (!line) throw new Error(`no line for ${intent}`)
  return plan(intentBody({ intent, ...changes }), line, { ...FACTS, ...facts }, START)
}

const CHANGE = "AUTHORIZE_US_VENDOR_PAYMENT_DETAIL_CHANGE"
const USDC = { asset: "USDC", network: "eip155:8453", max_amount_atomic: "1000000000" }
const withDelegation = { authority: { mandate_digest: null, delegation_id: "dlg_1" } }
const withMandate = { authority: { mandate_digest: DIGEST, delegation_id: null } }

describe("each code", () => {
  const rows: readonly [string, string[], ReturnType<typeof planned>][] = [
    ["no agent", ["AGENT_ID_REQUIRED"], planned(CHANGE, withDelegation)],
    ["an unknown agent", ["AGENT_UNKNOWN"], planned(CHANGE, withDelegation, { agent: "UNKNOWN" })],
    ["an agent without a key", ["AGENT_KEY_NOT_ACTIVE"], planned(CHANGE, withDelegation, { agent: "NO_ACTIVE_KEY" })],
    [
      "an agent without a key, where none is needed",
      ["AGENT_KEY_NOT_ACTIVE"],
      planned("CHECK_US_COMPANY", {}, { agent: "NO_ACTIVE_KEY" }),
    ],
    ["no delegation", ["DELEGATION_REQUIRED"], planned(CHANGE, {}, { agent: "ACTIVE" })],
    ["no mandate", ["MANDATE_REQUIRED"], planned("RELEASE_PAYMENT_TO_SUPPLIER", {}, { agent: "ACTIVE" })],
    [
      "a mandate that is named and not stated",
      ["MANDATE_REQUIRED", "INPUT_MISSING"],
      planned("RELEASE_PAYMENT_TO_SUPPLIER", { ...withMandate, input_digests: {} }, { agent: "ACTIVE" }),
    ],
    ["nothing missing", [], planned("RELEASE_PAYMENT_TO_SUPPLIER", withMandate, { agent: "ACTIVE" })],
    [
      "a budget in another asset",
      ["BUDGET_ASSET_UNSUPPORTED"],
      planned("CHECK_US_COMPANY", { budget: { ...USDC, asset: "EUR" } }),
    ],
    [
      "a budget on another network",
      ["BUDGET_ASSET_UNSUPPORTED"],
      planned("CHECK_US_COMPANY", { budget: { ...USDC, network: "eip155:1" } }),
    ],
    [
      "a budget one unit below the price",
      ["BUDGET_BELOW_PRICE"],
      planned("CHECK_US_COMPANY", { budget: { ...USDC, max_amount_atomic: "39999" } }),
    ],
    ["a budget of the price", [], planned("CHECK_US_COMPANY", { budget: { ...USDC, max_amount_atomic: "40000" } })],
    [
      "no budget for a free call",
      [],
      planned("READ_US_SOURCE_HEALTH", { budget: { ...USDC, max_amount_atomic: "0" } }),
    ],
    ["payments off, for a free call", [], planned("READ_US_SOURCE_HEALTH", {}, { arePaymentsOff: true })],
    ...(["UNAVAILABLE", "DISABLED", "SCHEMA_BREAK"] as const).map(
      (health): [string, string[], ReturnType<typeof planned>] => [
        health,
        ["US_OFAC_SDN_SOURCE_UNAVAILABLE"],
        planned("CHECK_US_COMPANY", {}, { sources: [source({ health, staleAt: null })] }),
      ],
    ),
    [
      "a stale source",
      ["US_OFAC_SDN_SOURCE_STALE"],
      planned("CHECK_US_COMPANY", {}, { sources: [source({ health: "STALE" })] }),
    ],
    [
      "a source that is stale within ten minutes",
      ["US_OFAC_SDN_SOURCE_STALE"],
      planned("CHECK_US_COMPANY", {}, { sources: [source({ staleAt: START + 10 * MINUTE - 1 })] }),
    ],
    [
      "a source that holds for ten minutes",
      [],
      planned("CHECK_US_COMPANY", {}, { sources: [source({ staleAt: START + 10 * MINUTE })] }),
    ],
  ]
  test.each(rows)("%s", (_name, codes, { reasonCodes }) => {
    expect(reasonCodes).toEqual(codes)
  })
})

test("all that is in the way is named, in the order of the outcomes", () => {
  const replaces = { digest: DIGEST, product_id: "p", effect: "REPLACES_PURCHASE", valid_until: null } as const
  const { outcome, reasonCodes } = planned(
    "RELEASE_PAYMENT_TO_SUPPLIER",
    { input_digests: {}, budget: { ...USDC, max_amount_atomic: "0" } },
    {
      sources: [source({ health: "DISABLED" }), source({ sourceId: "US_SAM_EXCLUSIONS", health: "STALE" })],
      arePaymentsOff: true,
      references: { reusable: [replaces], rejected: [] },
    },
  )
  expect(outcome).toBe("REUSE_AVAILABLE")
  expect(reasonCodes).toEqual([
    "REUSE_AVAILABLE",
    "US_OFAC_SDN_SOURCE_UNAVAILABLE",
    "US_SAM_EXCLUSIONS_SOURCE_STALE",
    "PAYMENTS_OFF",
    "AGENT_ID_REQUIRED",
    "MANDATE_REQUIRED",
    "BUDGET_BELOW_PRICE",
    "INPUT_MISSING",
  ])
})

/** What a plan lists if nothing is stated. */
function missingNow(intent: string): readonly MissingInput[] {
  return planned(intent, { input_digests: {} }).missing
}

test("each missing input names who supplies it", () => {
  const supplied = (intent: string) =>
    new Map(missingNow(intent).map(({ pointer, supplied_by }) => [pointer, supplied_by]))
  expect(supplied("CONTINUE_US_VENDOR_AUTHORIZATION").get("/prior_authorization_reference")).toBe("EARLIER_ANSWER")
  expect(supplied("AUTHORIZE_GB_VENDOR_PAYMENT_DETAIL_CHANGE").get("/prior_authorization_reference")).toBe(
    "EARLIER_ANSWER",
  )
  const decision = supplied("RELEASE_PAYMENT_TO_SUPPLIER")
  expect(decision.get("/requesting_agent/request_signature")).toBe("AGENT_KEY")
  expect(decision.get("/buyer_mandate/signature/value")).toBe("BUYER_ORGANIZATION")
  expect(decision.get("/amount")).toBe("CALLER")
})
