/**
 * Runs the checks before a quote on a partial request and reports every line. It screens, stores, quotes and charges nothing. The payer is
 * unknown, so a check that needs the payment is NOT_EVALUATED.
 */
import type { TObject } from "@sinclair/typebox"
import type { AnswerCheckId, AnswerEligibilityLine, AnswerEligibilityResponse } from "../../../schemas/eligibility.ts"
import { catalogue } from "../../base/refusals.ts"
import { formatInstant } from "../../core/time.ts"
import type { Call, Reply } from "../../http/call.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import { type JudgedLine, judgeLines, linePointers } from "./pre-quote-check.ts"
import { type AnyCheckInput, checkInputOf, type QuoteChecks } from "./quote-checks.ts"
import { SourceFailure } from "./source-failure.ts"
import { unchargedReason } from "./uncharged-reply.ts"

/** Returns the handler of a product's eligibility route. */
export function eligibilityOf(store: Store, product: AnyBusinessAnswerProduct, { validations, rest }: QuoteChecks) {
  const required = (product.schemas.request as TObject).required ?? []
  const checks = [...validations, ...rest]
  return async ({ body, at }: Call<Partial<AnswerRequest>>): Promise<Reply> => {
    const missing = required.filter((member) => !Object.hasOwn(body, member))
    // In a partial request, only checks whose members are present run.
    const request = body as AnswerRequest
    const input: AnyCheckInput = { request, payer: null, paid: false, at, recordsForChecks: null, named: null }
    const isWhole = missing.length === 0
    const judged = await judgeLines(checks, isWhole ? await checkInputOf(store, product, input) : input, missing)
    const lines = [completeness(missing), ...judged.map((line) => asLine(product, line))]
    const eligible = lines.every(({ state }) => state !== "FAILED")
    const answer: AnswerEligibilityResponse = {
      schema_version: "1.0.0",
      product: product.id,
      eligible,
      checks: lines,
      required_information: missing.map((member) => `/${member}`),
      coverage: product.coverage,
      charged: false,
      quote_created: false,
      limitations: ["ELIGIBILITY_IS_NOT_A_DECISION", "PAYER_NOT_KNOWN", "STATE_MAY_CHANGE_BEFORE_THE_QUOTE"],
      valid_as_of: formatInstant(at),
      next_machine_action: missing.length > 0 ? "CORRECT_REQUEST" : nextAction(product, judged),
    }
    return { status: 200, body: answer, note: { product: product.id, eligible } }
  }
}

function completeness(missing: readonly string[]): AnswerEligibilityLine {
  const pointers = missing.map((member) => `/${member}`)
  return pointers.length === 0
    ? { check_id: "REQUEST_COMPLETE", state: "PASSED", code: null, pointers }
    : { check_id: "REQUEST_COMPLETE", state: "FAILED", code: "SCHEMA_INVALID", pointers }
}

function asLine(product: AnyBusinessAnswerProduct, line: JudgedLine<AnswerCheckId>): AnswerEligibilityLine {
  return { check_id: line.checkId, state: line.state, code: codeOf(product, line), pointers: linePointers(line) }
}

/** Returns the code of the rejection that the paid route would give, or the first reason of its uncharged answer. */
function codeOf(product: AnyBusinessAnswerProduct, { refusal }: JudgedLine<string>): string | null {
  if (refusal instanceof SourceFailure) return unchargedReason(product, refusal).codes[0] ?? null
  return refusal?.code ?? null
}

/** Returns the next action for the first failed line, as the paid route would state it. */
function nextAction(product: AnyBusinessAnswerProduct, lines: readonly JudgedLine<string>[]): string {
  const refusal = lines.find(({ state }) => state === "FAILED")?.refusal
  if (refusal instanceof SourceFailure) return unchargedReason(product, refusal).action
  return refusal ? catalogue[refusal.code].next : "REQUEST_QUOTE"
}
