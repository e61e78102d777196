import { expect, test } from "bun:test"
import { found, waived } from "../../../src/checks/policy/gate.ts"
import { judgeGates, worstOutcome } from "../../../src/checks/policy/judge-gates.ts"
import { SAMPLE_POLICY } from "../../fixtures/sample-policy.ts"

type Gate = "PAYEE" | "INVOICE" | "CHANGE"
const payee = (codes: string[]) => ({ gate: "PAYEE" as const, ...found(codes, ["ONE", "TWO"]) })
const invoice = (codes: string[]) => ({ gate: "INVOICE" as const, ...found(codes, ["TWO"]) })

test("the worst outcome of all gates is the outcome", () => {
  expect(worstOutcome(["PASS", "CONDITION", "HOLD", "BLOCK", "INCONCLUSIVE"])).toBe("BLOCK")
  expect(worstOutcome(["PASS", "CONDITION", "INCONCLUSIVE", "HOLD"])).toBe("HOLD")
  expect(worstOutcome(["CONDITION", "INCONCLUSIVE"])).toBe("INCONCLUSIVE")
  expect(worstOutcome(["PASS", "CONDITION"])).toBe("CONDITION")
  expect(worstOutcome([])).toBe("PASS")
  expect(judgeGates(SAMPLE_POLICY, "LOW", [payee(["B"]), invoice(["A"])]).outcome).toBe("HOLD")
})

test("the tolerance selects the outcome", () => {
  expect(judgeGates(SAMPLE_POLICY, "LOW", [payee(["A"])]).outcome).toBe("HOLD")
  expect(judgeGates(SAMPLE_POLICY, "HIGH", [payee(["A"])]).outcome).toBe("PASS")
})

test("each gate has the outcome of its own codes, and a reason that passes is kept", () => {
  const judged = judgeGates(SAMPLE_POLICY, "HIGH", [payee(["B"]), invoice(["A"])])
  expect([judged.outcomeOf("PAYEE"), judged.outcomeOf("INVOICE")]).toEqual(["CONDITION", "PASS"])
  expect(judged.reasonsOf("INVOICE").map(({ code }) => code)).toEqual(["A"])
  expect(judged.reasons.map(({ code }) => code)).toEqual(["B", "A"])
})

test("a gate that was waived or did not run has no outcome; it did not pass", () => {
  const judged = judgeGates<Gate>(SAMPLE_POLICY, "LOW", [payee([]), { gate: "INVOICE", ...waived("NOTHING_TO_SEE") }])
  expect((["PAYEE", "INVOICE", "CHANGE"] as const).map(judged.outcomeOf)).toEqual(["PASS", null, null])
})

test("a limitation that several gates report appears once", () => {
  expect(judgeGates(SAMPLE_POLICY, "LOW", [payee([]), invoice([])]).limitations).toEqual(["ONE", "TWO"])
})
