/**
 * What one of the eight products is, as a form to fill in: everything that is the same for all of them is in this folder, and everything
 * here is what a reader must know of a product to follow its answer from the request to the stored bytes.
 */
import type { AnswerFacts } from "../../schemas/answer-facts.ts"
import type { AnswerCore } from "../../schemas/business-answer.ts"
import type { AnswerCheckId } from "../../schemas/eligibility.ts"
import type { Signer } from "../core/signer.ts"
import type { IfCovered } from "../delivery/covered-sale.ts"
import type { Refused } from "../delivery/sale.ts"
import type { CountedDelegations } from "../store/buyers/delegation-use.ts"
import type { AnswerRecord } from "../store/sales/answer-records.ts"
import type { Unit } from "../store/unit.ts"
import type { AnswerRules, AnswerShape } from "./answer-rules.ts"
import type { PreQuoteCheck } from "./pre-quote-check.ts"
import type { SourceStanding } from "./source-failure.ts"

/** Who asks, once the payment's signature has verified. */
export interface AnswerOwner {
  /** Lower case. */
  readonly payer: string
  readonly storedRequestId: string
}

/** One request as the checks before a quote see it. `at` in milliseconds. */
export interface AskedAnswer<S extends AnswerShape> {
  readonly request: S["request"]
  /** Whom the payment header names, in lower case; null where none is presented. */
  readonly payer: string | null
  /** A quote was presented: its time counts in place of `evaluated_at` (rulings 24). */
  readonly paid: boolean
  readonly at: number
  /** What {@link AnswerProduct.inquire} read; nothing before the entry checks and for a request that is not whole. */
  readonly records: RecordsOf<S>
}

type RecordsOf<S extends AnswerShape> = S extends { readonly records: infer Records } ? Records : unknown

export type AnswerCheck<S extends AnswerShape> = PreQuoteCheck<AskedAnswer<S>, AnswerCheckId>

export interface AnswerProduct<S extends AnswerShape> extends AnswerRules<S> {
  /** What is wrong with the request alone and its closed schema cannot see: 422, never quoted. They read no records. */
  readonly entry: readonly AnswerCheck<S>[]
  /** The rest that is asked before a quote and before a payment is taken, not of what was bought already. */
  readonly checks: readonly AnswerCheck<S>[]
  /** Reads what `checks` judge our own records by, on one view. */
  inquire?(request: S["request"], at: number): Promise<RecordsOf<S>>
  /** Members that `sources` reads. */
  readonly sourcesNeed: readonly string[]
  /** The required sources as they stand at `at` (ms) for this request. Nothing is asked over a network here: no quote costs us a call. */
  sources(request: S["request"], at: number): readonly SourceStanding[]
  /**
   * Reads our own records and takes holds, in the unit that reserves the payment; another request's live hold is a refusal. `ifCovered`:
   * what becomes of a request whose obligation a valid answer to this payer covers.
   */
  reserve(request: S["request"], owner: AnswerOwner, at: number, ifCovered: IfCovered): Unit<S["own"] | Refused>
  /** Gathers what `decide` will know beside the request. Throws SourceFailure when a required source fails: nothing is charged. */
  gather(request: S["request"], base: AnswerFacts, own: S["own"]): Promise<S["facts"]> | S["facts"]
  /** The result of an answer that decides nothing and is not charged. */
  undecided(request: S["request"]): S["result"]
  /** What later answers read of this one. */
  record(request: S["request"], facts: S["facts"], core: AnswerCore<S["result"]>): AnswerSubject
  /** What the token of this answer is bound to; absent where the product issues none. */
  token?(request: S["request"], facts: S["facts"]): TokenTerms
  /** Of a request that an organization's agent signed. */
  signer?(request: S["request"]): AnswerSigner
  /** The delegations that the reserving unit judged the request by. */
  counted?(own: S["own"]): CountedDelegations
  /** A signed document given out beside the answer, under its own id. */
  companion?(made: CompanionParts<S>): Companion | null
}

/** Any product: its methods are called with what its own schemas have accepted. */
export type AnyAnswerProduct = AnswerProduct<AnswerShape>

/** What later answers find this one by. */
export type AnswerSubject = Pick<
  AnswerRecord,
  "subject" | "nameKey" | "obligationKey" | "documentDigest" | "payeeFingerprint" | "destinationFingerprint"
>

export interface TokenTerms {
  readonly kind: "PAYMENT" | "VENDOR_CHANGE"
  /** Every value a redeem must repeat, the wallet included. */
  readonly binding: Readonly<Record<string, string | null>>
}

export interface AnswerSigner {
  readonly organizationId: string
  readonly agentId: string
  readonly keyId: string
}

export interface CompanionParts<S extends AnswerShape> {
  readonly request: S["request"]
  readonly facts: S["facts"]
  readonly core: AnswerCore<S["result"]>
  readonly signer: Signer
}

export interface Companion {
  readonly id: string
  /** C14N. */
  readonly json: string
}
