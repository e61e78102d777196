/** What must be known of supplier and payer before a quote: identifiers, name, collisions with our own earlier decisions. */
import { checkSupplierIdentifiers } from "../../../checks/supplier-identifiers.ts"
import { ServiceError } from "../../../errors.ts"
import { nameProblemsOf, screen, screenWallet } from "../../../sources/screening/screen.ts"
import { named } from "../registered-name.ts"
import { lookUpRegistration } from "../registration.ts"
import { supplierQuery } from "../screening.ts"
import type { Inquiry } from "./pre-quote-checks.ts"

export function judgeIdentifiers({ request }: Inquiry): ServiceError | null {
  const { faults, supplierKey } = checkSupplierIdentifiers(request.supplier.identifiers)
  if (faults.length === 0 && supplierKey !== null) return null
  return new ServiceError(
    "IDENTIFIER_UNSUPPORTED",
    "Give at least one of uei, cage, lei or cik with a valid form; ein only beside it.",
    {
      errors: (faults.length > 0 ? faults : ["/supplier/identifiers"]).map((pointer) => ({
        pointer,
        code: "IDENTIFIER_UNSUPPORTED",
      })),
    },
  )
}

/** A name that is not given is that of the strongest identifier's registration, where an imported register has it (rulings 51). */
export function judgeLegalName({
  request,
  sources,
  registers,
  at,
}: Pick<Inquiry, "request" | "sources" | "registers" | "at">): ServiceError | null {
  const pointer = "/supplier/legal_name"
  const { supplier } = request
  const known =
    supplier.legal_name === undefined ? named(supplier, lookUpRegistration(registers, supplier, at)) : supplier
  if (known.legal_name === undefined) {
    return new ServiceError("LEGAL_NAME_REQUIRED", "No register supplies this supplier's name; give its legal name.", {
      errors: [{ pointer, code: "LEGAL_NAME_REQUIRED" }],
    })
  }
  const query = supplierQuery(known, "MEDIUM")
  if (nameProblemsOf(query).length === 0) return null
  // A name we can only half read may still be a listed one, and then the answer is a decision.
  const { state, nameProblems } = screen(sources.index(), query)
  if (state !== "SCRIPT_UNSUPPORTED") return null
  return new ServiceError("NAME_SCRIPT_UNSUPPORTED", "Give the name in one supported script, as it is registered.", {
    errors: [{ pointer, code: "NAME_SCRIPT_UNSUPPORTED" }],
    reasonCodes: nameProblems,
  })
}

/** Only this organization's own delivered decisions count (rulings 45); what others said is never a refusal. */
export function judgeCollision({ supplier }: Pick<Inquiry, "supplier">): ServiceError | null {
  if (!supplier) throw new Error("a collision was judged before its records were read")
  const errors = [
    ...(supplier.anotherName ? [{ pointer: "/supplier/legal_name", code: "IDENTITY_COLLISION" }] : []),
    ...(supplier.anotherIdentifier ? [{ pointer: "/supplier/entity_id", code: "IDENTITY_COLLISION" }] : []),
  ]
  if (errors.length === 0) return null
  const detail = "An earlier decision of this organization knew this supplier differently."
  return new ServiceError("IDENTITY_COLLISION", detail, { errors })
}

/** Only the payer's wallet is screened before quoting; payee and destination are the gate's business (rulings 42). */
export function judgePayer({ request, sources }: Inquiry): ServiceError | null {
  return screenWallet(sources.index(), request.decision_fee_payer)
    ? new ServiceError("PAYER_RESTRICTED", "No payment is taken from this wallet.")
    : null
}
