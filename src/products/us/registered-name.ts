import type { Supplier } from "../../../schemas/us/payment-decision.ts"
import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"

/** What lists and registers are asked about a supplier, or a company, by. */
export type SupplierIdentity = Pick<Supplier, "legal_name" | "identifiers">

/** The name of the strongest identifier's registration, or null. What a request without a legal name is screened by. */
export function registeredName(registration: RegistrationFact | null): string | null {
  return registration?.lookups?.find((one) => one.registered_name !== null)?.registered_name ?? null
}

/** The supplier as the lists are asked about it: with the registered name where none is given. */
export function named(supplier: SupplierIdentity, registration: RegistrationFact | null): SupplierIdentity {
  const name = registeredName(registration)
  if (supplier.legal_name !== undefined || name === null) return supplier
  return { ...supplier, legal_name: name }
}
