import { type RefusalContext, ServiceError } from "../base/errors.ts"
import type { ErrorCode } from "../base/refusals.ts"
import type { DelegationsUsed } from "../store/buyers/delegation-use.ts"
import type { Unit } from "../store/engine/unit.ts"
import type { ComputedDelivery } from "../store/sales/deliveries.ts"
import type { NamedParty } from "../store/sales/party-keys.ts"
import type { NewRequest, RequestRecord } from "../store/sales/requests.ts"
import type { IfCovered } from "./covered-sale.ts"

/** The state of a source that every answer of a product requires. */
export interface RequiredSource {
  readonly sourceId: string
  readonly health: "HEALTHY" | "STALE" | "SCHEMA_BREAK" | "UNAVAILABLE" | "DISABLED"
  readonly reasonCodes: readonly string[]
  /** Time when the source becomes too old, in milliseconds. Null if there is no such time now. */
  readonly staleAt: number | null
}

export interface SourcesJudged {
  readonly sources: readonly RequiredSource[]
  /** Why no request could be quoted now because of them; null if they serve. */
  readonly refusal: ServiceError | null
}

/** A product as the delivery path uses it: its price, and how to compute, finish and record its answer. */
export interface PaidProduct {
  readonly id: string
  readonly path: string
  readonly description: string
  readonly priceAtomic: bigint
  /** Decimal USDC, as in the interface. */
  readonly price: string
  readonly reviewDuty: "HUMAN_REVIEW_BEFORE_PAYMENT" | "REVIEW_QUOTE_BEFORE_PAYMENT"
  /**
   * Who owns an idempotency key (rulings 25). `SIGNER`: the signed request names the owner, and the request is sold once over all rails.
   * `PAYER`: the payment's signature proves the owner, so nothing about a key is disclosed before that.
   */
  readonly owner: "SIGNER" | "PAYER"
  /** Path of the recovery route. Null when the paid header or the execution id recovers the product. */
  readonly recoverPath: string | null
  /** The subject of a request, as its hold names it. Null for products without replacement of late answers. */
  subjectOf(request: StoredRequest): string | null
  /**
   * Takes holds for the request's obligations and reads the service's own records, in the unit that reserves the attempt (rulings 44). `at`
   * in milliseconds. `ifCovered`: what to do when a valid authorization covers the obligation.
   */
  reserve(request: StoredRequest, at: number, ifCovered: IfCovered): Unit<Reserved | Refused>
  /**
   * Gathers facts, decides and seals. `at` in milliseconds. Throws ServiceError SOURCE_* when a required source fails; then nothing is
   * charged.
   */
  compute(request: StoredRequest, records: unknown, at: number): Promise<Computed>
  /** Builds the final body after the transfer is proved. */
  finish(computed: ComputedDelivery, settlement: SettlementFacts): FinalBody
  /** The stored answer as sent. `replayed`: this payment, or another of its payer, got the answer before. */
  present(delivery: StoredAnswer, replayed: boolean): PresentedReply
  /** Judges the required sources with the checks that precede a quote, without the part that only one request has. */
  judgeSources(at: number): Promise<SourcesJudged>
  /** Turns holds into records, in the unit that settles. Returns the same as {@link soldTo}. */
  remember(request: StoredRequest, computed: ComputedDelivery, final: FinalBody): Unit<SoldTo>
  /** Who paid for an answer, and whom it is about. Also for answers of earlier releases. */
  soldTo(request: Pick<StoredRequest, "scope" | "requestJson">, factsJson: string): SoldTo
}

/** What a delivered answer is found by. */
export interface SoldTo {
  /** The wallet in lower case. */
  readonly payer: string
  readonly party: NamedParty
}

/** A request as stored: everything a product needs to continue after a restart. */
export interface StoredRequest {
  readonly id: string
  readonly product: string
  /** Same as {@link Sale.scope}; for a `PAYER` product the payer's address in lower case. */
  readonly scope: string
  readonly idempotencyKey: string
  readonly requestDigest: string
  readonly requestJson: string
  readonly organizationId: string | null
  readonly agentId: string | null
  readonly keyId: string | null
}

