import type { KnownDestination, ResolvedReference } from "../../../schemas/us/decision-facts.ts"
import { DAY, instant } from "../../core/time.ts"
import { found, type GateFindings, waived } from "../policy/gate.ts"

/**
 * Where the money goes, against where it went last time. A change needs a change authorization; a first payment needs one or a
 * recent payee verification, or is held or conditioned by the buyer's tolerance (rulings 47).
 */
export function vendorChangeGate(input: {
  readonly payeeFingerprint: string
  readonly destinationFingerprint: string
  readonly knownDestinations: readonly KnownDestination[]
  readonly references: readonly ResolvedReference[]
  readonly payeeVerificationDaysMax: number
  /** ms. */
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
 * Where the supplier's money went last: to a destination that a decision allowed or that was changed with authority. CHOICE: a payee that
 * was only verified stands for a first destination, never for a change of one, or verifying an impostor would move the money.
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
