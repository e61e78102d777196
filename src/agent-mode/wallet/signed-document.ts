/** The checks of one signed document against the service's own key, with the same functions as the offline verifiers. */
import type { SignatureObject } from "../../../schemas/common.ts"
import { canonicalBytes } from "../../core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import { digestOf } from "../../core/digest.ts"
import { verifySignature } from "../../core/ed25519.ts"
import { instant, MINUTE } from "../../core/time.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import { Report } from "../../offline/report.ts"
import { checkDigest } from "../../offline/steps/content.ts"
import { checkSignature, type IssuerKeys, type SignedStatement } from "../../offline/steps/issuer-keys.ts"
import type { ServiceKey } from "../../store/identity/service-keys.ts"

/** The report says why a revoked key does not count. The wallet judges that itself, because its log may say that it does. */
const KEY_STATUS = "key status"

/** A key of this service in the form that offline verifiers take, also after its revocation. */
export function issuerKeysOf(key: ServiceKey): IssuerKeys {
  return new Map(publishedKeys([key], { revoked: true }).keys.map((jwk) => [jwk.kid, jwk]))
}

/** The first line that does not let the document pass as genuine, as a reason code: its check in capitals. */
export function failedCheck(report: Report): string | null {
  const failed = report
    .linesOf("GENUINE")
    .find(({ check, state }) => check !== KEY_STATUS && state !== "OK" && state !== "NOTE")
  return failed ? failed.check.toUpperCase().replace(/[^A-Z0-9]+/g, "_") : null
}

/** For a payload with `issuer` and `issued_at`. `stated` is the digest beside it. */
export function checkStatement(statement: SignedStatement, stated: string, key: ServiceKey): string | null {
  const report = new Report()
  checkDigest(report, "digest", digestOf(statement.payload), stated)
  checkSignature(report, statement, { keys: issuerKeysOf(key), crypto: NATIVE_CRYPTO })
  return failedCheck(report)
}

interface SignedPayload {
  readonly payload: object
  readonly digest: string
  readonly signature: SignatureObject
}

/** A stated time is rounded down by at most half a minute, so a new key may sign what names a time just before it. */
const ROUNDED_MS = MINUTE / 2

/** For a payload without `issued_at`: `at` is the time that it states, RFC 3339. */
export function checkSignedAt(
  { payload, digest, signature }: SignedPayload,
  at: string,
  key: ServiceKey,
): string | null {
  if (digestOf(payload) !== digest) return "DIGEST"
  if (!verifySignature(key.x, canonicalBytes(payload), signature.value)) return "SIGNATURE"
  const isInWindow = instant(at) + ROUNDED_MS >= instant(key.notBefore) && instant(at) < instant(key.expiresAt)
  return isInWindow ? null : "KEY_WINDOW"
}
