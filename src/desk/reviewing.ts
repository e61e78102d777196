/** Who a session belongs to, and what this person may do now. */

import { isActive, type Register } from "../core/review/register.ts"
import { formatInstant } from "../core/time.ts"
import type { Unit } from "../store/engine/unit.ts"
import { findReviewer, keysOf, type ReviewerKey, readRegister } from "../store/review/review-register.ts"
import { useSession } from "../store/review/review-sessions.ts"
import type { DeskDeps } from "./deps.ts"
import { formToken, hashOfSecret } from "./secrets.ts"
import type { Reviewing } from "./visit.ts"

/** Null if the session has ended, or its passkey is revoked. This use keeps it from becoming idle. */
export async function reviewingOf({ store, machine }: DeskDeps, session: string): Promise<Reviewing | null> {
  const sessionHash = hashOfSecret(session)
  const at = formatInstant(machine.now())
  const found = await store.run(function* (): Unit<Omit<Reviewing, "token"> | null> {
    const used = yield* useSession(sessionHash, at)
    const person = used && (yield* findReviewer(used.reviewerId))
    if (!used || !person) return null
    const register = yield* readRegister()
    const { reviewerId, keyId } = used
    const { name, recusals, breakGlass } = person
    const state = stateOf(register, yield* keysOf(reviewerId), keyId)
    return state && { sessionHash, reviewerId, name, recusals, breakGlass, keyId, register, state }
  })
  return found && { ...found, token: (path) => formToken(session, path) }
}

/** Null for a session whose passkey is revoked. Only one that no passkey opened enrols the first one of its person. */
function stateOf(register: Register, keys: readonly ReviewerKey[], keyId: string | null): Reviewing["state"] | null {
  if (keyId === null) return keys.some(({ state }) => state !== "REVOKED") ? "TO_PROVE" : "TO_ENROL"
  if (isActive(register, keyId)) return "REVIEWER"
  return register.keys.get(keyId)?.state === "PENDING" ? "WAITING" : null
}
