import type { KnownDestination, ResolvedReference } from "../../../schemas/us/decision-facts.ts"
import { DAY, instant } from "../../core/time.ts"
import { found, type GateFindings, waived } from "../policy/gate.ts"

/**
 * Compares the payment destination with the last one. A change requires a change authorization. A first payment requires a change
 * authorization or a recent payee verification; without either the buyer's tolerance decides between a hold and a condition (rulings 47).
 */
export function vendorChangeGate(input: {
  readonly payeeFingerprint: string
  readonly destinationFingerprint: string
  readonly knownDestinations: readonly KnownDestination[]
  readonly references: readonly ResolvedReference[]
  readonly payeeVerificationDaysMax: number
  /** Milliseconds. */
  readonly at: number
}): GateFindings {
  const { payeeFingerprint, destinationFingerprint, at } = input
  const isLate = (from: string) => at - instant(from) > input.payeeVerificationDaysMax * DAY
  const isVerifiedLately = ({ basis, fingerprint, recorded_at: from }: KnownDestination) =>
    basis === "PAYEE_VERIFICATION" && fingerprint === destinationFingerprint && !isLate(from)
  const differs = destinationFingerprint !== payeeFingerprint && "DESTINATION_DIFFERS_FROM_PAYEE"
  const last = lastDestination(input.knownDestinations) ?? latest(input.knownDestinations.filter(isVerifiedLately))
  const isUnchanged = last?.fingerprint === destinationFingerprint
  if (isUnchanged && !differs) return waived("DESTINATION_UNCHANGED")
  if (isUnchanged) return found([differs])

  const isAboutThis = (reference: ResolvedReference) => reference.destination_fingerprint === destinationFingerprint
  const changeAuthorized = input.references.some((one) => one.kind === "CHANGE_AUTHORIZATION" && isAboutThis(one))
  const payeeVerified = input.references.some(
    (one) =>
      one.kind === "PAYEE_VERIFICATION" &&
      isAboutThis(one) &&
      one.payee_fingerprint === payeeFingerprint &&
      !isLate(one.decided_at),
  )
  return found([
    differs,
    last !== null && !changeAuthorized && "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
    last === null && !changeAuthorized && !payeeVerified && "FIRST_PAYMENT_TO_DESTINATION",
  ])
}

/**
 * Returns the supplier's last destination: one that a decision allowed, or that was changed with authority. CHOICE: a payee that was only
 * verified counts as a first destination, never as a change of one. Otherwise verifying an impostor would redirect the money.
 */
export function lastDestination(known: readonly KnownDestination[]): KnownDestination | null {
  return latest(known.filter(({ basis }) => basis !== "PAYEE_VERIFICATION"))
}

function latest(known: readonly KnownDestination[]): KnownDestination | null {
  let last: KnownDestination | null = null
  for (const one of known) {
    if (last === null || instant(one.recorded_at) > instant(last.recorded_at)) last = one
  }
  return last
}
