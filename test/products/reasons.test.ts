/**
 * Every reason of every policy is earned in its place, and the policy contains every code that a gate can find. The catalogue names the
 * products, and a product without its reasons.ts fails here.
 */
import { describe, expect } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { Glob } from "bun"
import type { Tolerance } from "../../schemas/us/payment-decision.ts"
import { ANSWER_ROWS } from "../../src/checks/policy/answer.ts"
import { ALWAYS_STATED, type AnswerPolicyDocument, CLOSING_ROWS } from "../../src/checks/policy/answer-policy.ts"
import { DECISION_GATE } from "../../src/checks/policy/policy.ts"
import { policyInForce } from "../../src/products/common/answer-rules.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { PAYMENT_DECISION_POLICY } from "../../src/products/us/payment-decision/policy.ts"
import { settledAnswer } from "../fixtures/answers.ts"
import { codeOf, sourceFiles } from "../fixtures/imports.ts"
import { type AnyReasonWalk, inputWith } from "../fixtures/reason-walk.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { variations } from "../fixtures/variations.ts"

const test = slowTests(import.meta.path)

const files = [...new Glob("{us,gb}/*/reasons.ts").scanSync({ cwd: import.meta.dir })].sort()
const walks = await Promise.all(
  files.map(async (file) => ((await import(`./${file}`)) as { WALK: AnyReasonWalk }).WALK),
)
const CLOSING = CLOSING_ROWS.map(({ code }) => code)

test("every product of the catalogue has a file that shows how its reasons are earned", () => {
  expect(walks.map(({ rules }) => rules.id).sort()).toEqual(ANSWER_RULES.map(({ id }) => id).sort())
})

test("every code that a gate names is a row of some policy", () => {
  const policies = [PAYMENT_DECISION_POLICY, ...ANSWER_RULES.map(policyInForce)]
  const rows = new Set(policies.flatMap(({ reasons }) => reasons.map(({ code }) => code)))
  const named = sourceFiles("src/checks", "src/products").flatMap(codesNamedIn)
  expect(named.length).toBeGreaterThan(20)
  expect(named.filter((code) => !rows.has(code))).toEqual([])
})

/** The texts in the list of codes of a call of `found`, without the texts of comparisons. */
function codesNamedIn(path: string): string[] {
  const code = codeOf(path)
  return [...code.matchAll(/\bfound\(\s*\[/g)].flatMap((call) => {
    const from = call.index + call[0].length
    let depth = 1
    let to = from
    for (; depth > 0; to++) depth += code[to] === "[" ? 1 : code[to] === "]" ? -1 : 0
    return [...code.slice(from, to - 1).matchAll(/(?:&&|\?|:|,|^)\s*"([A-Z_]+)"/g)].map(([, named = ""]) => named)
  })
}

describe.each(walks.map((walk) => [walk.rules.id, walk] as const))("%s", (_, walk) => {
  const policy = policyInForce(walk.rules)
  const tolerances = walk.tolerances ?? (["MEDIUM"] as const)
  const codes = walk.faults.map(({ code }) => code)
  const decideWith = (present: readonly string[], tolerance: Tolerance, by: AnswerPolicyDocument = policy) => {
    const { request, facts } = inputWith(walk, present, tolerance)
    return walk.rules.decide(request, facts, by)
  }
  /** The rows for the codes found at this tolerance, without rows that have no effect. */
  const rowsOf = (present: readonly string[], tolerance: Tolerance) =>
    policy.reasons.filter(
      (row) => row.outcome !== "PASS" && present.includes(row.code) && row.tolerances.includes(tolerance),
    )
  const isHidden = (code: string, present: readonly string[]) =>
    walk.faults.some((fault) => fault.code === code && fault.hiddenBy?.some((other) => present.includes(other)))

  test("the walk visits every code of the policy once, in its order, and no other", () => {
    const rows = policy.reasons.filter(({ gate }) => gate !== DECISION_GATE)
    expect(codes).toEqual([...new Set(rows.map(({ code }) => code))])
    expect(policy.reasons.slice(-CLOSING.length).map(({ code }) => code)).toEqual(CLOSING)
  })

  test("facts without faults satisfy the product's schemas and earn APPROVE with the closing reasons", () => {
    for (const tolerance of tolerances) {
      const { request, facts } = inputWith(walk, [], tolerance)
      expect([...Value.Errors(walk.rules.schemas.request, request)]).toEqual([])
      expect([...Value.Errors(walk.rules.schemas.facts, facts)]).toEqual([])
      const core = decideWith([], tolerance)
      expect([core.decision, core.reason_codes]).toEqual(["APPROVE", CLOSING])
      expect([...Value.Errors(walk.rules.schemas.answer, settledAnswer(core, walk.rules))]).toEqual([])
    }
  })

  test.each(codes)("%s is earned alone, with its row's outcome", (code) => {
    for (const tolerance of tolerances) {
      const [row] = rowsOf([code], tolerance)
      const core = decideWith([code], tolerance)
      expect([...Value.Errors(walk.rules.schemas.facts, inputWith(walk, [code], tolerance).facts)]).toEqual([])
      expect(core.reason_codes).toEqual(row ? [code, ...ALWAYS_STATED] : CLOSING)
      expect(core).toMatchObject({
        decision: ANSWER_ROWS[row?.outcome ?? "PASS"].decision,
        authorization: ANSWER_ROWS[row?.outcome ?? "PASS"].authorization,
        machine_action: ANSWER_ROWS[row?.outcome ?? "PASS"].machineAction,
        conditions: row?.outcome === "CONDITION" ? [row.remediation] : [],
      })
      // This includes a row without an effect: a policy without the row could not decide these facts.
      const without = { ...policy, reasons: policy.reasons.filter((one) => one.code !== code) }
      expect(() => decideWith([code], tolerance, without)).toThrow(`no row for ${code}`)
    }
  })

  test("in its first version only an answer in which every gate passed states the limit of its coverage", () => {
    const [first] = walk.rules.policies
    const [tolerance = "MEDIUM"] = tolerances
    const known = codes.filter((code) => first?.reasons.some((row) => row.code === code))
    const fires = known.filter((code) => rowsOf([code], tolerance).length > 0)
    const always = first?.always ?? []
    for (const code of fires) expect(decideWith([code], tolerance, first).reason_codes).toEqual([code, ...always])
    expect(decideWith([], tolerance, first).reason_codes).toEqual(CLOSING)
  })

  test.each(codes.map((code, index) => [code, index] as const))(
    "with all earlier reasons fixed, %s comes first",
    (code, index) => {
      const present = codes.slice(index)
      for (const tolerance of tolerances) {
        const rows = rowsOf(present, tolerance).filter((row) => !isHidden(row.code, present))
        expect(decideWith(present, tolerance).reason_codes).toEqual(
          rows.length > 0 ? [...rows.map((row) => row.code), ...ALWAYS_STATED] : CLOSING,
        )
        if (rowsOf([code], tolerance).length > 0) expect(rows[0]?.code).toBe(code)
      }
    },
  )

  test("whatever value one member of the facts has, the policy has a row for the finding", () => {
    const [tolerance = "MEDIUM"] = tolerances
    for (const code of ["", ...codes]) {
      const { request, facts } = inputWith(walk, [code], tolerance)
      for (const varied of variations(walk.rules.schemas.facts, facts)) {
        const given = varied as typeof facts
        expect(walk.rules.decide(request, given, policy).reason_codes.length).toBeGreaterThan(0)
      }
    }
  })
})
