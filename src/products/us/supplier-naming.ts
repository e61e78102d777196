import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import { identifierKeys } from "../../checks/us/supplier-identifiers.ts"
import { legalNameKey } from "../../core/legal-name-key.ts"
import type { NamedParty } from "../../store/sales/party-keys.ts"
import type { NamedSupplier, RegisteredName } from "../../store/sales/supplier-joins.ts"
import type { SupplierNaming } from "../../store/sales/supplier-sets.ts"
import type { SupplierIdentity } from "./registered-name.ts"

/** Returns how a request names a supplier, as identity sets compare it (rulings 89). */
export function namingOf(supplier: SupplierIdentity, entityId: string | null = null): SupplierNaming {
  return {
    keys: identifierKeys(supplier.identifiers),
    nameKey: legalNameKey(supplier.legal_name ?? ""),
    entityId,
  }
}

/** Returns how an answer about a company names it, for the identity sets of its owner. */
export function companySupplier(company: SupplierIdentity, registration: RegistrationFact | null): NamedSupplier {
  return { naming: namingOf(company), registered: registeredNames(registration) }
}

/** Returns the company as an operator looks for it. */
export function companyParty(company: SupplierIdentity, registration: RegistrationFact | null): NamedParty {
  const registered = (registration?.lookups ?? []).flatMap(({ registered_name: name }) => name ?? [])
  return { names: [company.legal_name ?? [], registered].flat(), identifiers: identifierKeys(company.identifiers) }
}

/** Returns the legal names that the registers give the identifiers now. */
export function registeredNames(registration: RegistrationFact | null): RegisteredName[] {
  return (registration?.lookups ?? []).flatMap(({ scheme, value, registered_name: name }) =>
    name === null ? [] : [{ key: `${scheme}:${value}`, nameKey: legalNameKey(name) }],
  )
}
