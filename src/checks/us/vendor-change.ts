import type { KnownDestination, ResolvedReference } from "../../../schemas/us/decision-facts.ts"
import { DAY, instant } from "../../core/time.ts"
import { found, type GateFindings, waived } from "../policy/gate.ts"

/**
 * Compares the payment destination with the last one. A change requires a change authorization. A first payment requires a change
 * authorization or a recent payee verification; without either the buyer's tolerance decides between a hold and a condition (rulings 47).
 * A supplier of which anything is known is no stranger: its destination is unchanged only if it is the last one of the supplier and of every
 * supplier that is linked to it, and a record vouches for it (rulings 89).
 */
export function vendorChangeGate(input: {
  readonly payeeFingerprint: string
  readonly destinationFingerprint: string
  readonly knownDestinations: readonly KnownDestination[]
  readonly references: readonly ResolvedReference[]
  /** The request names two suppliers. */
  readonly isContradicted: boolean
  /** More suppliers are linked than `knownDestinations` covers. */
  readonly hasMoreLinked: boolean
  readonly payeeVerificationDaysMax: number
  /** Milliseconds. */
  readonly at: number
}): GateFindings {
  const { payeeFingerprint, destinationFingerprint, knownDestinations: known, at } = input
  const isLate = (from: string) => at - instant(from) > input.payeeVerificationDaysMax * DAY
  const isHere = ({ fingerprint }: KnownDestination) => fingerprint === destinationFingerprint
  const isVouched = known.some(
    (one) => isHere(one) && (one.vouches ?? true) && (one.basis !== "PAYEE_VERIFICATION" || !isLate(one.recorded_at)),
  )
  const differs = destinationFingerprint !== payeeFingerprint && "DESTINATION_DIFFERS_FROM_PAYEE"
  const last = lastDestination(known.filter(isOwn))
  const lasts = [...(last === null ? [] : [last]), ...known.filter((one) => !isOwn(one))]
  const isCertain = !input.isContradicted && !input.hasMoreLinked
  const isUnchanged = isCertain && isVouched && lasts.every(isHere)
  if (isUnchanged && !differs) return waived("DESTINATION_UNCHANGED")
  if (isUnchanged) return found([differs])

  const isAboutThis = (reference: ResolvedReference) => reference.destination_fingerprint === destinationFingerprint
  const changeAuthorized =
    !input.isContradicted && input.references.some((one) => one.kind === "CHANGE_AUTHORIZATION" && isAboutThis(one))
  const payeeVerified = input.references.some(
    (one) =>
      one.kind === "PAYEE_VERIFICATION" &&
      isAboutThis(one) &&
      one.payee_fingerprint === payeeFingerprint &&
      !isLate(one.decided_at),
  )
  const isFirst = isCertain && lasts.length === 0
  return found([
    differs,
    !isFirst && !changeAuthorized && "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
    isFirst && !changeAuthorized && !payeeVerified && "FIRST_PAYMENT_TO_DESTINATION",
  ])
}

function isOwn({ same_supplier: isSame }: KnownDestination): boolean {
  return isSame ?? true
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
