import type { Unit } from "../engine/unit.ts"
import { findRevocation } from "./buyer-revocations.ts"

/** A revocation covers the whole mandate id: it also ends every payload signed later under that id in this organization. */
export function* findMandateRevocation(
  organizationId: string,
  mandateId: string,
): Unit<{ readonly revokedAt: string } | null> {
  const found = yield* findRevocation(organizationId, "MANDATE", mandateId)
  return found && { revokedAt: found.revokedAt }
}
