/** The row of a case, for every stored answer of every build. */
import { expect, test } from "bun:test"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { caseRowOf, mayWait } from "../../src/review/case-row.ts"
import { BUILDS, isDecision, storedIn } from "../corpus/stored-bundle.ts"

interface Sold {
  readonly decision: string
  readonly row: ReturnType<typeof caseRowOf>
  readonly facts: string
  readonly request: Readonly<Record<string, unknown>>
}

const all: readonly Sold[] = BUILDS.flatMap((build) =>
  storedIn(build).stored.map(({ bundle, product }) => {
    const answer = isDecision(bundle) ? bundle.delivery : bundle.answer
    const request = bundle.request as Readonly<Record<string, unknown>>
    const facts = canonicalize(bundle.facts)
    const row = caseRowOf({
      ...{ seq: 1, requestId: "req_1", soldAt: "2026-11-20T10:00:00.000Z", product, decision: answer.decision },
      ...{ payer: `0x${"11".repeat(20)}`, supplier: "Supplier LLC", organizationId: null },
      ...{ requestJson: canonicalize(request), factsJson: facts, body: canonicalize(answer) },
    })
    return { decision: answer.decision, row, facts, request }
  }),
)

test("an answer that waits for a person has a row, and a permission that is no permission to pay", () => {
  const waiting = all.filter(({ decision }) => mayWait(decision) && decision !== "BLOCK")
  expect(waiting.length).toBeGreaterThan(20)
  for (const { row, decision } of waiting) {
    expect([decision, row?.permission]).toEqual([decision, /CONDITION/.test(decision) ? "PAY_IF" : "HOLD"])
    expect(row?.code).toMatch(/^[A-Z_]+$/)
    expect(row?.amountOrder).toMatch(/^\d{24}$/)
  }
  expect(["ALLOW", "APPROVE", "RETRY", "NO_DECISION"].filter(mayWait)).toEqual([])
})

test("a BLOCK has a row only if a listed entry caused it", () => {
  const blocked = all.filter(({ decision }) => decision === "BLOCK")
  const listed = blocked.filter(({ row }) => row !== null)
  expect(listed.length).toBeGreaterThan(0)
  expect(listed.length).toBeLessThan(blocked.length)
  for (const { row, facts } of blocked) expect(row !== null).toBe(/"tier":"BLOCK"/.test(facts))
  for (const { row } of listed) expect([row?.permission, (row?.scorePermille ?? 0) > 800]).toEqual(["STOP", true])
})

test("amounts order as numbers, and cases about one party and one entry are one group", () => {
  const paid = all.filter(({ row, request }) => row !== null && typeof request["amount"] === "string")
  expect(paid.length).toBeGreaterThan(5)
  for (const { row, request } of paid) {
    expect([row?.amount, Number(row?.amountOrder)]).toEqual([
      request["amount"] as string,
      Math.round(Number(request["amount"]) * 1_000_000),
    ])
  }
  const groups = new Set(all.flatMap(({ row }) => row?.groupKey ?? []))
  expect(groups.size).toBeGreaterThan(1)
  expect(groups.size).toBeLessThan(all.length)
})
