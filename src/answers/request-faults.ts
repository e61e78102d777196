/** What is wrong with a request that its closed schema cannot see, for several products: said before anything is quoted. */
import { isCurrency } from "../checks/currency.ts"
import { VALIDITY_MIN_MS } from "../checks/validity.ts"
import { amountMillionths } from "../core/money.ts"
import { instant, parseInstant } from "../core/time.ts"
import { type ErrorCode, ServiceError } from "../errors.ts"

interface Attested {
  readonly verified_at: string
  readonly valid_until: string
}

export function refuseAt(code: ErrorCode, detail: string, pointer: string): ServiceError {
  return new ServiceError(code, detail, { errors: [{ pointer, code }] })
}

export function refuseAmount(payment: { readonly amount: string; readonly currency: string }): ServiceError | null {
  if (amountMillionths(payment.amount) === 0n) return refuseAt("AMOUNT_ZERO", "Give an amount above zero.", "/amount")
  return isCurrency(payment.currency) ? null : refuseAt("CURRENCY_UNKNOWN", "Use an ISO 4217 code.", "/currency")
}

/** A calendar date that does not exist passes the schema's pattern. `pointer` is that of `evidence`. */
export function refuseDates(evidence: Attested, pointer: string): ServiceError | null {
  const faults = (["verified_at", "valid_until"] as const).filter((member) => parseInstant(evidence[member]) === null)
  if (faults.length === 0) return null
  return new ServiceError("SCHEMA_INVALID", "A date-time names a day or time that does not exist.", {
    errors: faults.map((member) => ({ pointer: `${pointer}/${member}`, code: "DATE_TIME" })),
  })
}

/** `pointer` is that of the object that states the change, "" for the body. */
export function refuseNoChange(
  change: {
    /** Null where the company was never paid. */
    readonly current_payee_fingerprint: string | null
    readonly proposed_payee_fingerprint: string
  },
  pointer: string,
): ServiceError | null {
  if (change.current_payee_fingerprint !== change.proposed_payee_fingerprint) return null
  const detail = "The proposed payee is the current one."
  return refuseAt("NO_CHANGE_PROPOSED", detail, `${pointer}/proposed_payee_fingerprint`)
}

/**
 * Evidence that counts now and will not in ten minutes: the answer would be of no use when it comes. What has ended already is told by a
 * decision, as the policy says. `at` in milliseconds.
 */
export function refuseEndingSoon(evidence: Attested, pointer: string, at: number): ServiceError | null {
  const end = instant(evidence.valid_until)
  if (end <= at || end >= at + VALIDITY_MIN_MS) return null
  return refuseAt("EVIDENCE_ENDS_TOO_SOON", "The evidence ends within ten minutes.", `${pointer}/valid_until`)
}
