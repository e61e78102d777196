/** Prints every policy of the nine paid products: the document that answers name, and the effect of each outcome of its rows. */
import type { GateOutcome } from "../../schemas/us/decision-response.ts"
import { PAYMENT_AUTHORIZATION_PRODUCT } from "../../schemas/us/payment-authorization.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { ANSWER_ROWS } from "../checks/policy/answer.ts"
import type { UnchargedReason } from "../checks/policy/answer-policy.ts"
import type { Policy } from "../checks/policy/policy.ts"
import { AUTHORIZATION_USED } from "../products/us/payment-authorization/policy.ts"
import { ANSWER, DECISION_COST } from "../products/us/payment-decision/core-response.ts"
import { PAYMENT_DECISION_POLICIES } from "../products/us/payment-decision/policy.ts"
import { ANSWER_RULES } from "./answer-rules.ts"

export interface PublishedPolicy {
  readonly product: string
  /** Decimal USDC. */
  readonly price: string
  /** The document that the checksum covers. */
  readonly document: Policy<unknown>
  /** True if it decides new answers. Older versions remain, because delivered answers name them. */
  readonly isInForce: boolean
  readonly outcomes: Readonly<Record<GateOutcome, { readonly decision: string; readonly machineAction: string }>>
  /** The effect of a failed source. Empty for the Payment Decision, which replies 503 instead. */
  readonly uncharged: readonly UnchargedReason[]
  /** What the service rejects without a charge while an earlier answer of the product is valid. Empty if a repetition is a new purchase. */
  readonly refusals: readonly CoveredRefusal[]
  /** Reason codes of such a rejection, each with its meaning. */
  readonly refusalReasons: readonly { readonly refusal: CoveredRefusal; readonly code: string; readonly why: string }[]
}

type CoveredRefusal = "REUSABLE_DECISION_EXISTS" | "OBLIGATION_ALREADY_AUTHORIZED"
const COVERED: readonly CoveredRefusal[] = ["REUSABLE_DECISION_EXISTS", "OBLIGATION_ALREADY_AUTHORIZED"]
/** Products whose valid answer is not sold twice (Interface, rule 8). */
const SOLD_ONCE: ReadonlySet<string> = new Set([PAYMENT_DECISION_PRODUCT, PAYMENT_AUTHORIZATION_PRODUCT])

const REFUSAL_REASONS: Readonly<Record<string, PublishedPolicy["refusalReasons"]>> = {
  [PAYMENT_AUTHORIZATION_PRODUCT]: [
    {
      refusal: "OBLIGATION_ALREADY_AUTHORIZED",
      code: AUTHORIZATION_USED,
      why: "The token of the earlier authorization was redeemed: the obligation was paid on it.",
    },
  ],
}

/** Versions of one policy, the version in force first. */
function versions<P extends Policy<unknown>>(
  policies: readonly P[],
  sold: Pick<PublishedPolicy, "product" | "price" | "outcomes">,
  unchargedOf: (policy: P) => readonly UnchargedReason[],
): PublishedPolicy[] {
  return policies
    .map((document, index) => ({
      ...sold,
      document,
      isInForce: index === policies.length - 1,
      uncharged: unchargedOf(document),
      refusals: SOLD_ONCE.has(sold.product) ? COVERED : [],
      refusalReasons: REFUSAL_REASONS[sold.product] ?? [],
    }))
    .reverse()
}

export const PUBLISHED_POLICIES: readonly PublishedPolicy[] = [
  ...versions(
    PAYMENT_DECISION_POLICIES,
    { product: PAYMENT_DECISION_PRODUCT, price: DECISION_COST.amount, outcomes: ANSWER },
    () => [],
  ),
  ...ANSWER_RULES.flatMap(({ id, price, policies }) =>
    versions(policies, { product: id, price, outcomes: ANSWER_ROWS }, ({ uncharged }) => uncharged),
  ),
]
