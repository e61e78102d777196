/** Checks of a signed object's own content, without the database. The result is the same for existing and unknown parties. */
import type { SignatureObject } from "../../../../schemas/common.ts"
import { ServiceError } from "../../../base/errors.ts"

export function invalid(pointer: string, code: string, detail: string, expected: string): ServiceError {
  return new ServiceError("SCHEMA_INVALID", detail, { errors: [{ pointer, code, expected }] })
}

/** Rejects an object that was signed for another server (rulings 2). */
export function requireAudience(audience: string, baseUrl: string): void {
  if (audience === baseUrl) return
  throw invalid("/audience", "AUDIENCE", "audience must be this service's base address.", baseUrl)
}

export function requireIssuer(signature: SignatureObject, issuer: string, pointer: string): void {
  if (signature.issuer === issuer) return
  const detail = "A signature's issuer must be the party of the object it signs for."
  throw invalid(`${pointer}/issuer`, "ISSUER", detail, "the id of the party that signs")
}
