/**
 * Runs the checks before a quote on a partial request and reports every line. It screens, stores, quotes and charges nothing. A line that
 * reveals something about a buyer, an agent, a mandate or the service's records is NOT_EVALUATED unless the request signature verifies
 * (rulings 28). A check that needs the payment is NOT_EVALUATED, because the payer is unknown.
 */
import type { ReviewState } from "../../../schemas/answer-review.ts"
import type { AnswerEligibilityResponse } from "../../../schemas/eligibility.ts"
import type { EligibilityResponse } from "../../../schemas/us/eligibility.ts"
import type { ServiceError } from "../../base/errors.ts"
import { catalogue } from "../../base/refusals.ts"
import { formatInstant } from "../../core/time.ts"
import { judgeKnownSale } from "../../delivery/known-sale.ts"
import type { Call, Reply } from "../../http/call.ts"
import { reusableMembers } from "../../http/problem.ts"
import type { Store } from "../../store/engine/unit.ts"
import { findAcquired } from "../../store/sales/acquired.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import type { AnyCheckInput } from "./check-input.ts"
import { firstRefusal, type JudgedLine, judgeLines, linePointers, type PreQuoteCheck } from "./pre-quote-check.ts"
import type { AnyProductRow } from "./product-row.ts"
import type { QuoteChecks } from "./quote-checks.ts"
import type { ReviewOf } from "./review-of.ts"
import { entryInput, keysOfSigner, readForPayer, readForSale } from "./sale-of.ts"
import { SourceFailure } from "./source-failure.ts"
import { unchargedReason } from "./uncharged-reply.ts"

interface FreeInput extends AnyCheckInput {
  /** The rejection of the paid route for a sale under the signer's own idempotency key, or null if it would quote. */
  readonly known: ServiceError | null
  /** Whether the answer that this request bought waits for a person. Null if nobody bought it, or it has no hit that a person can clear. */
  readonly review: ReviewState | null
}

interface EligibilityDeps {
  readonly store: Store
  readonly reviewOf: ReviewOf
}

/** Ids of schema `AnswerCheckId` or, for the Payment Decision, `EligibilityCheckId`. */
type Line = Omit<AnswerEligibilityResponse["checks"][number], "check_id"> & { readonly check_id: string }
type Response = Omit<AnswerEligibilityResponse, "checks" | "coverage"> & {
  readonly checks: readonly Line[]
  readonly coverage: object
  readonly reusable_decision?: EligibilityResponse["reusable_decision"]
  readonly review?: EligibilityResponse["review"]
}

/** The lines of the answer, in the order in which the paid route rejects. */
export function eligibilityChecks(
  { owner, requiredMembers }: AnyProductRow,
  { entry, lines }: QuoteChecks,
): readonly PreQuoteCheck<FreeInput>[] {
  /** The paid route looks for a sale under the signer's own idempotency key before the other checks. */
  const idempotencyKey: PreQuoteCheck<FreeInput> = {
    id: "IDEMPOTENCY_KEY",
    needs: requiredMembers,
    private: true,
    judge: ({ known }) => known,
  }
  return [...entry, ...(owner.kind === "SIGNER" ? [idempotencyKey] : []), ...lines]
}

