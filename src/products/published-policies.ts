/** Prints every policy of the paid products: the document that answers name, and the effect of each outcome of its rows. */
import type { GateOutcome } from "../../schemas/us/decision-response.ts"
import type { UnchargedReason } from "../checks/policy/answer-policy.ts"
import type { Policy } from "../checks/policy/policy.ts"
import type { CoveredRefusal, RefusalReason } from "./common/listed-product.ts"
import { PRODUCTS, type Product } from "./products.ts"

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
  readonly refusalReasons: readonly RefusalReason[]
}

/** Versions of the policy of one product, the version in force first. */
function versions<P extends Policy<unknown>>(
  { id, paid, outcomes, refusals, refusalReasons }: Product,
  policies: readonly P[],
  unchargedOf: (policy: P) => readonly UnchargedReason[],
): PublishedPolicy[] {
  return policies
    .map((document, index) => ({
      product: id,
      price: paid.price.amount,
      outcomes,
      document,
      isInForce: index === policies.length - 1,
      uncharged: unchargedOf(document),
      refusals,
      refusalReasons,
    }))
    .reverse()
}

export const PUBLISHED_POLICIES: readonly PublishedPolicy[] = PRODUCTS.flatMap((product) =>
  product.answer
    ? versions(product, product.answer.policies, ({ uncharged }) => uncharged)
    : versions(product, product.policies, () => []),
)
