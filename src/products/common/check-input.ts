import type { NamedAgentKey } from "../../store/identity/agent-identity.ts"
import type { SaleTexts } from "./owner.ts"
import type { PreQuoteCheck } from "./pre-quote-check.ts"

/** The types that the checks of one product use. */
export interface CheckedShape {
  readonly request: { readonly idempotency_key: string }
  /** The records that the checks before a quote use. Absent if they read none. */
  readonly recordsForChecks?: unknown
  /** The members of the reserved records that a fixed outcome depends on. Absent if the request names no record. */
  readonly named?: unknown
}

/** One request as the checks before a quote see it. `at` is in milliseconds. */
export interface CheckInput<S extends CheckedShape> {
  readonly request: S["request"]
  /** Null for an incomplete request. */
  readonly texts: SaleTexts | null
  /** The key that the request names as its signer. Null if it is unknown, or if the payer is the owner. */
  readonly agentKey: NamedAgentKey | null
  /** The payer that the payment header names, in lower case, or null if no payment is presented. */
  readonly payer: string | null
  /** True if a quote was presented. Its time then replaces `evaluated_at` (rulings 24). */
  readonly paid: boolean
  readonly at: number
  /** What {@link ProductRow.readForChecks} read. Empty before the entry checks and for an incomplete request. */
  readonly recordsForChecks: RecordsOf<S>
  /** The records that the request names, whoever bought them. Null if they were not read. */
  readonly named: NamedOf<S> | null
}

export type RecordsOf<S extends CheckedShape> = S extends { readonly recordsForChecks: infer Records }
  ? Records
  : unknown

/** The records that a request names. */
export type NamedOf<S extends CheckedShape> = S extends { readonly named: infer Named } ? Named : unknown

export type RecordsForChecks<S extends CheckedShape> = Pick<CheckInput<S>, "recordsForChecks" | "named">

export type AnyRecordsForChecks = RecordsForChecks<CheckedShape>
export type AnyCheckInput = CheckInput<CheckedShape>
export type AnyCheck = PreQuoteCheck<AnyCheckInput>
