import type { Jwks } from "../../../schemas/discovery/jwks.ts"
import { NATIVE_CRYPTO } from "../../core/crypto/native-crypto.ts"
import type { Report } from "../report.ts"
import { checkSignature, type IssuerKeys, readIssuerKeys, type SignedStatement } from "./issuer-keys.ts"

/**
 * Checks against the given keys. Null: against the keys in the bundle itself, which shows that the bundle is consistent, but not its
 * origin.
 */
export function checkBundledSignature(
  report: Report,
  statement: SignedStatement,
  given: IssuerKeys | null,
  bundled: Jwks,
): void {
  report.note(
    "issuer keys",
    given ? "those given" : "those in the bundle: shows that it is consistent, not who made it (--issuer)",
  )
  const keys = given ?? readIssuerKeys(bundled, NATIVE_CRYPTO)
  if (keys) checkSignature(report, statement, { keys, crypto: NATIVE_CRYPTO })
  else report.unchecked("signature", "the bundle's issuer keys cannot be used")
}
