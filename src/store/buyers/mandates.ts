import { instant } from "../../core/time.ts"
import type { Unit } from "../engine/unit.ts"
import { voidBeforeOf } from "../restores.ts"
import { readRevocation } from "./buyer-revocations.ts"

/**
 * A revocation covers the whole mandate id: it also ends every payload signed later under that id in this organization. A mandate from before
 * a restore may have been used or revoked in the lost hours. One that began later was not. `validFrom`: RFC 3339.
 */
export function* isMandateRevoked(organizationId: string, mandateId: string, validFrom: string): Unit<boolean> {
  const { revocation, restores } = yield* readRevocation(organizationId, "MANDATE", mandateId)
  const before = voidBeforeOf(restores)
  return revocation !== null || (before !== null && instant(validFrom) < before)
}
