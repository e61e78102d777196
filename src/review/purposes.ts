/** What a challenge is for: it is stored when a page asks for a passkey, and read when the page comes back. */
import type { PasskeyAssertion } from "../../schemas/review.ts"
import { decodeBase64url, encodeBase64url } from "../core/base64url.ts"
import { isObject, jsonOrUndefined } from "../core/strict-json.ts"
import { formatInstant } from "../core/time.ts"
import { makeChallenge, purposeOf } from "../store/review/review-sessions.ts"
import type { GivenRecord } from "../store/review/take-record.ts"
import type { ReviewDeps } from "./deps.ts"

/** What waits for its assertion. */
export type Composed = Pick<GivenRecord, "record" | "subject" | "reason" | "judged" | "shown">

/** RECORD: an assertion signs this record. REGISTRATION: a new passkey is made. ENTRANCE: a passkey opens the session. */
type Purpose =
  | { readonly asks: "RECORD"; readonly act: Composed }
  | { readonly asks: "REGISTRATION" }
  | { readonly asks: "ENTRANCE" }

type Place = Pick<ReviewDeps, "store" | "machine">

const CHALLENGE_BYTES = 32

/** Returns the challenge, which this session may use once within ten minutes. */
export async function askFor(
  place: Place,
  sessionHash: string,
  purpose: Purpose,
  challenge = encodeBase64url(place.machine.random(CHALLENGE_BYTES)),
): Promise<string> {
  const at = formatInstant(place.machine.now())
  await place.store.run(() => makeChallenge({ challenge, sessionHash, purpose: JSON.stringify(purpose), at }))
  return challenge
}

/** Null if this session has no such challenge. It may have ended: whoever spends it learns that. */
export async function readPurpose({ store }: Place, sessionHash: string, challenge: string): Promise<Purpose | null> {
  const text = await store.read(() => purposeOf(challenge, sessionHash))
  return text === null ? null : (JSON.parse(text) as Purpose)
}

const CHALLENGE = /^[A-Za-z0-9_-]{43}$/

/** The challenge that the browser says was signed; null if it is none. The ceremony is verified against the stored one. */
export function challengeIn({ client_data_json: text }: Pick<PasskeyAssertion, "client_data_json">): string | null {
  const bytes = decodeBase64url(text)
  const data = bytes && jsonOrUndefined(bytes)
  const challenge = isObject(data) ? data["challenge"] : undefined
  return typeof challenge === "string" && CHALLENGE.test(challenge) ? challenge : null
}
