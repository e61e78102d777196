import type { RefusalContext } from "../errors.ts"
import type { ErrorCode } from "../refusals.ts"
import type { CountedDelegations } from "../store/delegation-use.ts"
import type { ComputedDelivery } from "../store/deliveries.ts"
import type { NewRequest } from "../store/requests.ts"
import type { Unit } from "../store/unit.ts"
import type { IfCovered } from "./covered-sale.ts"
import type { SaleRecords } from "./sale-records.ts"

/** One product as the delivery path sees it: what it costs, and how its answer is computed, finished and remembered. */
export interface PaidProduct {
  readonly id: string
  readonly path: string
  readonly description: string
  readonly priceAtomic: bigint
  /** Decimal USDC, as the interface prints it. */
  readonly price: string
  readonly reviewDuty: "HUMAN_REVIEW_BEFORE_PAYMENT" | "REVIEW_QUOTE_BEFORE_PAYMENT"
  /**
   * Whose an idempotency key is (rulings 25): `SIGNER`, known from the signed request, which is also sold once over all rails; or `PAYER`,
   * known once the payment's signature is, so that nothing is said about a key before.
   */
  readonly owner: "SIGNER" | "PAYER"
  /** Path of the recovery route, null where a product is recovered by its paid header or its execution id. */
  readonly recoverPath: string | null
  /** What a request is about, as its hold names it; null for products whose late answers are not replaced. */
  subjectOf(request: StoredRequest): string | null
  /**
   * Holds the request's obligations and reads our own records, in the unit that reserves the attempt (rulings 44). `ifCovered`: what
   * becomes of a request whose obligation a valid authorization covers.
   */
  reserve(request: StoredRequest, at: number, ifCovered: IfCovered): Unit<Reserved | Refused>
  /** Gathers facts, decides, seals. Throws ServiceError SOURCE_* when a required source fails: then nothing is charged. */
  compute(request: StoredRequest, records: unknown, at: number): Promise<Computed>
  /** Builds the final body once the transfer is proved. */
  finish(computed: ComputedDelivery, settlement: SettlementFacts): FinalBody
  /** The stored answer as it leaves; `replayed`: this payment, or another of its payer, was answered before. */
  present(delivery: StoredAnswer, replayed: boolean): PresentedAnswer
  /** Turns holds into records, in the unit that settles. */
  remember(request: StoredRequest, computed: ComputedDelivery, final: FinalBody): Unit<void>
}

/** A request as it stands in the database: everything a product needs to go on after a restart. */
export interface StoredRequest {
  readonly id: string
  readonly product: string
  /** As the sale's: of the eight products the payer's address in lower case. */
  readonly scope: string
  readonly idempotencyKey: string
  readonly requestDigest: string
  readonly requestJson: string
  readonly organizationId: string | null
  readonly agentId: string | null
  readonly keyId: string | null
}

/** What our own records said inside the reserving unit; opaque to the delivery path. */
export interface Reserved {
  readonly records: unknown
  /** The delegations that the unit judged the request by and whose limits it therefore counts against. */
  readonly counted: CountedDelegations
}

/** A refusal found inside a unit, where nothing may throw. */
export interface Refused {
  readonly refused: ErrorCode
  readonly detail: string
  readonly context?: RefusalContext
}

export type Computed = Omit<ComputedDelivery, "requestId" | "attemptId"> & { readonly snapshotIds: readonly string[] }

/** What is stored of a delivered answer and goes out again. */
export interface StoredAnswer {
  readonly body: string
  readonly capsuleJson: string
}

export interface PresentedAnswer {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface SettlementFacts {
  /** CAIP-2 id of the chain. */
  readonly network: string

  readonly chainId: number
  readonly transaction: string
}

export interface FinalBody {
  /** C14N text of the response: stored, sent, never re-serialised. */
  readonly body: string
  readonly responseDigest: string
  /** For the request log. */
  readonly decision: string
  /** Hash of the token that goes out with the answer, made before the unit that keeps it; null where there is none. */
  readonly tokenHash: string | null
}

/** One request to be sold, as its route hands it over. */
export interface Sale {
  readonly product: PaidProduct
  /** Who owns the idempotency key: for the Payment Decision organization and agent; else the payer, "" while nobody offers to pay. */
  readonly scope: string
  readonly key: string
  readonly requestDigest: string
  /** digest(C14N(whole parsed body)). */
  readonly bodyDigest: string
  /** Of the bytes as they arrived, where the product compares them under one key (UK); else null. */
  readonly rawBodyDigest: string | null
  readonly requestJson: string
  readonly organizationId: string | null
  readonly agentId: string | null
  readonly keyId: string | null
  readonly amountMillionths: bigint | null
  /** As `product.subjectOf` of the stored request: a decision that arrived too late is replaced for the same subject. */
  readonly subject: string | null
  /** The wallet the signed request names, or null where any may pay. */
  readonly expectedPayer: string | null
  readonly records: SaleRecords
  /** The rest of the pre-quote list. Throws ServiceError. `at` in milliseconds. */
  check(step: SaleStep, at: number): Promise<void>
}

/**
 * Why the pre-quote checks run. `QUOTE`: an unpaid call, judged on the view that `records` are from. `REQUOTE`: a new quote for a call that
 * presented a quote of this service; the time of that quote replaces `evaluated_at` (rulings 24). `PAYMENT`: a payment that may be taken. The
 * time of its quote counts too, and the records are read again, because they may have changed during a call to a node. Only `reserve` then
 * checks whether a valid authorization covers the obligation: it knows whether the money has moved.
 */
export type SaleStep = "QUOTE" | "REQUOTE" | "PAYMENT"

/** The row a sale is claimed with. `at` is RFC 3339. */
export function newRequest(sale: Sale, id: string, at: string): NewRequest {
  const { product, scope, requestDigest, bodyDigest, rawBodyDigest, requestJson } = sale
  const { organizationId, agentId, keyId, amountMillionths } = sale
  return {
    id,
    product: product.id,
    scope,
    idempotencyKey: sale.key,
    requestDigest,
    bodyDigest,
    rawBodyDigest,
    requestJson,
    organizationId,
    agentId,
    keyId,
    amountMillionths: amountMillionths === null ? null : String(amountMillionths),
    createdAt: at,
  }
}
