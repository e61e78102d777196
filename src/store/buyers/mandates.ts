import type { Unit } from "../unit.ts"
import { findRevocation } from "./buyer-revocations.ts"

/** A mandate id is revoked whole: whatever payload is signed under it afterwards, in this organization, is dead too. */
export function* findMandateRevocation(
  organizationId: string,
  mandateId: string,
): Unit<{ readonly revokedAt: string } | null> {
  const found = yield* findRevocation(organizationId, "MANDATE", mandateId)
  return found && { revokedAt: found.revokedAt }
}
