import type { RegistrationFact } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"

/** The name of the strongest identifier's registration, or null. What a request without a legal name is screened by. */
export function registeredName(registration: RegistrationFact | null): string | null {
  return registration?.lookups?.find((one) => one.registered_name !== null)?.registered_name ?? null
}

/** The request as the lists are asked about it: with the registered name where it gives none. */
export function named<T extends Pick<DecisionRequest, "supplier">>(
  request: T,
  registration: RegistrationFact | null,
): T {
  const name = registeredName(registration)
  if (request.supplier.legal_name !== undefined || name === null) return request
  return { ...request, supplier: { ...request.supplier, legal_name: name } }
}
