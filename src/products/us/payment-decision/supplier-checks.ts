/** Checks of supplier and payer before a quote: identifiers, name, conflicts with the service's own earlier decisions. */

import type { Judged } from "../../../business-answers/pre-quote-check.ts"
import { type FieldError, ServiceError } from "../../../errors.ts"
import { screenWallet } from "../../../sources/screening/screen.ts"
import { checkIdentifiers, checkLegalName, judgeLegalNameFree } from "../company-refusals.ts"
import type { Inquiry } from "./inquiry.ts"

export function judgeIdentifiers({ request }: Inquiry): ServiceError | null {
  return checkIdentifiers(request.supplier, "/supplier")
}

export function judgeLegalName(
  inquiry: Pick<Inquiry, "request" | "sources" | "registers" | "at">,
): ServiceError | null {
  return checkLegalName(inquiry, legalNameOf(inquiry))
}

/** The same check for a free call, which screens nothing. */
export function judgeLegalNameUnscreened(inquiry: Pick<Inquiry, "request" | "registers" | "at">): Judged {
  return judgeLegalNameFree(inquiry.registers, legalNameOf(inquiry))
}

function legalNameOf({ request, at }: Pick<Inquiry, "request" | "at">) {
  return { identity: request.supplier, pointer: "/supplier", at }
}

/** Only this organization's own delivered decisions count (rulings 45). Decisions of other organizations never cause a rejection. */
export function judgeCollision({ supplier }: Pick<Inquiry, "supplier">): ServiceError | null {
  if (!supplier) throw new Error("a collision was judged before its records were read")
  const errors = [
    ...(supplier.anotherName ? [collision("legal_name", "the name of the earlier decision")] : []),
    ...(supplier.anotherIdentifier ? [collision("entity_id", "an id that no other supplier has")] : []),
  ]
  if (errors.length === 0) return null
  const detail = "An earlier decision of this organization knew this supplier differently."
  return new ServiceError("IDENTITY_COLLISION", detail, { errors })
}

function collision(member: "legal_name" | "entity_id", expected: string): FieldError {
  return { pointer: `/supplier/${member}`, code: "IDENTITY_COLLISION", expected }
}

/** Only the payer's wallet is screened before a quote. A gate screens payee and destination (rulings 42). */
export function judgePayer({ request, sources }: Inquiry): ServiceError | null {
  return screenWallet(sources.index(), request.decision_fee_payer)
    ? new ServiceError("PAYER_RESTRICTED", "No payment is taken from this wallet.")
    : null
}
