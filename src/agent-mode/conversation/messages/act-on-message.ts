/** The unit of a signed message: the order of its checks, its nonce, and the answer that a repetition gets. */
import { formatInstant, HOUR } from "../../../core/time.ts"
import { type MessageFacts, type NamedEvent, readMessageFacts } from "../../../store/agent-mode/message-facts.ts"
import { keepMessage } from "../../../store/agent-mode/messages.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { admit } from "../../../store/free-writes/admit.ts"
import type { SharedCapName } from "../../../store/free-writes/shared-caps.ts"
import { maybeSpentBeforeRestore } from "../../../store/nonces.ts"
import { CLOCK_SKEW_MS } from "./message-times.ts"
import { type ReceivedMessage, signerRefusal } from "./received-message.ts"
import { type Refusal, refusal, shareRefusal } from "./refusal.ts"

/** CHOICE: the same bytes get the stored answer for 48 hours. For this time their nonce is spent. */
export const ANSWER_KEPT_MS = 48 * HOUR

export interface Acting {
  /** The message only ends something. It gets through while a restore leaves the agent's status UNKNOWN. */
  readonly isStop?: boolean
  readonly event?: NamedEvent
  /**
   * Refusals by switches, opt-outs, consent, policy and channel, in this order. CHOICE: a repetition uses nothing up, so it is not held
   * against a limit. Leaving has none.
   */
  conditions?(isRepeat: boolean, facts: MessageFacts): Unit<Refusal | null>
  /** Refusals of a message that is no repetition. */
  turn?(): Unit<Refusal | null>
  /** The cap that the message counts for. */
  readonly cap: SharedCapName
  /** Whether the agent leaves what it holds. That counts for no cap, and nothing may stop it. */
  isLeaving?(): Unit<boolean>
  /** Writes and returns the text to keep. `replayed`: another message had this effect before. */
  write(facts: MessageFacts): Unit<Written>
  /** Runs before the kept answer is given again. A refusal is given instead of it. */
  repeat?(response: string): Unit<Refusal | null>
}

const NO_EVENT: NamedEvent = { consentId: "", day: "", eventMark: null }

export interface Written {
  readonly response: string
  readonly replayed: boolean
  /** True: the answer is kept as the one with which the event of {@link Acting} was counted. */
  readonly isCounted?: boolean
}

export type Acted = ({ readonly kind: "ACTED" } & Written) | Refusal

/** Writes nothing when it returns a refusal. */
export function* actOnMessage(message: ReceivedMessage, acting: Acting): Unit<Acted> {
  const at = formatInstant(message.at)
  const { agentId, keyId, domain, keyMark, nonceMark } = message
  const event = acting.event ?? NO_EVENT
  const facts = yield* readMessageFacts({ agentId, keyId, keyMark, nonceMark, ...event, at })
  // The key may have been revoked since its signature was verified.
  const refused = signerRefusal(facts.signer)
  if (refused) return refused
  if (facts.signer?.isUnknown && !acting.isStop) {
    return refusal(
      "AGENT_SIGNATURE_REJECTED",
      "KEY_NOT_ACTIVE",
      "After a restore the key counts from the agent's next key event on.",
    )
  }
  const { earlier } = facts
  const isRepeat = earlier?.requestDigest === message.requestDigest
  const condition = acting.conditions ? yield* acting.conditions(isRepeat, facts) : null
  if (condition) return condition
  if (earlier && !isRepeat) {
    return refusal("IDEMPOTENCY_CONFLICT", "OTHER_CONTENT", "The idempotency key was used for other content.")
  }
  if (earlier) {
    const withheld = acting.repeat ? yield* acting.repeat(earlier.response) : null
    if (withheld) return withheld
    return { kind: "ACTED", response: earlier.response, replayed: true }
  }
  if (facts.isNonceSpent || maybeSpentBeforeRestore(facts.voidBefore, message.expiresAt + CLOCK_SKEW_MS)) {
    return refusal("NONCE_REPLAY", "NONCE_SPENT", "The nonce was used before; sign again with a new one.")
  }
  const outOfTurn = acting.turn ? yield* acting.turn() : null
  if (outOfTurn) return outOfTurn
  const isLeaving = acting.isLeaving ? yield* acting.isLeaving() : false
  const notAdmitted = isLeaving ? null : yield* admit(acting.cap, message.writer)
  if (notAdmitted) return shareRefusal(notAdmitted, message.at)
  const written = yield* acting.write(facts)
  const { requestDigest } = message
  const { response } = written
  const eventMark = written.isCounted ? event.eventMark : null
  const expiresAt = formatInstant(message.at + ANSWER_KEPT_MS)
  const kept = { agentId, domain, requestDigest, response, expiresAt, keyMark, nonceMark, eventMark }
  yield* keepMessage(kept, at)
  return { kind: "ACTED", ...written }
}
