/**
 * A stored answer, decided again with today's screening: request, facts, time and policy are those of the answer, and only what the lists and the
 * judgements say is new. Pure. It is no answer: nothing of it is signed, stored or sold.
 */
import type { GbFacts } from "../../schemas/gb/supplier-facts.ts"
import type { ScreeningFact } from "../../schemas/screening-facts.ts"
import type { DecisionFacts } from "../../schemas/us/decision-facts.ts"
import type { WalletHits } from "../../schemas/us/invoice-facts.ts"
import type { UsFacts } from "../../schemas/us/operation-facts.ts"
import { type DecisionRequest, PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { findPolicy } from "../checks/policy/find-policy.ts"
import { instant } from "../core/time.ts"
import type { SourceState } from "../sources/boards/source-board.ts"
import { requestStaleAt, sourceFact } from "../sources/boards/source-fact.ts"
import type { NameIndex } from "../sources/screening/name-index.ts"
import { screen } from "../sources/screening/screen.ts"
import { screeningFact } from "../sources/screening/screening-fact.ts"
import { judgeOf, type SuppressionBook } from "../sources/screening/suppress.ts"
import type { AnswerRequest } from "./common/answer-rules.ts"
import { ANSWER_RULES } from "./products.ts"
import { type DecidedAnswer, screenedPartiesOf } from "./screened-parties.ts"
import { paymentDecisionRules } from "./us/payment-decision/replay-rules.ts"
import { type PaidTo, walletHits } from "./us/screening.ts"

/** The lists and the judgements now. */
interface ScreeningToday {
  readonly index: NameIndex
  /** Of the lists that the product requires. */
  readonly sources: readonly SourceState[]
  readonly suppressions: SuppressionBook
  /** Milliseconds. */
  readonly at: number
}

/** The core of the answer that these facts would give. */
export interface DecidedCore {
  readonly decision: string
  readonly machine_action: string
  readonly reason_codes: readonly string[]
}

/** Returns the facts with today's screening. */
export function screenAgain(answer: DecidedAnswer, { index, sources, suppressions, at }: ScreeningToday): object {
  const screenings = screenedPartiesOf(answer, index).map(({ query }) =>
    screeningFact(screen(index, query, judgeOf(suppressions, query, at)), query.threshold),
  )
  const { request, facts } = answer as { request: Partial<DecisionRequest>; facts: GbFacts & UsFacts }
  const { freshness_requirements: freshness } = request
  const maxAge = freshness?.max_age_seconds ?? Number.POSITIVE_INFINITY
  const listed = sources.flatMap((state) => sourceFact(state, requestStaleAt(state, maxAge) ?? instant(facts.at)) ?? [])
  return {
    ...facts,
    sources: listed,
    ...("screened_names" in facts ? namesAgain(facts, screenings) : supplierAgain(facts, screenings)),
    ...priorAgain(answer, screenings),
    ...walletsAgain(answer, index),
  }
}

function namesAgain({ screened_names: names }: GbFacts, screenings: readonly ScreeningFact[]) {
  return { screened_names: names.map((one, at) => ({ ...one, screening: screenings[at]! })) }
}

/** In the order of `supplierQueries`. */
function supplierAgain(
  { recorded_supplier: recorded }: Pick<UsFacts, "recorded_supplier">,
  [own, underRecorded, ...underNames]: readonly ScreeningFact[],
) {
  const others = recorded?.other_names
  return {
    screening: own!,
    ...(recorded && {
      recorded_supplier: {
        ...recorded,
        screening: underRecorded!,
        ...(others && { other_names: others.map((one, at) => ({ ...one, screening: underNames[at]! })) }),
      },
    }),
  }
}

/** A Payment Decision judges an earlier authorization by the screening of its own supplier. */
function priorAgain({ product, facts }: DecidedAnswer, [own]: readonly ScreeningFact[]) {
  if (product !== PAYMENT_DECISION_PRODUCT) return {}
  const { prior_authorization: prior } = facts as DecisionFacts
  return { prior_authorization: prior && { ...prior, screening: own! } }
}

function walletsAgain({ request, facts }: DecidedAnswer, index: NameIndex) {
  const { wallet_hits: then } = facts as { readonly wallet_hits?: WalletHits }
  return then && { wallet_hits: walletHits(index, request as PaidTo) }
}

/** By this policy version. Null if this program does not have it. */
export function decideBy(
  { product, request }: Pick<DecidedAnswer, "product" | "request">,
  facts: object,
  named: { readonly id: string; readonly version: string },
): DecidedCore | null {
  if (product === PAYMENT_DECISION_PRODUCT) {
    return paymentDecisionRules.decide(request as DecisionRequest, facts as DecisionFacts, named)
  }
  const rules = ANSWER_RULES.find(({ id }) => id === product)
  const policy = rules && findPolicy(rules, named)
  return policy ? rules.decide(request as AnswerRequest, facts as never, policy) : null
}
