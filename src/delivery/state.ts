/**
 * What the paid path knows of one call, and what it does next. `next-step.ts` decides by a state; `run.ts` does what the verdict says and
 * fills in the next state. A member that is optional is not known yet: it is found out only when a decision needs it.
 */
import type { PaymentRequirements, SettleResponse } from "../../schemas/x402.ts"
import type { ServiceError } from "../base/errors.ts"
import type { Authorization } from "../payments/authorization.ts"
import type { Balance } from "../payments/funds.ts"
import type { Undecided } from "../payments/observe.ts"
import type { PresentedPayment } from "../payments/payment-header.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import type { Rail } from "../store/sales/purchases.ts"
import type { RequestRecord } from "../store/sales/requests.ts"
import type { PaidProduct, SaleStep, StoredAnswer, StoredRequest } from "./sale.ts"

export type State = Arrived | Taking | Following | Unpaid | NotTaken

/** A call, and what the database holds about its request. */
export interface Arrived {
  readonly phase: "ARRIVED"
  readonly product: SoldProduct
  readonly header: ReadHeader
  readonly key: KeyUse
  /** As in `SaleRecords`. */
  readonly soldTo: string | null
  readonly late: string | null
  /** False when payments are off. */
  readonly sells: boolean
  /** The attempt that this very payment made for the request under the key; null without one. */
  readonly payload?: Attempt | null
  readonly checked?: Checked
  readonly replacement?: Replacement
}

export type SoldProduct = Pick<PaidProduct, "owner" | "recoverPath">

/** `REFUSED`: the header cannot be read, or it holds a secret. `isVersion1`: a payment of x402 version 1 alone, which is not read. */
export type ReadHeader =
  | { readonly kind: "NONE"; readonly isVersion1: boolean }
  | { readonly kind: "REFUSED"; readonly error: ServiceError }
  | { readonly kind: "READABLE"; readonly payment: PresentedPayment }

/** What the idempotency key of the call is used for. */
export type KeyUse =
  | { readonly kind: "FREE" }
  | { readonly kind: "SAME_BODY"; readonly record: RequestRecord }
  | { readonly kind: "OTHER_BODY"; readonly record: RequestRecord }

/** The checks that precede a quote or a reservation. `notReady`: why the service may not sell now. */
export interface Checked {
  readonly refusal: ServiceError | null
  readonly notReady: ServiceError | null
}

/** What became of the free decision in place of a late one. `USED_UP`: another call was faster. */
export type Replacement =
  | { readonly kind: "DELIVERED"; readonly answer: PaidAnswer }
  | { readonly kind: "REFUSED"; readonly error: ServiceError }
  | { readonly kind: "USED_UP" }

export interface PaidAnswer extends StoredAnswer {
  /** Value of the header `payment-response`; null over a rail without it, and for a free answer. */
  readonly paymentResponse: string | null
}

/** A payment whose outcome is not known by its header alone. */
export interface Taking {
  readonly phase: "TAKING"
  readonly product: SoldProduct
  readonly payment: PresentedPayment
  /** The released attempt of this very payment and request; null without one. */
  readonly released: Attempt | null
  readonly key: KeyUse
  readonly examined: Examined
  readonly presented?: Presented
  readonly verification?: Verification
  /** See {@link Verdict} `MAY_HAVE_PAID`. */
  readonly mayHavePaid?: boolean
  readonly checked?: Checked
  /** Null before delivery. */
  readonly execution?: string | null
  readonly answer?: FoundAnswer | null
  /** The used payment is stored beside the purchase that has its request. */
  readonly isKept?: true
  readonly reservation?: Reservation
  readonly outcome?: Outcome
}

/** A payment that passed every check without a node. */
export interface Offered {
  readonly authorization: Authorization
  readonly terms: PaymentRequirements
  readonly quoteId: string
}

/** For which body the payment was quoted. `HELD_BODY`: not for this one, but for the other body under the key. `reason`: a name of x402. */
export type Examined =
  | { readonly fits: "THIS_BODY"; readonly offered: Offered }
  | { readonly fits: "HELD_BODY"; readonly offered: Offered; readonly reason: string }
  | { readonly fits: "NONE"; readonly reason: string }

/** `known`: the attempt of the presented authorization, of any request. `current`: the record of the key, if it has the same body. */
export interface Presented {
  readonly known: Attempt | null
  readonly current: RequestRecord | null
}

