/** Faults of a request that its closed schema cannot detect, shared by several products. They are reported before a quote. */

import { ServiceError } from "../../base/errors.ts"
import type { ErrorCode } from "../../base/refusals.ts"
import { isCurrency } from "../../checks/currency.ts"
import type { DigestPointer } from "../../checks/policy/digests.ts"
import { endsTooSoon } from "../../core/capsule/validity.ts"
import type { DigestFormName } from "../../core/forms/digest-forms.ts"
import { amountMillionths } from "../../core/money.ts"
import { instant } from "../../core/time.ts"

export interface Attested {
  readonly verified_at: string
  readonly valid_until: string
}

export function refusalAt(code: ErrorCode, detail: string, pointer: string, expected: string): ServiceError {
  return new ServiceError(code, detail, { errors: [{ pointer, code, expected }] })
}

export function checkAmount(payment: { readonly amount: string; readonly currency: string }): ServiceError | null {
  if (amountMillionths(payment.amount) === 0n) {
    return refusalAt("AMOUNT_ZERO", "Give an amount above zero.", "/amount", "decimal amount above zero")
  }
  if (isCurrency(payment.currency)) return null
  return refusalAt("CURRENCY_UNKNOWN", "Use an ISO 4217 code.", "/currency", "ISO 4217 code of a currency in use")
}

/** `pointer` is the pointer of the object that states the change, or "" for the body. */
export function checkIsChange(
  change: {
    /** Null if the company was never paid. */
    readonly current_payee_fingerprint: string | null
    readonly proposed_payee_fingerprint: string
  },
  pointer: string,
): ServiceError | null {
  const { current_payee_fingerprint: current, proposed_payee_fingerprint: proposed } = change
  if (current !== proposed) return null
  return refusalAt(
    "NO_CHANGE_PROPOSED",
    "The proposed payee is the current one.",
    `${pointer}/proposed_payee_fingerprint`,
    "another fingerprint than current_payee_fingerprint",
  )
}

/**
 * Rejects evidence that is valid now and expires within ten minutes: the answer would be useless on arrival. Evidence that has already expired is
 * a stale source. `at` is in milliseconds.
 */
export function checkEndsLater(evidence: Attested, pointer: string, at: number): ServiceError | null {
  const end = instant(evidence.valid_until)
  if (end <= at || !endsTooSoon(end, at)) return null
  return refusalAt(
    "EVIDENCE_ENDS_TOO_SOON",
    "The evidence ends within ten minutes.",
    `${pointer}/valid_until`,
    "date-time at least ten minutes from now",
  )
}

/** The form of the digest at each pointer. */
const FORM_AT: Readonly<Record<DigestPointer, DigestFormName>> = {
  "/payee/fingerprint": "DESTINATION_FINGERPRINT",
  "/payment_destination/fingerprint": "DESTINATION_FINGERPRINT",
  "/buyer_mandate/mandate_digest": "MANDATE_DIGEST",
  "/buyer_mandate/payload/request_digest": "REQUEST_DIGEST",
}

/** Returns DIGEST_MISMATCH for the digests at these pointers. Its `signed_form` is the form of the first one. */
export function digestRefusal(pointers: readonly DigestPointer[]): ServiceError {
  const code = "DIGEST_MISMATCH"
  const [first] = pointers
  return new ServiceError(code, "Recompute the digests named in errors over the canonical form.", {
    ...(first && { form: FORM_AT[first] }),
    errors: pointers.map((pointer) => ({ pointer, code, expected: `${FORM_AT[pointer]} of the signed forms` })),
  })
}
