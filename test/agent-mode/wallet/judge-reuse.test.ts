import { expect, test } from "bun:test"
import {
  judgeReuse,
  type ReusableEntry,
  reasonsAgainstReuse,
  subjectFault,
} from "../../../src/agent-mode/wallet/judge-reuse.ts"
import { formatInstant } from "../../../src/core/time.ts"

const AT = Date.UTC(2026, 0, 1)
const good: ReusableEntry = {
  product: "us.company.check.v1",
  decision: "APPROVE",
  validUntil: formatInstant(AT + 1),
  isKeyRevoked: false,
  tokenKind: null,
  tokenState: null,
}

test.each<[string, Partial<ReusableEntry>, string, string | null]>([
  ["a current approval", {}, "REUSABLE", null],
  ["an allowance with conditions", { decision: "ALLOW_WITH_CONDITIONS" }, "REUSABLE", null],
  ["a revoked key", { isKeyRevoked: true, validUntil: formatInstant(AT) }, "REVOKED", "KEY_REVOKED"],
  ["a revoked change", { tokenState: "REVOKED", decision: "BLOCK" }, "REVOKED", "TOKEN_REVOKED"],
  ["an ended answer", { validUntil: formatInstant(AT), decision: "BLOCK" }, "EXPIRED", "EXPIRED"],
  ["an expired token", { tokenState: "EXPIRED" }, "EXPIRED", "EXPIRED"],
  ["a refusal", { decision: "REVIEW", tokenState: "SPENT" }, "NOT_REUSABLE", "DECISION_NOT_POSITIVE"],
  ["a spent token", { tokenState: "SPENT" }, "NOT_REUSABLE", "TOKEN_SPENT"],
  ["a token that is not spent", { tokenState: "ISSUED" }, "REUSABLE", null],
  ["a kind that replaces no purchase", { product: null, decision: null }, "NOT_REUSABLE", "TYPE_NOT_REUSABLE"],
])("%s", (_name, changes, state, reason) => {
  expect(judgeReuse({ ...good, ...changes }, AT)).toEqual({ state, reason } as never)
})

test("every reason is told, the decisive one first", () => {
  const bad = {
    ...good,
    isKeyRevoked: true,
    tokenState: "SPENT",
    validUntil: formatInstant(AT),
    decision: "HOLD",
  } as const
  expect(reasonsAgainstReuse(bad, AT)).toEqual(["KEY_REVOKED", "EXPIRED", "DECISION_NOT_POSITIVE", "TOKEN_SPENT"])
})

const BOTH = { "": "whole", "/a": "a", "/b": "b" }
test.each<[string, Record<string, string>, Record<string, string>, string | null]>([
  ["the whole request agrees", { "": "whole" }, { "": "whole" }, null],
  ["the whole request differs", { "": "whole" }, { "": "x" }, "SUBJECT_DIFFERS"],
  ["nothing is stated", { "": "whole" }, {}, "SUBJECT_NOT_STATED"],
  ["all pointers agree though the whole differs", BOTH, { "": "x", "/a": "a", "/b": "b" }, null],
  ["one pointer is missing", BOTH, { "/a": "a" }, "SUBJECT_NOT_STATED"],
  ["one pointer differs", BOTH, { "/a": "a", "/b": "x" }, "SUBJECT_DIFFERS"],
  ["an entry about nothing", {}, { "": "x" }, "SUBJECT_DIFFERS"],
])("%s", (_name, entry, stated, fault) => {
  expect(subjectFault(entry, stated)).toBe(fault as never)
})
