/**
 * The row of a product: everything that its sale needs, from the checks before a quote to the routes. What differs between products is a
 * named part here, so the code of this folder sells each of them in the same way.
 */
import type { ServiceError } from "../../base/errors.ts"
import type { Signer } from "../../core/signer.ts"
import type { IfCovered } from "../../delivery/covered-sale.ts"
import type { PaidProduct, Refused, Reserved, StoredRequest } from "../../delivery/sale.ts"
import type { Unit } from "../../store/engine/unit.ts"
import type { ComputedDelivery } from "../../store/sales/deliveries.ts"
import type { AnyBusinessAnswerProduct, Attachment } from "./answer-product.ts"
import type { CheckedShape, CheckInput, RecordsForChecks } from "./check-input.ts"
import type { Owner } from "./owner.ts"
import type { PreQuoteCheck } from "./pre-quote-check.ts"
import type { RequiredSources } from "./source-failure.ts"
import type { FactsWithHits } from "./stored-entries.ts"

/** The types of one product, under one name. */
export interface ProductShape extends CheckedShape {
  readonly facts: FactsWithHits & {
    /** Time of the decision, RFC 3339. */
    readonly at: string
  }
  /** The service's own records as the reserving transaction read them. */
  readonly records: object
  /** The response without the members that only the settlement makes known. */
  readonly core: { readonly valid_until: string }
}

export interface ProductRow<S extends ProductShape>
  extends Pick<PaidProduct, "id" | "path" | "description" | "price" | "reviewDuty" | "remember" | "soldTo">,
    RequiredSources<S["request"]> {
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
  /** Runs after all others. It has no line in the eligibility answer. */
  readonly lastCheck?: PreQuoteCheck<CheckInput<S>>
  /** The answer that replaces a quote when a required source fails (rulings 27). Null if the request is refused with 503 instead. */
  readonly uncharged: AnyBusinessAnswerProduct | null
  /** The coverage that the eligibility answer states for a request that may be incomplete. */
  coverage(request: Partial<S["request"]>, at: number): object
  /**
   * Reads the service's own records and takes holds, in the transaction that reserves the payment. Another request's live hold is a
   * rejection. `ifCovered`: what to do if a valid answer to this owner already covers the obligation.
   */
  reserve(
    request: S["request"],
    stored: StoredRequest,
    at: number,
    ifCovered: IfCovered,
  ): Unit<(Reserved & { readonly records: S["records"] }) | Refused>
  /**
   * Gathers the facts that `decide` needs in addition to the request. Throws ServiceError if a required source fails; then nothing is
   * charged.
   */
  gather(request: S["request"], given: GatheredFor, records: S["records"]): Promise<S["facts"]> | S["facts"]
  /** Decides by the policy in force. Pure and total. */
  decide(request: S["request"], facts: S["facts"]): S["core"]
  /** Returns the refusal of a decision that is never sold, before anything is sent to the chain. */
  judgeSellable(decided: Decided<S>): ServiceError | null
  readonly capsule: CapsuleForm<S>
  /** A signed document with its own id that is delivered together with the answer. */
  attachment?(decided: Decided<S>, signer: Signer): Attachment | null
}

/** Where the signed capsule of an answer is: inside the answer, or beside it in a header (rulings 14, 16). */
export interface CapsuleForm<S extends ProductShape> extends Pick<PaidProduct, "finish" | "present"> {
  /** Signs the decision before the settlement. */
  seal(decided: Decided<S>, signer: Signer): { readonly capsule_digest: string }
  idsOf(facts: S["facts"]): Pick<ComputedDelivery, "answerId" | "deliveryReference">
}

/** For whom and when facts are gathered. `at` in milliseconds. */
export interface GatheredFor {
  readonly stored: StoredRequest
  readonly signer: Signer
  readonly at: number
}

/** What the reserving transaction passes to the decision. */
export interface ReservedBy<S extends ProductShape> {
  readonly records: S["records"]
  readonly ifCovered: IfCovered
}

interface Decided<S extends ProductShape> extends ReservedBy<S> {
  readonly request: S["request"]
  readonly requestDigest: string
  readonly facts: S["facts"]
  readonly core: S["core"]
}

/** Any product. Its methods receive only what its own schemas have accepted. */
export type AnyProductRow = ProductRow<ProductShape>