/** Returns the handler of a product's eligibility route. */
export function eligibilityOf(deps: EligibilityDeps, product: AnyProductRow, checks: QuoteChecks) {
  const { owner, requiredMembers } = product
  const ordered = eligibilityChecks(product, checks)
  const isSigned = owner.kind === "SIGNER"
  return async ({ body, at }: Call<Partial<AnswerRequest>>): Promise<Reply> => {
    const missing = requiredMembers.filter((member) => !Object.hasOwn(body, member))
    // In a partial request, only checks whose members are present run.
    const request = body as AnswerRequest
    const input =
      missing.length === 0 ? await wholeInput(deps, product, checks, { request, at }) : partialInput(request, at)
    const judged = await judgeLines(ordered, input, missing)
    const lines = [completeness(missing), ...judged.map((line) => asLine(product, line))]
    // The payer is unknown, so the checks of a request that its payer owns are never all evaluated.
    const eligible = lines.every(({ state }) => (isSigned ? state === "PASSED" : state !== "FAILED"))
    const reusable = judged.find(({ refusal }) => refusal?.context.reusable)?.refusal?.context.reusable
    const answer: Response = {
      schema_version: "1.0.0",
      product: product.id,
      eligible,
      checks: lines,
      ...(reusable && { reusable_decision: reusableMembers(reusable) }),
      ...(input.review && { review: input.review }),
      required_information: missing.map((member) => `/${member}`),
      coverage: product.coverage(body, at),
      charged: false,
      quote_created: false,
      limitations: [
        "ELIGIBILITY_IS_NOT_A_DECISION",
        ...(isSigned ? [] : ["PAYER_NOT_KNOWN"]),
        "STATE_MAY_CHANGE_BEFORE_THE_QUOTE",
      ],
      valid_as_of: formatInstant(at),
      next_machine_action: missing.length > 0 ? "CORRECT_REQUEST" : nextAction(product, judged, eligible),
    }
    return { status: 200, body: answer, note: isSigned ? { eligible } : { product: product.id, eligible } }
  }
}

function partialInput(request: AnswerRequest, at: number): FreeInput {
  return {
    request,
    texts: null,
    agentKey: null,
    payer: null,
    paid: false,
    at,
    recordsForChecks: null,
    named: null,
    known: null,
    review: null,
  }
}

/** Reads the records of a signed request only if an active key of its agent signed it. */
async function wholeInput(
  { store, reviewOf }: EligibilityDeps,
  product: AnyProductRow,
  { proof }: QuoteChecks,
  { request, at }: Pick<FreeInput, "request" | "at">,
): Promise<FreeInput> {
  const { owner } = product
  const entry = { ...(await entryInput(store, product, request, at)), known: null, review: null }
  if (owner.kind === "PAYER") return { ...entry, ...(await readForPayer(store, product, request, at)) }
  if ((await firstRefusal(proof, entry)) !== null) return entry
  const keys = keysOfSigner(owner, request, entry.texts)
  const { records, sold, ...read } = await store.read(function* () {
    const read = yield* readForSale(product, keys, request, at)
    const { requestRecord } = read.records
    const isSold = requestRecord?.state === "DELIVERED" && requestRecord.bodyDigest === keys.bodyDigest
    return { ...read, sold: isSold ? yield* findAcquired(requestRecord.id) : null }
  })
  const body = { bodyDigest: keys.bodyDigest, rawBodyDigest: null }
  const review = sold && reviewOf(sold, at)
  return { ...entry, ...read, known: judgeKnownSale(owner, records, body), review }
}

function completeness(missing: readonly string[]): Line {
  const pointers = missing.map((member) => `/${member}`)
  return pointers.length === 0
    ? { check_id: "REQUEST_COMPLETE", state: "PASSED", code: null, pointers }
    : { check_id: "REQUEST_COMPLETE", state: "FAILED", code: "SCHEMA_INVALID", pointers }
}

function asLine(product: AnyProductRow, line: JudgedLine<string>): Line {
  return { check_id: line.checkId, state: line.state, code: codeOf(product, line), pointers: linePointers(line) }
}

/** Returns the code of the rejection that the paid route would give, or the first reason of its uncharged answer. */
function codeOf({ uncharged }: AnyProductRow, { refusal }: JudgedLine<string>): string | null {
  if (uncharged && refusal instanceof SourceFailure) return unchargedReason(uncharged, refusal).codes[0] ?? null
  return refusal?.code ?? null
}

/** Returns the next action for the first failed line, as the paid route would state it. */
function nextAction({ uncharged }: AnyProductRow, lines: readonly JudgedLine<string>[], eligible: boolean): string {
  const refusal = lines.find(({ state }) => state === "FAILED")?.refusal
  if (uncharged && refusal instanceof SourceFailure) return unchargedReason(uncharged, refusal).action
  if (refusal) return catalogue[refusal.code].next
  return eligible ? "REQUEST_QUOTE" : "CORRECT_REQUEST"
}
