/**
 * Protects the agent's keys from the server. The server chooses four values. The agent builds the expected event around them, and signs its
 * own bytes only if the server's event is equal. It signs nothing else that a server sends.
 */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { CHALLENGE_TTL_SECONDS, type EventParts } from "../core/key-event.ts"
import { parseInstant, SECOND } from "../core/time.ts"
import { ChallengeCarrier } from "./forms/challenge-carrier.ts"

const checkCarrier = TypeCompiler.Compile(ChallengeCarrier)

/**
 * Returns the event to sign, as `expected` builds it for exactly this origin. Throws CommandError (3) that names the difference in the
 * server's answer.
 */
export function challengeToSign<Event extends KeyEvent>(
  answer: unknown,
  audience: string,
  expected: (parts: EventParts) => Event,
): Event {
  if (!checkCarrier.Check(answer)) throw refusal("it is not a key event that this version knows")
  const { challenge }: ChallengeCarrier = answer
  const own = expected({
    audience,
    challengeId: challenge.challenge_id,
    nonce: challenge.nonce,
    issuedAt: challenge.issued_at,
    expiresAt: challenge.expires_at,
  })
  const members = Object.keys(own) as (keyof KeyEvent)[]
  const differing = members.filter((name) => canonicalize(challenge[name]) !== canonicalize(own[name]))
  if (differing.length > 0) throw refusal(`${differing.join(", ")} differ from the request`)
  requireWindow(challenge.issued_at, challenge.expires_at)
  return own
}

function requireWindow(issuedAt: string, expiresAt: string): void {
  const from = parseInstant(issuedAt)
  const to = parseInstant(expiresAt)
  if (from === null || to === null || to <= from || to - from > CHALLENGE_TTL_SECONDS * SECOND) {
    throw refusal(`its end must be after its start, and at most ${CHALLENGE_TTL_SECONDS} seconds later`)
  }
}

function refusal(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the server's challenge was not signed: ${why}`)
}
