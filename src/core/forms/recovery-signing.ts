import type { Digest } from "../digest.ts"

const RECOVERY_DOMAIN = "svc.payment-decision.recovery.v1"

/** The value that `authentication.signature` of a recovery signs. The audience is the service's base URL. */
export function recoverySigningValue(
  digest: Digest,
  authentication: { readonly issued_at: string; readonly nonce: string },
  audience: string,
) {
  return {
    domain: RECOVERY_DOMAIN,
    audience,
    request_digest: digest,
    issued_at: authentication.issued_at,
    nonce: authentication.nonce,
  }
}
