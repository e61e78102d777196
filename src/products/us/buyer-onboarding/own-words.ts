/** What a signed object says about itself, judged without the database: the answer is the same whoever exists. */
import type { SignatureObject } from "../../../../schemas/common.ts"
import { parseInstant } from "../../../core/time.ts"
import { ServiceError } from "../../../errors.ts"

export function invalid(pointer: string, code: string, detail: string): ServiceError {
  return new ServiceError("SCHEMA_INVALID", detail, { errors: [{ pointer, code }] })
}

/** An object signed for another server is worth nothing here (rulings 2). */
export function requireAudience(audience: string, baseUrl: string): void {
  if (audience !== baseUrl) throw invalid("/audience", "AUDIENCE", "audience must be this service's base address.")
}

export function requireIssuer(signature: SignatureObject, issuer: string, pointer: string): void {
  if (signature.issuer === issuer) return
  throw invalid(`${pointer}/issuer`, "ISSUER", "A signature's issuer must be the party of the object it signs for.")
}

/** Milliseconds since the epoch; refuses dates that are not in the calendar. */
export function requireInstant(text: string, pointer: string): number {
  const at = parseInstant(text)
  if (at === null) throw invalid(pointer, "DATE_TIME", "No such date-time.")
  return at
}
