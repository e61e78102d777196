/** The database's part of an agent's signature over an HTTP message: its key must be ACTIVE, and its nonce is spent once. */

import type { Unit } from "../engine/unit.ts"
import { isNonceSpent, spendNonce } from "../nonces.ts"
import { findSigner } from "./signature-facts.ts"

/** A verified signature whose nonce the acting unit spends. */
export interface UnspentSignature {
  readonly agentId: string
  readonly keyId: string
  readonly nonce: string
  /** RFC 3339. Until then the nonce stays spent. */
  readonly nonceUntil: string
}

interface SignatureKeyFacts {
  /** Public key, or null unless it is the ACTIVE operational key of an ACTIVE agent. */
  readonly x: string | null
  readonly isSpent: boolean
}

export function* readSignatureKey(
  given: Pick<UnspentSignature, "agentId" | "keyId" | "nonce">,
  now: string,
): Unit<SignatureKeyFacts> {
  return { x: yield* activeKey(given), isSpent: yield* isNonceSpent(scopeOf(given), given.nonce, now) }
}

export type SpendOutcome = "SPENT" | "KEY_NOT_ACCEPTED" | "NONCE_REPLAY"

/**
 * Spends the nonce. Call it first in the unit that acts: a key that was revoked since it was read, and a second use of the signature, then
 * change nothing.
 */
export function* spendHttpSignature(given: UnspentSignature, now: string): Unit<SpendOutcome> {
  if ((yield* activeKey(given)) === null) return "KEY_NOT_ACCEPTED"
  const isFresh = yield* spendNonce(scopeOf(given), given.nonce, given.nonceUntil, now)
  return isFresh ? "SPENT" : "NONCE_REPLAY"
}

function* activeKey({ agentId, keyId }: Pick<UnspentSignature, "agentId" | "keyId">): Unit<string | null> {
  const signer = yield* findSigner(agentId, keyId)
  const isAccepted =
    signer?.identityStatus === "ACTIVE" &&
    !signer.isUnknown &&
    signer.key?.role === "OPERATIONAL" &&
    signer.key.status === "ACTIVE"
  return isAccepted ? (signer.key?.x ?? null) : null
}

function scopeOf({ keyId }: Pick<UnspentSignature, "keyId">): string {
  return `agent-http:${keyId}`
}
