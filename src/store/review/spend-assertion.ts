/** Spends the challenge of one assertion, and keeps its counter. */
import type { Unit } from "../engine/unit.ts"
import { findKey, noteCounter } from "./review-register.ts"
import { type ChallengeFault, provePasskey, spendChallenge } from "./review-sessions.ts"

/** An assertion whose signature the caller has verified. */
interface SpentAssertion {
  readonly keyId: string
  /** Of the assertion. */
  readonly counter: number
  readonly challenge: string
  readonly sessionHash: string
  /** RFC 3339. */
  readonly at: string
}

export type AssertionFault = ChallengeFault | "COUNTER"

/** A counter that did not grow is the sign of a copied key. The key of an enrolment is not known yet. */
export function* spendAssertion({ keyId, counter, ...spent }: SpentAssertion): Unit<AssertionFault | null> {
  const fault = yield* spendChallenge(spent)
  if (fault !== null) return fault
  const key = yield* findKey(keyId)
  if (!key) return null
  if ((counter > 0 || key.counter > 0) && counter <= key.counter) return "COUNTER"
  yield* noteCounter(keyId, counter)
  return null
}

/** Opens the session with the passkey of the assertion, unless the key was revoked meanwhile. */
export function* enterByPasskey(spent: SpentAssertion): Unit<AssertionFault | "KEY_NOT_ACTIVE" | null> {
  const fault = yield* spendAssertion(spent)
  if (fault !== null) return fault
  const key = yield* findKey(spent.keyId)
  if (!key || key.state === "REVOKED") return "KEY_NOT_ACTIVE"
  yield* provePasskey(spent.sessionHash, spent.keyId)
  return null
}