export interface Verified {
  readonly payerHasCode: boolean
  readonly payerCodeHash: string | null
  /** The chain shows the authorization as used or cancelled: it may have paid already. */
  readonly alreadyUsed: boolean
  /** A block at which the chain shows that; null when it is unused. */
  readonly usedBlock: number | null
  /** The payer's; null when the authorization was already used. */
  readonly balance: Balance | null
}

/** `isOutsideWindow`: by the chain's clock. `UNAVAILABLE`: a node did not answer. */
export type Verification =
  | { readonly kind: "VERIFIED"; readonly verified: Verified }
  | (Rejection & { readonly isOutsideWindow: boolean })
  | { readonly kind: "UNAVAILABLE" }

/** A delivered answer, and who paid for it over x402; null if nobody did. */
export interface FoundAnswer extends PaidAnswer {
  readonly payer: string | null
}

export type Reservation =
  | { readonly kind: "reserved"; readonly work: ReservedWork }
  /**
   * Another purchase has the request, or it is delivered. Its attempt when that has the same payload; null when the presented authorization was
   * not used.
   */
  | { readonly kind: "taken"; readonly rail: Rail; readonly attemptId: string | null }
  /**
   * `wasPresented`: the request has an attempt of the authorization. So it has one of every used authorization that is refused for the moment.
   */
  | { readonly kind: "refused"; readonly error: ServiceError; readonly wasPresented: boolean }
  /** The payer's other unsettled payments need the balance. `reason`: a name of x402. */
  | { readonly kind: "overdrawn"; readonly reason: string }

export interface ReservedWork {
  readonly request: StoredRequest
  readonly attempt: Attempt
  /** The service's own records, as read in the reserving unit. */
  readonly records: unknown
}

export type Outcome =
  | { readonly kind: "delivered"; readonly answer: PaidAnswer }
  /** Whether the buyer paid is not known yet; the reconciler continues. */
  | {
      readonly kind: "pending"
      readonly transaction: string
      readonly authorization?: Undecided | null
      /** See `settleAgain`. */
      readonly sendable?: boolean
    }
  /** The chain proved that nothing was paid. */
  | { readonly kind: "failed"; readonly reason: string }
  /** Nothing was sent; the reason lies with this service. */
  | { readonly kind: "released"; readonly error: ServiceError }
  /** Nothing was sent; the reason lies with the payer. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Another process holds the attempt; read the database. */
  | { readonly kind: "elsewhere" }

/**
 * Release reason when the chain shows the authorization as used, perhaps by a transfer to this service. No response may then say that
 * nothing was charged. The watch finds out, and then the answer is owed.
 */
export const GIVEN_UP_THOUGH_USED = "authorization_already_used"

/** An attempt of another call, or of another process, whose outcome is the answer. */
export interface Following {
  readonly phase: "FOLLOWING"
  /** Null when the database cannot be read: the outcome is then unknown and not "uncharged", because money may have moved. */
  readonly attempt: Attempt | null
  /** Monotonic time until which the call waits, in milliseconds. */
  readonly until: number
  readonly isTimeUp: boolean
  readonly answer?: FoundAnswer | null
  readonly mayHavePaid?: boolean
  readonly checked?: Checked
  /** Why a released attempt is refused. It was judged before `attempt` was read again. */
  readonly refused?: ServiceError
}

/** An attempt that ended unpaid. */
export interface Unpaid {
  readonly phase: "UNPAID"
  readonly payer: string
  readonly reason: string
  readonly failed: SettleResponse
  readonly mayHavePaid: boolean
  /** The attempt was followed. Then a database that cannot be read makes its outcome unknown, as in {@link Following}. */
  readonly isFollowed: boolean
  readonly checked?: Checked
}

/** A payment that is rejected for a reason that x402 names. */
interface Rejection {
  readonly kind: "REJECTED"
  readonly reason: string
  /** Time of the block that judged the payment's window, in seconds; absent if none did. */
  readonly headSeconds?: number | undefined
}

/** A rejected payment, or a refusal of the request while a payment was considered. */
export type WhyNot = Rejection | { readonly kind: "REFUSED"; readonly error: ServiceError }

