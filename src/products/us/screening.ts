import type { Destination, Tolerance } from "../../../schemas/us/payment-decision.ts"
import { checkSupplierIdentifiers } from "../../checks/supplier-identifiers.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { type ScreenHit, type ScreenQuery, screenWallet, TOLERANCE_THRESHOLD } from "../../sources/screening/screen.ts"
import type { SupplierIdentity } from "./registered-name.ts"

/**
 * The supplier as the lists are asked about it: an organization with the identifiers given. CHOICE: no country is assumed. The
 * request states none, and taking its jurisdiction for the supplier's country would turn each exact match abroad into a conflict.
 */
export function supplierQuery(supplier: SupplierIdentity, tolerance: Tolerance): ScreenQuery {
  const { identifiers } = checkSupplierIdentifiers(supplier.identifiers)
  return {
    name: supplier.legal_name ?? "",
    type: "org",
    identifiers: identifiers.map(({ kind, value }) => ({ scheme: kind, value })),
    countries: [],
    threshold: TOLERANCE_THRESHOLD[tolerance],
  }
}

/** A payee or destination as a wallet: the listed party that holds it, or null; null too where the value is no EVM address. */
export function walletHit(index: NameIndex, { value }: Pick<Destination, "value">): ScreenHit | null {
  return /^0x[0-9a-fA-F]{40}$/.test(value) ? screenWallet(index, value) : null
}
