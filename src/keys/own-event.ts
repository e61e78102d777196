/**
 * Key events of the service's own identities, built and signed with keys of the data directory. They follow the same rules as any agent's.
 */

import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import type { EventSignature } from "../../schemas/agent-id/proof.ts"
import type { Machine } from "../base/machine.ts"
import { commitmentTo } from "../core/agent-id.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { signWith } from "../core/ed25519.ts"
import { eventReceipt } from "../core/event-receipt.ts"
import type { IdentityState, KeyEventFault } from "../core/identity-state.ts"
import {
  CHALLENGE_ID_BYTES,
  CHALLENGE_TTL_SECONDS,
  changeEvent,
  type EventParts,
  enrolmentEvent,
  headOf,
  NONCE_BYTES,
} from "../core/key-event.ts"
import { applyKeyEvent, requiredSignatures } from "../core/key-history.ts"
import type { Signer } from "../core/signer.ts"
import { formatInstant, SECOND } from "../core/time.ts"
import type { KeyEventRecord } from "../store/identity/key-event-record.ts"
import type { HeldKey } from "./key-file.ts"

/** An event with all its signatures. After the event is accepted, the statement key signs its receipt. */
type OwnEvent = Omit<KeyEventRecord<{ readonly receiptJson: string }>, "finish">
type OwnEventOutcome = { readonly event: OwnEvent } | { readonly fault: KeyEventFault }

interface OwnEnrolment {
  readonly operational: HeldKey
  readonly recovery: HeldKey
  readonly nextKeyId: string
}

/** `audience` is that of {@link ownAudience}. */
export function ownEnrolment(keys: OwnEnrolment, audience: string, machine: Machine): OwnEventOutcome {
  const { operational, recovery, nextKeyId } = keys
  const event = enrolmentEvent({
    ...eventParts(audience, machine),
    operationalX: operational.x,
    recoveryX: recovery.x,
    nextOperationalKeyDigest: commitmentTo(nextKeyId),
  })
  return signed(null, event, [operational, recovery])
}

interface OwnRotation {
  readonly mode: "ROUTINE" | "RECOVERY"
  /** The operational key for a routine rotation, the recovery key for any other. */
  readonly authority: HeldKey
  readonly introduced: HeldKey
  readonly nextKeyId: string
  /** RFC 3339; requires mode RECOVERY. */
  readonly compromisedSince: string | null
}

export function ownRotation(
  before: IdentityState,
  rotation: OwnRotation,
  audience: string,
  machine: Machine,
): OwnEventOutcome {
  const { mode, authority, introduced, nextKeyId, compromisedSince } = rotation
  const head = headOf(before)
  if (!head) return { fault: "IDENTITY_REVOKED" }
  const request = {
    kind: "ROTATE_OPERATIONAL",
    mode,
    newX: introduced.x,
    nextOperationalKeyDigest: commitmentTo(nextKeyId),
    compromiseSuspectedSince: compromisedSince,
  } as const
  return signed(before, changeEvent(head, request, eventParts(audience, machine)), [authority, introduced])
}

/** A data directory's event in the form that the store writes. */
export function withReceipt(event: OwnEvent, signer: Signer): KeyEventRecord<{ readonly receiptJson: string }> {
  return {
    ...event,
    finish: (logIndex) => ({ receiptJson: canonicalize(eventReceipt(signer, event.after, logIndex)) }),
  }
}

function eventParts(audience: string, machine: Machine): EventParts {
  const at = machine.now()
  return {
    audience,
    challengeId: encodeBase64url(machine.random(CHALLENGE_ID_BYTES)),
    nonce: encodeBase64url(machine.random(NONCE_BYTES)),
    issuedAt: formatInstant(at),
    expiresAt: formatInstant(at + CHALLENGE_TTL_SECONDS * SECOND),
  }
}

/** The event is accepted at the instant it was made, because the service both makes and accepts it. A missing key is a bug. */
function signed(before: IdentityState | null, event: KeyEvent, held: readonly HeldKey[]): OwnEventOutcome {
  const eventJson = canonicalize(event)
  const outcome = applyKeyEvent(before, event, digestBytes(eventJson), event.issued_at)
  if ("fault" in outcome) return outcome
  const required = requiredSignatures(before, event)
  if (!required) throw new Error("an event that was applied names keys the identity does not have")
  const signatures = required.map(({ role, key }): EventSignature => {
    const own = held.find(({ keyId }) => keyId === key.key_id)
    if (!own) throw new Error(`the ${role} key is not held`)
    return { role, key_id: own.keyId, algorithm: "Ed25519", value: signWith(own.privateKey, eventJson) }
  })
  const signaturesJson = canonicalize(signatures)
  return { event: { before, after: outcome.state, challengeId: event.challenge_id, eventJson, signaturesJson } }
}
