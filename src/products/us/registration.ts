/**
 * Looks up the supplier's federal identifiers in the registers that assign them. A register that was never imported, is too old or could
 * not be read is not queried. Its absence is a stated limitation, never a failure and never a finding.
 */
import type { RegisterLookup, RegistrationFact } from "../../../schemas/us/registration-fact.ts"
import {
  type CheckedIdentifier,
  checkSupplierIdentifiers,
  identifiersOfKeys,
} from "../../checks/us/supplier-identifiers.ts"
import { formatInstant, instant, MINUTE } from "../../core/time.ts"
import { publicationFact } from "../../sources/boards/publication.ts"
import type { RegisterBoard, RegisterState } from "../../sources/boards/register-board.ts"
import { RegisterDamaged } from "../../sources/import/register-file.ts"
import { type IdentityRecord, readIdentityRecord } from "../../sources/records/identity-record.ts"
import type { RegisterEntry } from "../../sources/records/register-adapter.ts"
import type { RegisterId } from "../../sources/records/register-id.ts"
import { compareNames } from "../../sources/screening/name-agreement.ts"
import { nameProblemsOf } from "../../sources/screening/query-forms.ts"
import type { SupplierIdentity } from "./registered-name.ts"

/** No decision is valid for longer. */
const VALIDITY_MAX_MS = 60 * MINUTE

export type Registers = Pick<RegisterBoard, "states" | "find">

type Scheme = RegisterLookup["scheme"]

const REGISTER_OF: Readonly<Record<Scheme, RegisterId>> = {
  lei: "GLEIF_LEI",
  uei: "US_SAM_ENTITY",
  cage: "US_SAM_ENTITY",
  cik: "US_SEC_EDGAR",
}

/**
 * CHOICE: the SEC's file lists companies with a ticker, not all filers. So a missing number proves nothing and is not reported. GLEIF
 * publishes every LEI. SAM publishes all registrations except those withheld from public display or expired for more than half a year.
 */
const PROVES_ABSENCE: Readonly<Record<RegisterId, boolean>> = {
  GLEIF_LEI: true,
  US_SAM_ENTITY: true,
  US_SEC_EDGAR: false,
  UK_COMPANIES_HOUSE: false,
}

/**
 * Returns null if no usable register assigns one of the identifiers. `at` is in milliseconds. `recorded`: keys of the identifiers to look up
 * instead of the supplier's own.
 */
export function lookUpRegistration(
  registers: Registers,
  supplier: SupplierIdentity,
  at: number,
  recorded?: readonly string[],
): RegistrationFact | null {
  const states = registers.states(at)
  const identifiers = recorded
    ? identifiersOfKeys(recorded)
    : checkSupplierIdentifiers(supplier.identifiers).identifiers
  const found = identifiers.flatMap((identifier) => {
    if (!isAssigned(identifier)) return []
    const state = states.find(({ sourceId }) => sourceId === REGISTER_OF[identifier.kind])
    return state && isUsable(state, at) ? lookUp(registers, state, identifier, at) : []
  })
  // Without a given name, the registers are compared with each other: two identifiers of two firms are not one supplier.
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
 * A register that goes stale while the decision is valid would end it early because of a fact that is not required. CHOICE: the request's
 * `max_age_seconds` applies to the screened lists only. The register's own windows limit its age, and its evidence states the age.
 */
function isUsable({ health, snapshot, staleAt }: RegisterState, at: number): boolean {
  return health === "HEALTHY" && snapshot !== null && staleAt !== null && instant(staleAt) >= at + VALIDITY_MAX_MS
}

interface Found {
  readonly lookup: RegisterLookup
  /** Legal names. The first is the value of `registered_name`. */
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
  // An entry in an unknown format is not reliable.
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

/** A register whose bytes differ from the import gives no result. Its board takes it out of use and alerts the operator. */
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

/** A monthly file describes one day, and a registration may have ended since. A registration is current until the end of its last day. */
function isCurrent({ is_current: isCurrent, expires }: IdentityRecord, at: number): boolean | null {
  return isCurrent === true && expires !== null ? expires >= formatInstant(at).slice(0, expires.length) : isCurrent
}

/** Puts a name that can be screened before its original in an unsupported script. */
function problemsOf(name: string): number {
  return nameProblemsOf({ name, type: "org" }).length
}
