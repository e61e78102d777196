/**
 * The response of the answer products (Interface, "UK response"; for the US products `coverage` follows
 * rulings 13). A 200 is not permission: `decision`, `authorization` and `machine_action` decide.
 */
import { type Static, type TSchema, Type } from "@sinclair/typebox"
import { closed, DateTime, digestOver, enumeration, SourceState } from "./common.ts"
import { Observation } from "./observation.ts"

export const AnswerDecision = enumeration("APPROVE", "CONDITIONAL", "REVIEW", "BLOCK", "RETRY", "NO_DECISION")
export type AnswerDecision = Static<typeof AnswerDecision>

/** Also the outcome of a single gate. */
export const AnswerAuthorization = enumeration("ALLOW", "ALLOW_WITH_CONDITIONS", "HOLD", "DENY")
export type AnswerAuthorization = Static<typeof AnswerAuthorization>

export const AnswerAction = enumeration(
  "CONTINUE",
  "CONTINUE_WITH_DECLARED_CONDITIONS",
  "HOLD_FOR_HUMAN_REVIEW",
  "STOP",
  "RETRY_LATER_WITHOUT_PAYMENT",
  "STOP_AND_SEEK_ALTERNATIVE",
)
export type AnswerAction = Static<typeof AnswerAction>

export const GbCoverage = closed({
  country: Type.Literal("GB"),
  jurisdiction: Type.Literal("UNITED_KINGDOM"),
  population: Type.Literal("COMPANIES_HOUSE_REGISTERED_ENTITIES"),
  supported: Type.Boolean(),
  limitations: Type.Array(Type.String()),
})
export type GbCoverage = Static<typeof GbCoverage>

export const UsAnswerCoverage = closed({
  country: Type.Literal("US"),
  jurisdiction: Type.Literal("US"),
  scope: Type.Literal("FEDERAL_ONLY"),
  state_coverage: Type.Literal("NONE_PHASE_1"),
  state_good_standing: Type.Literal("NOT_ASSERTED"),
  population: Type.Literal("FEDERAL_IDENTIFIER_HOLDERS"),
  supported: Type.Boolean(),
  limitations: Type.Array(Type.String()),
})
export type UsAnswerCoverage = Static<typeof UsAnswerCoverage>

/** Id, version and digest of the policy that decided the answer. */
export const AnswerPolicy = closed({
  id: Type.String(),
  version: Type.String(),
  checksum: digestOver("C14N of the policy without its checksum"),
})
export type AnswerPolicy = Static<typeof AnswerPolicy>

const Words = Type.Array(Type.String())
const Id = (prefix: string) => Type.String({ pattern: `^${prefix}_[A-Za-z0-9_-]{22}$` })
/** Empty if nothing was delivered (rulings 27). */
const IdOrNone = (prefix: string) => Type.String({ pattern: `^(${prefix}_[A-Za-z0-9_-]{22})?$` })

export const EconomicActivity = closed({
  charged: Type.Boolean(),
  quote_created: Type.Boolean(),
  settlement_created: Type.Boolean(),
})

export const AnswerPayment = closed({
  protocol: Type.Literal("x402"),
  payment_status: enumeration("SETTLED", "NOT_CHARGED"),
  charged_price_usd: Type.Number({ minimum: 0 }),
  network: Type.String(),
  asset: Type.Literal("USDC"),
  persistence_status: enumeration("PERSISTED", "NOT_PERSISTED"),
})

/** Members of an answer of one product. */
function answerMembers<P extends string, C extends TSchema, R extends TSchema>(product: P, coverage: C, result: R) {
  return {
    schema_version: Type.Literal("1.0.0"),
    product_or_solution: Type.Literal(product),
    request_id: Id("req"),
    execution_id: IdOrNone("exe"),
    delivery_id: IdOrNone("dlv"),
    replayed: Type.Boolean(),
    decision: AnswerDecision,
    authorization: AnswerAuthorization,
    machine_action: AnswerAction,
    policy: AnswerPolicy,
    reason_codes: Words,
    conditions: Words,
    required_information: Words,
    limitations: Words,
    coverage,
    source_health: Type.Record(Type.String(), SourceState),
    evidence: Type.Array(Observation),
    valid_as_of: DateTime,
    valid_until: DateTime,
    economic_activity: EconomicActivity,
    payment: AnswerPayment,
    result,
  }
}

export function businessAnswer<P extends string, C extends TSchema, R extends TSchema>(
  product: P,
  coverage: C,
  result: R,
) {
  return closed(answerMembers(product, coverage, result))
}

const AnyAnswer = closed(answerMembers<string, TSchema, TSchema>("", Type.Unknown(), Type.Unknown()))
type AnyAnswer = Static<typeof AnyAnswer>

/** The answer of any product, for code that treats all products alike. Each product's own schema is closed and exact. */
export type BusinessAnswer<Result extends object = object> = Omit<AnyAnswer, "coverage" | "result"> & {
  readonly coverage: GbCoverage | UsAnswerCoverage
  readonly result: Result
}

/** The decided and signed part: no payment, not replayed, no token (rulings 14). */
export type AnswerCore<Result extends object = object> = Omit<BusinessAnswer<Result>, "economic_activity" | "payment">
