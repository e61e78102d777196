/** What every paid product answers alike when it decides nothing. */
import { expect } from "bun:test"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import type { ErrorCode } from "../../src/base/refusals.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { policyInForce } from "../../src/products/common/answer-rules.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import type { ProductRow } from "../fixtures/products.ts"

export interface Refusal {
  readonly code: ErrorCode
  readonly charged: boolean
}

export const refusalOf = async (answer: Response) => (await answer.json()) as Refusal

export async function reasonsOf(answer: Response): Promise<readonly string[]> {
  expect(answer.status).toBe(200)
  return ((await answer.json()) as { reason_codes: string[] }).reason_codes
}

export async function expectReused(answer: Response): Promise<void> {
  const { code, charged } = await refusalOf(answer)
  expect([answer.status, code, charged]).toEqual([409, "IDEMPOTENCY_KEY_REUSED", false])
  expect(answer.headers.get("payment-required")).toBeNull()
}

/** The Payment Decision refuses, and the answer products answer that they decide nothing (rulings 27). */
export async function expectUndecided(row: ProductRow, answer: Response, code: string): Promise<void> {
  if (row.id === PAYMENT_DECISION_PRODUCT) {
    const refusal = await refusalOf(answer)
    // The reason does not predict a later import: a list that was never imported is unavailable.
    const expected = code === "SOURCE_NOT_SET_UP" ? "SOURCE_UNAVAILABLE" : code
    expect([answer.status, refusal.code, refusal.charged]).toEqual([503, expected as ErrorCode, false])
    return
  }
  const rules = ANSWER_RULES.find(({ id }) => id === row.id)
  const reason = rules && policyInForce(rules).uncharged.find((one) => one.code === code)
  expect(answer.status).toBe(200)
  expect(await answer.json()).toMatchObject({
    decision: reason?.decision,
    authorization: "HOLD",
    reason_codes: [code],
    execution_id: "",
    delivery_id: "",
    economic_activity: { charged: false, quote_created: false, settlement_created: false },
    payment: { payment_status: "NOT_CHARGED", charged_price_usd: 0, persistence_status: "NOT_PERSISTED" },
  })
}

/** The part that all copies of an answer share: neither the repetition mark nor the token, which only the payer gets. */
export function firstCopy(answer: object): string {
  const { replayed, limitations, result, ...rest } = answer as {
    replayed?: boolean
    limitations?: string[]
    result?: object
  }
  return canonicalize({
    ...rest,
    ...(limitations && { limitations: limitations.filter((one) => one !== "TOKEN_NOT_REPLAYED") }),
    ...(result && { result: { ...result, authorization_token: "" } }),
  })
}
