import type { Supplier } from "../../../schemas/us/payment-decision.ts"
import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"

/** The members by which lists and registers are queried about a supplier or company. */
export type SupplierIdentity = Pick<Supplier, "legal_name" | "identifiers">

/** Returns the name in the registration of the strongest identifier, or null. A request without a legal name is screened by it. */
function registeredName(registration: RegistrationFact | null): string | null {
  return registration?.lookups?.find((one) => one.registered_name !== null)?.registered_name ?? null
}

/** Returns the supplier for a list query: with the registered name if the request has none. */
export function named(supplier: SupplierIdentity, registration: RegistrationFact | null): SupplierIdentity {
  const name = registeredName(registration)
  if (supplier.legal_name !== undefined || name === null) return supplier
  return { ...supplier, legal_name: name }
}
