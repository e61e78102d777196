import { expect, test } from "bun:test"
import { NO_REFERENCES } from "../../../src/agent-mode/planning/judge-references.ts"
import { NONE_MISSING } from "../../../src/agent-mode/planning/missing-inputs.ts"
import { planningCatalogue } from "../../../src/agent-mode/planning/planning-catalogue.ts"
import { type PlannedIntent, PlanWriter } from "../../../src/agent-mode/planning/result.ts"
import { operationTable } from "../../../src/catalogue/operations.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { intentBody, START } from "./planning-service.ts"

const writer = new PlanWriter({
  catalogue: planningCatalogue(operationTable([])),
  baseUrl: "https://svc.example",
  isUkRegisterLive: false,
})
const planned: PlannedIntent = {
  operation: "free_agent_preflight",
  body: intentBody({ intent: "CHECK_US_COMPANY" }),
  at: START,
  requestDigest: digestOf("request"),
  factsDigest: digestOf("facts"),
  line: null,
  nearest: [],
  sources: [],
  references: NO_REFERENCES,
  continuesPlanId: null,
  outcome: "UNSUPPORTED",
  reasonCodes: [],
  missing: NONE_MISSING,
}

test("members of one operation are written at their places in canonical order", () => {
  const own = {
    selected_route: null,
    acquisition_delta: 1,
    readiness: "READY",
    quote: null,
    rejected: [],
    reusable: [],
  }
  const text = writer.payload(planned, own, null).join("")
  const read = JSON.parse(text) as object
  expect(text).toBe(canonicalize(read))
  expect(read).toMatchObject(own)
})

test("a member without a place is a bug, and is not left out", () => {
  expect(() => writer.payload(planned, { warnings: [] }, null)).toThrow('no place for "warnings":[]')
})
