/** What a signed object says about itself, judged without the database: the answer is the same whoever exists. */
import type { SignatureObject } from "../../../../schemas/common.ts"
import { ServiceError } from "../../../errors.ts"

export function invalid(pointer: string, code: string, detail: string, expected: string): ServiceError {
  return new ServiceError("SCHEMA_INVALID", detail, { errors: [{ pointer, code, expected }] })
}

/** An object signed for another server is worth nothing here (rulings 2). */
export function requireAudience(audience: string, baseUrl: string): void {
  if (audience === baseUrl) return
  throw invalid("/audience", "AUDIENCE", "audience must be this service's base address.", baseUrl)
}

export function requireIssuer(signature: SignatureObject, issuer: string, pointer: string): void {
  if (signature.issuer === issuer) return
  const detail = "A signature's issuer must be the party of the object it signs for."
  throw invalid(`${pointer}/issuer`, "ISSUER", detail, "the id of the party that signs")
}
