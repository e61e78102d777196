/**
 * The interface of a product that sells a business answer. It holds everything a reader must know about the product to follow its answer from
 * the request to the stored bytes. `answer-row.ts` makes its row.
 */
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import type { AnswerCheckId } from "../../../schemas/eligibility.ts"
import type { Finding } from "../../checks/policy/origins.ts"
import type { Signer } from "../../core/signer.ts"
import type { IfCovered } from "../../delivery/covered-sale.ts"
import type { Refused } from "../../delivery/sale.ts"
import type { DelegationsUsed } from "../../store/buyers/delegation-use.ts"
import type { Unit } from "../../store/engine/unit.ts"
import type { AnswerRecord } from "../../store/sales/answer-records.ts"
import type { NamedParty } from "../../store/sales/party-keys.ts"
import type { NamedSupplier } from "../../store/sales/supplier-joins.ts"
import type { BusinessAnswerRules, BusinessAnswerShape } from "./answer-rules.ts"
import type { CheckInput, NamedOf, RecordsOf } from "./check-input.ts"
import type { RequestSigner } from "./owner.ts"
import type { PreQuoteCheck } from "./pre-quote-check.ts"
import type { Attested } from "./request-faults.ts"
import type { RequiredSources } from "./source-failure.ts"

/** The buyer, after the payment's signature was verified. */
export interface AnswerOwner {
  /** Lower case. */
  readonly payer: string
  readonly storedRequestId: string
}

export type AnswerCheck<S extends BusinessAnswerShape> = PreQuoteCheck<CheckInput<S>, AnswerCheckId>

export interface FixedOutcome<S extends BusinessAnswerShape> {
  /** Members of the request that `evidence` and `findings` read. */
  readonly needs: readonly string[]
  /** The caller's evidence, each with its JSON pointer. */
  evidence(request: S["request"]): readonly { readonly pointer: string; readonly attested: Attested }[]
  /**
   * Reads the records that the request names, whoever bought them: before a quote the payer is unknown. Absent if the request names none. The
   * reserving transaction reads those of the payer.
   */
  named?(request: S["request"]): Unit<NamedOf<S>>
  /** The findings of the gates that are never sold. `named` is null if no record was read. `at` in milliseconds. */
  findings(request: S["request"], named: NamedOf<S> | null, at: number): readonly Finding[]
  /** True if only a caller who proved the agent's key may learn about the records. */
  readonly isPrivate?: boolean
  /** JSON pointer of the member to correct. */
  pointer(code: string): string
}

export interface BusinessAnswerProduct<S extends BusinessAnswerShape>
  extends BusinessAnswerRules<S>,
    RequiredSources<S["request"]> {
  /** Faults of the request alone that its closed schema cannot detect: 422, never quoted. These checks read no records. */
  readonly validations: readonly AnswerCheck<S>[]
  /** The other checks before a quote and before a payment is accepted. They do not run for a request that was already bought. */
  readonly checksBeforeQuote: readonly AnswerCheck<S>[]
  /** Reads the service's own records for `checksBeforeQuote`. */
  inquire?(request: S["request"], at: number): Unit<RecordsOf<S>>
  /** What of a request already fixes its outcome. Absent if nothing does. */
  readonly fixedOutcome?: FixedOutcome<S>
  /**
   * Reads the service's own records and takes holds, in the transaction that reserves the payment. Another request's live hold is a
   * rejection. `ifCovered`: what to do if a valid answer to this payer already covers the obligation.
   */
  reserve(request: S["request"], owner: AnswerOwner, at: number, ifCovered: IfCovered): Unit<S["records"] | Refused>
  /**
   * Gathers the facts that `decide` needs in addition to the request. Throws SourceFailure if a required source fails; then nothing is
   * charged.
   */
  gather(request: S["request"], base: AnswerFacts, records: S["records"]): Promise<S["facts"]> | S["facts"]
  /** The result of an answer that decides nothing and is not charged. */
  undecided(request: S["request"]): S["result"]
  /** The members that later answers read of this one. */
  record(request: S["request"], facts: S["facts"], core: AnswerCore<S["result"]>): AnswerSubject
  /** The company that the answer is about, as an operator looks for it: as asked, and as the register names it. */
  about(request: S["request"], facts: S["facts"]): NamedParty
  /**
   * How the answer names the company, for the identity sets of its owner. Absent for companies that one number identifies, as in the UK.
   */
  supplier?(request: S["request"], facts: S["facts"]): NamedSupplier
  /** The values that the token of this answer is bound to. Absent if the product issues no token. */
  token?(request: S["request"], facts: S["facts"]): TokenTerms
  /** The signer of a request that an organization's agent signed. */
  signer?(request: S["request"]): RequestSigner
  /** The delegations that the reserving transaction checked the request against. */
  delegationsUsed?(records: S["records"]): DelegationsUsed
  /** A signed document with its own id that is delivered together with the answer. */
  attachment?(made: AttachmentParts<S>): Attachment | null
}

/** Any product. Its methods receive only what its own schemas have accepted. */
export type AnyBusinessAnswerProduct = BusinessAnswerProduct<BusinessAnswerShape>

/** The keys by which later answers find this one. */
export type AnswerSubject = Pick<
  AnswerRecord,
  "subject" | "nameKey" | "obligationKey" | "documentDigest" | "payeeFingerprint" | "destinationFingerprint"
>

interface TokenTerms {
  readonly kind: "PAYMENT" | "VENDOR_CHANGE"
  /** Every value that a redeem must repeat, including the wallet. */
  readonly binding: Readonly<Record<string, string | null>>
}

export interface AttachmentParts<S extends BusinessAnswerShape> {
  readonly request: S["request"]
  readonly facts: S["facts"]
  readonly core: AnswerCore<S["result"]>
  readonly signer: Signer
}

export interface Attachment {
  readonly id: string
  /** C14N. */
  readonly json: string
}
