import type { ScreeningHit } from "../../../schemas/screening-facts.ts"
import type { WalletHits } from "../../../schemas/us/invoice-facts.ts"
import type { Destination, Tolerance } from "../../../schemas/us/payment-decision.ts"
import type { RecordedSupplier } from "../../../schemas/us/recorded-supplier.ts"
import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import { checkSupplierIdentifiers, identifiersOfKeys } from "../../checks/us/supplier-identifiers.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { type ScreenQuery, screenWallet, TOLERANCE_THRESHOLD } from "../../sources/screening/screen.ts"
import { screeningHit } from "../../sources/screening/screening-fact.ts"
import { named, type SupplierIdentity } from "./registered-name.ts"

/**
 * Returns the supplier as a list query: an organization with the given identifiers, or with those of the keys `recorded`. CHOICE: no country
 * is assumed. The request states none, and using its jurisdiction as the supplier's country would turn each exact match abroad into a conflict.
 */
export function supplierQuery(
  supplier: SupplierIdentity,
  tolerance: Tolerance,
  recorded?: readonly string[],
): ScreenQuery {
  const identifiers = recorded
    ? identifiersOfKeys(recorded)
    : checkSupplierIdentifiers(supplier.identifiers).identifiers
  return {
    name: supplier.legal_name ?? "",
    type: "org",
    identifiers: identifiers.map(({ kind, value }) => ({ scheme: kind, value })),
    countries: [],
    threshold: TOLERANCE_THRESHOLD[tolerance],
  }
}

/** The query to the lists about the supplier as the records know it. Without a given name, the registers supply one. */
export function recordedQuery(
  supplier: SupplierIdentity,
  own: RegistrationFact | null,
  { identifiers, registration }: Pick<RecordedSupplier, "identifiers" | "registration">,
  tolerance: Tolerance,
): ScreenQuery {
  return supplierQuery(named(named(supplier, registration), own), tolerance, identifiers)
}

/** The destinations of a payment. */
export interface PaidTo {
  readonly payee: Pick<Destination, "value">
  readonly payment_destination: Pick<Destination, "value">
}

/** Screens payee and destination as wallets. Returns the listed holder of each, or null if there is none or the value is no EVM address. */
export function walletHits(index: NameIndex, { payee, payment_destination: destination }: PaidTo): WalletHits {
  return { payee: walletHit(index, payee), payment_destination: walletHit(index, destination) }
}

function walletHit(index: NameIndex, { value }: Pick<Destination, "value">): ScreeningHit | null {
  const hit = /^0x[0-9a-fA-F]{40}$/.test(value) ? screenWallet(index, value) : null
  return hit && screeningHit(hit)
}
