import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { RecoveryRequest } from "../../schemas/us/recovery.ts"
import type { Machine } from "../base/machine.ts"
import { requestDigest } from "../checks/policy/digests.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { signWith } from "../core/ed25519.ts"
import { recoverySigningValue } from "../core/forms/recovery-signing.ts"
import { formatInstant } from "../core/time.ts"
import type { SigningKey } from "./keys.ts"

/** Builds a recovery call for one server. It is valid for five minutes and once. */
export function recoveryRequest(
  request: DecisionRequest,
  key: SigningKey,
  audience: string,
  machine: Pick<Machine, "now" | "random">,
): RecoveryRequest {
  const fresh = { issued_at: formatInstant(machine.now()), nonce: encodeBase64url(machine.random(32)) }
  const message = canonicalBytes(recoverySigningValue(requestDigest(request), fresh, audience))
  return { request, authentication: { ...fresh, signature: signWith(key.privateKey, message) } }
}
