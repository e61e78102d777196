/** The row of a business answer: what all such products have in common, around what one of them says of itself. */
import type { TObject } from "@sinclair/typebox"
import { ANSWER_FACTS_FORMAT, type AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { StatedEnvironment } from "../../../schemas/environment.ts"
import type { Machine } from "../../base/machine.ts"
import { reviewDutyOf } from "../../core/discovery/review-duty.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import type { Signer } from "../../core/signer.ts"
import { formatInstant, instant } from "../../core/time.ts"
import type { ListedEntries } from "../../sources/details/entry-book.ts"
import type { Unit } from "../../store/engine/unit.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import { type AnswerRequest, type AnyBusinessAnswer, policyInForce } from "./answer-rules.ts"
import type { AnyRecordsForChecks } from "./check-input.ts"
import { fixedOutcomeChecks, judgeFixedOutcome, judgeSellable } from "./fixed-outcome.ts"
import { headerCapsule } from "./header-capsule.ts"
import type { GatheredFor, ProductRow } from "./product-row.ts"
import { rememberAnswer } from "./remember-answer.ts"

export interface AnswerDeps {
  readonly machine: Machine
  readonly signer: () => Signer
  readonly baseUrl: () => string
  readonly environment: StatedEnvironment
  /** 32 bytes. A token is the HMAC of its execution id with this key. */
  readonly tokenKey: Uint8Array
  /** The details of listed entries, for the facts; absent if there are none. */
  readonly entries?: ListedEntries | null
}

export function answerRow(deps: AnswerDeps, product: AnyBusinessAnswerProduct): ProductRow<AnyBusinessAnswer> {
  const { id, country, path, description, price, coverage, fixedOutcome, sourcesNeed } = product
  function* readForChecks(request: AnswerRequest, at: number): Unit<AnyRecordsForChecks> {
    const recordsForChecks = product.inquire ? yield* product.inquire(request, at) : undefined
    return { recordsForChecks, named: fixedOutcome?.named ? yield* fixedOutcome.named(request) : null }
  }
  return {
    id,
    country,
    path,
    description,
    price,
    reviewDuty: reviewDutyOf(country),
    requiredMembers: (product.schemas.request as TObject).required ?? [],
    owner: { kind: "PAYER", ...(product.signer && { signer: product.signer }) },
    entryChecks: product.validations,
    checksBeforeQuote: [...product.checksBeforeQuote, ...fixedOutcomeChecks(product)],
    ...((product.inquire || fixedOutcome?.named) && { readForChecks }),
    sourcesNeed,
    sources: product.sources,
    ...(product.unreachableSource && { unreachableSource: product.unreachableSource }),
    uncharged: product,
    coverage: () => coverage,
    *reserve(request, { scope: payer, id: storedRequestId }, at, ifCovered) {
      const records = yield* product.reserve(request, { payer, storedRequestId }, at, ifCovered)
      if ("refused" in records) return records
      const refusal = judgeFixedOutcome(product, { request, records, at, ifCovered })
      if (refusal) return { refused: refusal.code, detail: refusal.detail, context: refusal.context, error: refusal }
      const delegationsUsed = product.delegationsUsed?.(records) ?? { delegationId: null, mandateDelegationId: null }
      return { records, delegationsUsed }
    },
    gather: (request, given, records) => product.gather(request, baseFacts(deps, id, given), records),
    decide: (request, facts) => product.decide(request, facts, policyInForce(product)),
    judgeSellable: ({ facts, ...decided }) => judgeSellable(product, { ...decided, at: instant(facts.at) }),
    capsule: headerCapsule(product, deps.tokenKey),
    attachment: ({ request, facts, core }, signer) => product.attachment?.({ request, facts, core, signer }) ?? null,
    remember: (stored, computed, final) => rememberAnswer(product, stored, computed, final),
    soldTo: ({ scope, requestJson }, factsJson) => ({
      payer: scope,
      party: product.about(JSON.parse(requestJson), JSON.parse(factsJson)),
    }),
  }
}

function baseFacts(
  { machine, baseUrl, environment }: AnswerDeps,
  product: string,
  { stored, signer, at }: GatheredFor,
): AnswerFacts {
  return {
    format: ANSWER_FACTS_FORMAT,
    product,
    at: formatInstant(at),
    request_id: formatId("req", machine.random(ID_RANDOM_BYTES)),
    stored_request_id: stored.id,
    execution_id: formatId("exe", machine.random(ID_RANDOM_BYTES)),
    delivery_id: formatId("dlv", machine.random(ID_RANDOM_BYTES)),
    base_url: baseUrl(),
    issuer: signer.issuer,
    environment,
    payer: stored.scope,
    sources: [],
  }
}
