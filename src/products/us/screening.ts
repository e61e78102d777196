import type { ScreeningHit } from "../../../schemas/screening-facts.ts"
import type { WalletHits } from "../../../schemas/us/invoice-facts.ts"
import type { Destination, Tolerance } from "../../../schemas/us/payment-decision.ts"
import type { RecordedSupplier } from "../../../schemas/us/recorded-supplier.ts"
import type { RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import { recordedScreenings, type SupplierFacts } from "../../checks/us/recorded-supplier.ts"
import { checkSupplierIdentifiers, identifiersOfKeys } from "../../checks/us/supplier-identifiers.ts"
import type { NameIndex } from "../../sources/screening/name-index.ts"
import { type ScreenQuery, screenWallet, TOLERANCE_THRESHOLD } from "../../sources/screening/screen.ts"
import { screeningHit } from "../../sources/screening/screening-fact.ts"
import type { PartyScreening } from "../common/party-screening.ts"
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

/** What of the facts names a supplier to the lists. */
interface SupplierNaming {
  readonly registration: RegistrationFact | null
  readonly recorded_supplier?: Pick<RecordedSupplier, "identifiers" | "registration"> & {
    readonly other_names?: readonly { readonly legal_name: string }[]
  }
}

/**
 * Every party that a US answer screens, in this order: the supplier as the request names it, with the registered name where it has none; the
 * same with the identifiers of its owner's records; then each recorded name that the request does not give.
 */
export function supplierQueries(
  supplier: SupplierIdentity,
  { registration, recorded_supplier: recorded }: SupplierNaming,
  tolerance: Tolerance,
): readonly ScreenQuery[] {
  const own = supplierQuery(named(supplier, registration), tolerance)
  if (!recorded) return [own]
  const { identifiers, registration: found, other_names: others = [] } = recorded
  return [
    own,
    supplierQuery(named(named(supplier, found), registration), tolerance, identifiers),
    ...others.map(({ legal_name }) => supplierQuery({ ...supplier, legal_name }, tolerance, identifiers)),
  ]
}

type ScreenedSupplier = SupplierNaming & Pick<SupplierFacts, "screening" | "recorded_supplier">

/** The same parties of stored facts, each with its screening. `tolerance` null: each with the threshold of its screening. */
export function screenedSupplier(
  supplier: SupplierIdentity,
  facts: ScreenedSupplier,
  tolerance: Tolerance | null,
): readonly PartyScreening[] {
  const screenings = [facts.screening, ...recordedScreenings(facts)]
  return supplierQueries(supplier, facts, tolerance ?? "MEDIUM").map((query, at) => {
    const screening = screenings[at]!
    return { query: tolerance === null ? { ...query, threshold: screening.threshold } : query, screening }
  })
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
