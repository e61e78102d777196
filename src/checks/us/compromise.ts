import { instant } from "../../core/time.ts"

/**
 * True if a signature by `keyId` at `signedAt` still supports a destination (rulings 47, "nothing signed by a key later revoked as
 * compromised before it"). Times are RFC 3339.
 */
export function stillVouches(
  signed: { readonly keyId: string; readonly signedAt: string },
  compromised: readonly { readonly keyId: string; readonly since: string }[],
): boolean {
  return !compromised.some(({ keyId, since }) => keyId === signed.keyId && instant(since) <= instant(signed.signedAt))
}
