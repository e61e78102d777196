/** A reviewer makes a passkey, and opens a session with one. */
import type { Enrolment, PasskeyAssertion } from "../../schemas/review.ts"
import { decodeBase64url } from "../core/base64url.ts"
import { NATIVE_CRYPTO } from "../core/crypto/native-crypto.ts"
import { type CeremonyFault, checkAssertion, checkRegistration, type Registration } from "../core/passkeys/ceremony.ts"
import { readPasskey } from "../core/passkeys/passkey.ts"
import { passkeyId } from "../core/review/review-chain.ts"
import { formatInstant } from "../core/time.ts"
import { keysOf } from "../store/review/review-register.ts"
import { type ChallengeFault, spendChallenge } from "../store/review/review-sessions.ts"
import { type AssertionFault, enterByPasskey } from "../store/review/spend-assertion.ts"
import type { ReviewDeps } from "./deps.ts"
import { challengeIn, readPurpose } from "./purposes.ts"

type Place = Pick<ReviewDeps, "store" | "machine" | "origin">

/** The members of an enrolment that a registration states. */
type NewPasskey = Pick<Enrolment, "key_id" | "credential_id" | "public_key" | "algorithm">

/** A registration proves nothing by itself: the record of the enrolment is signed with the new key. */
export async function takeRegistration(
  { store, machine, origin }: Place,
  sessionHash: string,
  registration: Registration,
): Promise<{ readonly fault: CeremonyFault | ChallengeFault } | { readonly fault: null; readonly made: NewPasskey }> {
  const challenge = challengeIn(registration)
  if (challenge === null) return { fault: "CLIENT_DATA" }
  const purpose = await readPurpose({ store, machine }, sessionHash, challenge)
  if (purpose?.asks !== "REGISTRATION") return { fault: "CHALLENGE_UNKNOWN" }
  const checked = checkRegistration(registration, { challenge, origin }, NATIVE_CRYPTO)
  if (checked.fault !== null) return { fault: checked.fault }
  const at = formatInstant(machine.now())
  const spent = await store.run(() => spendChallenge({ challenge, sessionHash, at }))
  if (spent !== null) return { fault: spent }
  const { credential_id, public_key, algorithm } = registration
  const key_id = passkeyId(decodeBase64url(public_key) ?? new Uint8Array(0), NATIVE_CRYPTO)
  return { fault: null, made: { key_id, credential_id, public_key, algorithm: algorithm as Enrolment["algorithm"] } }
}

/** Opens the session. */
export async function takeEntrance(
  { store, machine, origin }: Place,
  { sessionHash, reviewerId }: { readonly sessionHash: string; readonly reviewerId: string },
  assertion: PasskeyAssertion,
): Promise<CeremonyFault | AssertionFault | "KEY_UNKNOWN" | "KEY_NOT_ACTIVE" | null> {
  const challenge = challengeIn(assertion)
  if (challenge === null) return "CLIENT_DATA"
  const purpose = await readPurpose({ store, machine }, sessionHash, challenge)
  if (purpose?.asks !== "ENTRANCE") return "CHALLENGE_UNKNOWN"
  const { credential_id: credentialId } = assertion
  const keys = await store.read(() => keysOf(reviewerId))
  const own = keys.find((one) => one.credentialId === credentialId)
  const key = own && readPasskey(own, NATIVE_CRYPTO)
  if (!own || !key) return "KEY_UNKNOWN"
  // The unit compares the counter: it may have grown meanwhile.
  const checked = checkAssertion(assertion, { challenge, origin }, { credentialId, key, counter: 0 }, NATIVE_CRYPTO)
  if (checked.fault !== null) return checked.fault
  const at = formatInstant(machine.now())
  const { keyId } = own
  return store.run(() => enterByPasskey({ keyId, counter: checked.counter, challenge, sessionHash, at }))
}
