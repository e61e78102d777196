/**
 * What stands between a server and the agent's two keys. The server chooses four values; the agent builds the event it expects
 * around them and signs its own bytes only if the server's say the same. Nothing else a server sends can be signed.
 */
import { type Static, Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { type EnrolmentEvent, KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { CommandError, EXIT } from "../cli/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { CHALLENGE_TTL_SECONDS, enrolmentEvent } from "../core/key-event.ts"
import { parseInstant, SECOND } from "../core/time.ts"

/** Open round the event: a later service may say more beside it, and nothing beside it is signed. */
const Carrier = Type.Object({ challenge: KeyEvent })
const checkCarrier = TypeCompiler.Compile(Carrier)

export interface OwnParts {
  /** Origin the agent called. */
  readonly audience: string
  readonly operationalX: string
  readonly recoveryX: string
}

/** The event to sign. Throws CommandError (3) naming what differs from an enrolment of exactly these keys at exactly this origin. */
export function challengeToSign(answer: unknown, own: OwnParts): EnrolmentEvent {
  if (!checkCarrier.Check(answer)) throw refuse("it is not a key event of a known form")
  const { challenge }: Static<typeof Carrier> = answer
  const expected = enrolmentEvent({
    ...own,
    challengeId: challenge.challenge_id,
    nonce: challenge.nonce,
    issuedAt: challenge.issued_at,
    expiresAt: challenge.expires_at,
    nextOperationalKeyDigest: null,
  })
  const members = Object.keys(expected) as (keyof EnrolmentEvent)[]
  const differing = members.filter((name) => canonicalize(challenge[name]) !== canonicalize(expected[name]))
  if (differing.length > 0) throw refuse(`${differing.join(", ")} differ from what was asked for`)
  requireWindow(challenge.issued_at, challenge.expires_at)
  return expected
}

function requireWindow(issuedAt: string, expiresAt: string): void {
  const from = parseInstant(issuedAt)
  const to = parseInstant(expiresAt)
  if (from === null || to === null || to <= from || to - from > CHALLENGE_TTL_SECONDS * SECOND) {
    throw refuse(`its window is not one of at most ${CHALLENGE_TTL_SECONDS} seconds`)
  }
}

function refuse(why: string): CommandError {
  return new CommandError(EXIT.INVALID, `the server's challenge was not signed: ${why}`)
}
