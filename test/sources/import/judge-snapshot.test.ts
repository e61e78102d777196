/** Two separate results: whether a publication may be imported, and whether it is under its least size. */
import { expect, test } from "bun:test"
import { formatInstant } from "../../../src/core/time.ts"
import { type ActiveSnapshotState, judgeSnapshot } from "../../../src/sources/import/judge-snapshot.ts"
import { hard, soft } from "../../../src/sources/records/findings.ts"
import { START } from "../import-bench.ts"

const BELOW = soft("BELOW_EXPECTED", "few")
const ACCEPTED = JSON.stringify([{ what: "SMALL", reason: "drill", at: formatInstant(START) }])
const WHOLE: ActiveSnapshotState = { size: "WHOLE", findings: "[]", isSample: 0, acceptances: "[]" }
const FEW: ActiveSnapshotState = { ...WHOLE, size: "UNDER_LEAST", findings: JSON.stringify([BELOW]) }

const judged = (active: ActiveSnapshotState | null, findings = [BELOW]) => {
  const judgement = judgeSnapshot({
    environment: "live",
    now: START,
    isRead: true,
    findings,
    active,
    published: null,
    content: null,
    confirmed: null,
    retrievalWindow: 0,
    accepting: [],
    accepted: [],
  })
  return [judgement.size, judgement.findings.some(({ severity }) => severity === "hard") ? "REFUSED" : "IMPORTED"]
}

test.each([
  ["REFUSED", "as the first of its source", null],
  ["IMPORTED", "after a complete one", WHOLE],
  ["IMPORTED", "after one that was under the least size and needed no acceptance", FEW],
  ["IMPORTED", "after one that an earlier release recorded as WHOLE", { ...FEW, size: "WHOLE" }],
  ["REFUSED", "after one that the operator accepted", { ...FEW, acceptances: ACCEPTED }],
  ["REFUSED", "after a small sample", { ...FEW, isSample: 1 }],
  ["REFUSED", "after a small one from a release that refused no size", { ...FEW, size: null }],
] as const)("a register under its least size is UNDER_LEAST and %s %s", (outcome, _, active) => {
  expect(judged(active)).toEqual(["UNDER_LEAST", outcome])
})

test("a register that shrank under its least size is refused after a complete one", () => {
  expect(judged(WHOLE, [hard("SHRUNK", "less"), BELOW])).toEqual(["UNDER_LEAST", "REFUSED"])
})

test("a register of its usual size is WHOLE after a small one", () => {
  expect(judged(FEW, [])).toEqual(["WHOLE", "IMPORTED"])
})
