/**
 * The supplier's federal identifiers in the registers that assign them. A register that was never imported, is too old or could not be
 * read is not asked: its absence is a stated limitation, never a failure and never a finding.
 */
import type { RegisterLookup, RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import { type CheckedIdentifier, checkSupplierIdentifiers } from "../../checks/us/supplier-identifiers.ts"
import { formatInstant, instant } from "../../core/time.ts"
import { compareNames } from "../../sources/lists/name-agreement.ts"
import { publicationFact } from "../../sources/publication/publication.ts"
import { type IdentityRecord, readIdentityRecord } from "../../sources/records/identity-record.ts"
import type { RegisterEntry } from "../../sources/records/register-adapter.ts"
import type { RegisterId } from "../../sources/records/register-id.ts"
import type { RegisterBoard, RegisterState } from "../../sources/registers/register-board.ts"
import { RegisterDamaged } from "../../sources/registers/register-file.ts"
import { nameProblemsOf } from "../../sources/screening/screen.ts"
import type { SupplierIdentity } from "./registered-name.ts"
import { VALIDITY_MAX_MS } from "./source-checks.ts"

export type Registers = Pick<RegisterBoard, "states" | "find">

type Scheme = RegisterLookup["scheme"]

const REGISTER_OF: Readonly<Record<Scheme, RegisterId>> = {
  lei: "GLEIF_LEI",
  uei: "US_SAM_ENTITY",
  cage: "US_SAM_ENTITY",
  cik: "US_SEC_EDGAR",
}

/**
 * CHOICE: the SEC's file names companies with a ticker, not all that file, so that a number is missing from it proves nothing and is
 * not said. GLEIF publishes every LEI, and SAM all registrations but those kept from public display or over for half a year.
 */
const PROVES_ABSENCE: Readonly<Record<RegisterId, boolean>> = {
  GLEIF_LEI: true,
  US_SAM_ENTITY: true,
  US_SEC_EDGAR: false,
  UK_COMPANIES_HOUSE: false,
}

/** Null when no register that assigns one of the identifiers can be asked. `at` in milliseconds. */
export function lookUpRegistration(
  registers: Registers,
  supplier: SupplierIdentity,
  at: number,
): RegistrationFact | null {
  const states = registers.states(at)
  const found = checkSupplierIdentifiers(supplier.identifiers).identifiers.flatMap((identifier) => {
    if (!isAssigned(identifier)) return []
    const state = states.find(({ sourceId }) => sourceId === REGISTER_OF[identifier.kind])
    return state && isUsable(state, at) ? lookUp(registers, state, identifier, at) : []
  })
  // With no name given the registers are held against each other: two identifiers of two firms are no one supplier.
  const given = supplier.legal_name ?? found.find(({ names }) => names.length > 0)?.names[0]
  const lookups = found.map(({ lookup, names }) => compared(lookup, names, given))
  const decides = lookups.find((one) => !one.name_agrees) ?? lookups.find((one) => !one.found) ?? lookups[0]
  if (!decides) return null
  return {
    source_id: decides.source_id,
    snapshot_id: decides.snapshot_id,
    found: lookups.every((one) => one.found),
    name_agrees: lookups.every((one) => one.name_agrees),
    lookups,
  }
}

function isAssigned(identifier: CheckedIdentifier): identifier is CheckedIdentifier & { readonly kind: Scheme } {
  return identifier.kind !== "ein"
}

/**
 * One that goes stale while the decision is valid would end it early, for a fact that is not required. CHOICE: the request's
 * `max_age_seconds` is for the lists that are screened; a register's age is what its own windows allow and its evidence states.
 */
function isUsable({ health, snapshot, staleAt }: RegisterState, at: number): boolean {
  return health === "HEALTHY" && snapshot !== null && staleAt !== null && instant(staleAt) >= at + VALIDITY_MAX_MS
}

interface Found {
  readonly lookup: RegisterLookup
  /** Legal names; the first is what stands in `registered_name`. */
  readonly names: readonly string[]
}

function lookUp(
  registers: Registers,
  { sourceId, snapshot, staleAt, freshness }: RegisterState,
  { kind, value }: CheckedIdentifier & { readonly kind: Scheme },
  at: number,
): Found[] {
  const entry = findIn(registers, sourceId, kind, value)
  if (entry === "DAMAGED") return []
  if (!snapshot || staleAt === null) return []
  const isIncomplete = !entry && snapshot.isIncomplete
  if (!entry && !PROVES_ABSENCE[sourceId] && !isIncomplete) return []
  const record = entry && readIdentityRecord(entry.record)
  // An entry this release did not write says nothing that can be relied on.
  if (entry && !record) return []
  const names = [...(record?.legal_names ?? [])].sort((a, b) => problemsOf(a) - problemsOf(b))
  const lookup: RegisterLookup = {
    source_id: sourceId,
    snapshot_id: snapshot.snapshotId,
    ...publicationFact(snapshot, staleAt),
    freshness,
    scheme: kind,
    value,
    found: record !== null,
    ...(isIncomplete ? { is_incomplete: true as const } : {}),
    registered_name: names[0] ?? null,
    status: record?.status ?? null,
    is_current: record && isCurrent(record, at),
    name_agrees: true,
    name_score: null,
  }
  return [{ lookup, names }]
}

/** Of a register whose bytes are not what was imported nothing is said; its board gives it up and tells the operator. */
function findIn(registers: Registers, id: RegisterId, scheme: Scheme, value: string): RegisterEntry | null | "DAMAGED" {
  try {
    return registers.find(id, scheme, value)
  } catch (error) {
    if (!(error instanceof RegisterDamaged)) throw error
    return "DAMAGED"
  }
}

function compared(lookup: RegisterLookup, names: readonly string[], given: string | undefined): RegisterLookup {
  if (!lookup.found || given === undefined) return lookup
  const { agrees, score } = compareNames(given, names)
  return { ...lookup, name_agrees: agrees, name_score: score }
}

/** A monthly file says what was so on its day; a registration may have ended since. It stands to the end of its last day. */
function isCurrent({ is_current: isCurrent, expires }: IdentityRecord, at: number): boolean | null {
  return isCurrent === true && expires !== null ? expires >= formatInstant(at).slice(0, expires.length) : isCurrent
}

/** A name that can be screened comes before its original in a script without a table. */
function problemsOf(name: string): number {
  return nameProblemsOf({ name, type: "org" }).length
}
