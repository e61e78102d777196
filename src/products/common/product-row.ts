/**
 * The row of a product: everything that its sale needs, from the checks before a quote to the routes. What differs between products is a
 * named part here, so the code of this folder sells each of them in the same way.
 */
import type { ServiceError } from "../../base/errors.ts"
import type { Unit } from "../../store/engine/unit.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import type { CheckedShape, CheckInput, RecordsForChecks } from "./check-input.ts"
import type { Owner } from "./owner.ts"
import type { PreQuoteCheck } from "./pre-quote-check.ts"
import type { RequiredSourceState } from "./source-failure.ts"

export interface ProductRow<S extends CheckedShape> {
  readonly id: string
  readonly country: "GB" | "US"
  /** Top-level members that a complete request has, in the order of its schema. */
  readonly requiredMembers: readonly string[]
  readonly owner: Owner<S["request"]>
  /** They run before the service looks up whether the request was already bought (rulings 24). */
  readonly entryChecks: readonly PreQuoteCheck<CheckInput<S>>[]
  /** The checks of this product alone that run after the look-up, before a quote and before a payment is accepted. */
  readonly checksBeforeQuote: readonly PreQuoteCheck<CheckInput<S>>[]
  /**
   * Reads the service's own records for `checksBeforeQuote`. Absent if they read none. `ownRequestId`: id of this request in the database, whose
   * own holds are no conflict; null if it is not stored or not known.
   */
  readForChecks?(request: S["request"], at: number, ownRequestId: string | null): Unit<RecordsForChecks<S>>
  /** End of the authority behind the request, in milliseconds. A quote needs ten more minutes of it. Absent if no authority is needed. */
  authorityEnd?(input: CheckInput<S>): number
  /** Members of the request that `sources` reads. */
  readonly sourcesNeed: readonly string[]
  /**
   * Returns the state of the required sources at `at` (ms) for this request, or for any request if it is null. It makes no network call, so
   * that a quote costs the service none.
   */
  sources(request: S["request"] | null, at: number): readonly RequiredSourceState[]
  /**
   * Returns the failure of a source that is known not to answer any query now, although its state is good. Absent if no product's source is
   * queried live. A check before a quote judges the same.
   */
  unreachableSource?(at: number): Promise<ServiceError | null>
  /** The answer that replaces a quote when a required source fails (rulings 27). Null if the request is refused with 503 instead. */
  readonly uncharged: AnyBusinessAnswerProduct | null
  /** The coverage that the eligibility answer states for a request that may be incomplete. */
  coverage(request: Partial<S["request"]>, at: number): object
}

/** Any product. Its methods receive only what its own schemas have accepted. */
export type AnyProductRow = ProductRow<CheckedShape>
