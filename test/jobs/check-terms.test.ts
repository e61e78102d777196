import { describe, expect, test } from "bun:test"
import type { EscrowJob } from "../../src/jobs/chain/escrow-job.ts"
import { judgeTerms, NO_ADDRESS } from "../../src/jobs/check-terms.ts"

const JOB: EscrowJob = {
  client: `0x${"11".repeat(20)}`,
  provider: `0x${"22".repeat(20)}`,
  evaluator: NO_ADDRESS,
  hook: NO_ADDRESS,
  status: "OPEN",
  expiredAt: 1_800_000_000,
  budget: 0n,
  description: "Payment Decision",
}

test("a job as the offering says passes, at every limit", () => {
  expect(judgeTerms(JOB, 900, 0)).toBeNull()
  expect(judgeTerms(JOB, 360, 19)).toBeNull()
  expect(judgeTerms(JOB, 24 * 3600, 0)).toBeNull()
})

describe("one step beyond is refused, and the client reads why", () => {
  const address = `0x${"33".repeat(20)}`
  test.each<[string, string, Partial<EscrowJob>, number, number]>([
    ["a funded job", "JOB_TERMS", { status: "FUNDED" }, 900, 0],
    ["a hook", "JOB_TERMS", { hook: address }, 900, 0],
    ["another case of the name", "JOB_TERMS", { description: "payment decision" }, 900, 0],
    ["a space after the name", "JOB_TERMS", { description: "Payment Decision " }, 900, 0],
    ["an evaluator", "EVALUATOR_UNAVAILABLE", { evaluator: address }, 900, 0],
    ["the client as evaluator", "EVALUATOR_UNAVAILABLE", { evaluator: JOB.client }, 900, 0],
    ["359 seconds", "DEADLINE_TOO_CLOSE", {}, 359, 0],
    ["a deadline in the past", "DEADLINE_TOO_CLOSE", {}, -1, 0],
    ["a second over a day", "JOB_TERMS", {}, 24 * 3600 + 1, 0],
    ["twenty earlier jobs", "TOO_MANY_JOBS", {}, 900, 20],
  ])("%s: %s", (_, code, changes, left, waiting) => {
    const refusal = judgeTerms({ ...JOB, ...changes }, left, waiting)
    expect(refusal?.code).toBe(code)
    expect(refusal?.detail).toMatch(/^[A-Z].*\.$/)
  })
})