/** A payment that is not taken, unless an equal call has reserved it meanwhile. */
export interface NotTaken {
  readonly phase: "NOT_TAKEN"
  readonly product: SoldProduct
  readonly payment: PresentedPayment
  readonly why: WhyNot
  /** The chain showed this call the authorization as unused. */
  readonly isJudged: boolean
  /** The attempt of this same payment and body, made by any call or process. */
  readonly equal: Attempt | null
  /** Whether `equal`, which is released, may have moved money all the same. */
  readonly mayHavePaid?: boolean
  /** The authorization, if it pays this service and its payer signed it; null for any other. */
  readonly proved?: Authorization | null
  /** What the key of the proved payer is used for. `FREE` also for an authorization that was presented before: others may have seen it. */
  readonly used?: KeyUse
  /** Whether the chain shows the authorization as used or cancelled: then anyone can copy it. */
  readonly onChain?: boolean | "UNAVAILABLE"
  readonly answer?: FoundAnswer | null
  readonly execution?: string | null
  /** What the key of a signed request is used for now. */
  readonly current?: KeyUse
  readonly checked?: Checked
}

export type Verdict = End | Question

/** How a call ends. `failed`: a settlement that the chain proved failed. `headSeconds`: as in {@link Rejection}. */
export type End =
  | {
      readonly do: "QUOTE"
      readonly error?: string
      readonly headSeconds?: number | undefined
      readonly failed?: SettleResponse
    }
  | { readonly do: "REFUSE"; readonly error: ServiceError; readonly failed?: SettleResponse }
  /** `payer`: absent while the payment is not this call's. */
  | { readonly do: "PENDING"; readonly rail: "x402"; readonly transaction: string; readonly payer?: string }
  | { readonly do: "PENDING"; readonly rail: "acp" }
  | { readonly do: "DELIVER"; readonly answer: PaidAnswer; readonly replayed: boolean }

/** What is found out or done before the next decision. Each gives one member of the state, or the first state of a phase. */
export type Question =
  /** `time`: by which the checks judge. */
  | { readonly do: "CHECK"; readonly step: SaleStep; readonly time: "ARRIVAL" | "NOW" }
  | { readonly do: "REPLACE"; readonly late: string }
  /** Also counts the call against its limit. */
  | { readonly do: "FIND_PAYLOAD"; readonly requestId: string | null; readonly payment: PresentedPayment }
  /** Begins {@link Taking}. */
  | { readonly do: "EXAMINE"; readonly of: Pick<Taking, "product" | "payment" | "released" | "key"> }
  | { readonly do: "FIND_PRESENTED"; readonly offered: Offered }
  | { readonly do: "VERIFY"; readonly offered: Offered }
  /** Whether an attempt that ended unpaid may have moved money all the same. */
  | { readonly do: "MAY_HAVE_PAID"; readonly attempt: Attempt; readonly reason: string }
  /** Gives another verification if the authorization was used since. */
  | { readonly do: "RESERVE"; readonly presented: ToReserve }
  /** Stores a used payment for a request that another purchase has. */
  | { readonly do: "KEEP_USED"; readonly requestId: string; readonly presented: ToReserve }
  | { readonly do: "SETTLE"; readonly work: ReservedWork; readonly presented: ToReserve }
  /** Begins {@link Following}: reads the attempt. `refused`: see there. */
  | { readonly do: "FOLLOW"; readonly attemptId: string; readonly refused?: ServiceError }
  /** As `FOLLOW`, after a pause. */
  | { readonly do: "WAIT"; readonly attemptId: string }
  /** Begins {@link Unpaid}, by `MAY_HAVE_PAID`. */
  | { readonly do: "PROVE_UNPAID"; readonly attempt: Attempt; readonly reason: string; readonly isFollowed: boolean }
  /** Begins {@link NotTaken}. */
  | { readonly do: "FIND_EQUAL"; readonly of: Pick<NotTaken, "product" | "payment" | "why" | "isJudged"> }
  /** Also counts the rejected payment against its client. */
  | { readonly do: "PROVE_PAYER"; readonly payment: PresentedPayment }
  | { readonly do: "FIND_USED_KEY"; readonly authorization: Authorization }
  | { readonly do: "FIND_ON_CHAIN"; readonly authorization: Authorization }
  | { readonly do: "FIND_CURRENT" }
  | { readonly do: "FIND_ANSWER"; readonly requestId: string; readonly withPayer: boolean }
  | { readonly do: "FIND_EXECUTION"; readonly requestId: string }

/** INVARIANT: only a verified payment is reserved. */
export interface ToReserve extends Offered, Verified {
  readonly payment: PresentedPayment
}