/** The service's own records as read in the reserving unit. The delivery path does not look inside `records`. */
export interface Reserved {
  readonly records: unknown
  /** The delegations that the unit applied. The request counts against their limits. */
  readonly delegationsUsed: DelegationsUsed
}

/** A refusal inside a unit, which must return and not throw. */
export interface Refused {
  readonly refused: ErrorCode
  readonly detail: string
  readonly context?: RefusalContext
  /** The error to throw, if it says more than the code. */
  readonly error?: ServiceError
}

/** The error of a refusal, to throw after the unit. */
export function errorOfRefused({ refused, detail, context, error }: Refused): ServiceError {
  return error ?? new ServiceError(refused, detail, context)
}

export type Computed = Omit<ComputedDelivery, "requestId" | "purchaseId"> & { readonly snapshotIds: readonly string[] }

/** The stored part of a delivered answer. */
export interface StoredAnswer {
  readonly body: string
  /** Empty if the body contains it. */
  readonly capsuleJson: string
}

export interface PresentedReply {
  readonly body: string
  readonly headers: Readonly<Record<string, string>>
}

export interface SettlementFacts {
  /** CAIP-2 id of the chain. */
  readonly network: string
  /** What paid: `eip155:<chain>/tx/<hash>` over x402. */
  readonly reference: string
}

export interface FinalBody {
  /** C14N text of the response: stored and sent as is, never serialised again. */
  readonly body: string
  readonly responseDigest: string
  /** For the request log. */
  readonly decision: string
  /** Hash of the token that the answer carries, made before the unit that stores it. Null without a token. */
  readonly tokenHash: string | null
}

/** What the database holds about a sale before any decision. */
export interface SaleRecords {
  readonly requestRecord: RequestRecord | null
  /** Id of the request that acquired this signed request, over any payment rail. */
  readonly soldTo: string | null
  /** Id of the request whose late decision may be replaced now for this owner and subject. */
  readonly late: string | null
}

/** One request to sell, as its route passes it. */
export interface Sale {
  readonly product: PaidProduct
  /**
   * Owner of the idempotency key. Payment Decision: organization and agent. Other products: the payer, or "" before a payment is presented.
   */
  readonly scope: string
  readonly key: string
  readonly requestDigest: string
  /** digest(C14N(whole parsed body)). */
  readonly bodyDigest: string
  /** Digest of the bytes as received, for products that compare them under one key (UK); else null. */
  readonly rawBodyDigest: string | null
  readonly requestJson: string
  readonly organizationId: string | null
  readonly agentId: string | null
  readonly keyId: string | null
  readonly amountMillionths: bigint | null
  /** As `product.subjectOf` of the stored request. A late decision is replaced for the same subject. */
  readonly subject: string | null
  /** The wallet that the signed request names; null when any wallet may pay. */
  readonly expectedPayer: string | null
  readonly records: SaleRecords
  /** Runs the rest of the pre-quote list. Throws ServiceError. `at` in milliseconds. */
  requireChecksPass(step: SaleStep, at: number): Promise<void>
}

/**
 * Why the pre-quote list runs. `QUOTE`: an unpaid call, judged on the view that `records` came from. `REQUOTE`: a new quote for a call that
 * presented a quote of this service; the time of that quote counts in place of `evaluated_at` (rulings 24). `PAYMENT`: a payment that the
 * service may accept; the time of its quote counts, and the records are read again because they may have changed during the node query. For
 * `PAYMENT` only `reserve` checks whether a valid authorization covers the obligation, because it knows whether money has moved.
 */
export type SaleStep = "QUOTE" | "REQUOTE" | "PAYMENT"

/** The row that claims a sale. `at` is RFC 3339. */
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
