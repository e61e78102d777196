/** The lists and the register of the sandbox: ten listed parties and five companies, all invented, an hour old when a journey begins. */
import { digestOf } from "../core/digest.ts"
import { DAY, formatInstant, HOUR, SECOND } from "../core/time.ts"
import type { RegisterBoard, RegisterState } from "../sources/boards/register-board.ts"
import type { SourceBoard, SourceState, UsedSnapshot } from "../sources/boards/source-board.ts"
import type { CompanyRecord } from "../sources/publishers/uk-companies-house/company-record.ts"
import { type Party, REQUIRED_US_SOURCES, type SourceId } from "../sources/records/party.ts"
import type { RegisterEntry } from "../sources/records/register-adapter.ts"
import type { RegisterId } from "../sources/records/register-id.ts"
import { NameIndex } from "../sources/screening/name-index.ts"
import { NO_SUPPRESSIONS, type SuppressionBook } from "../sources/screening/suppress.ts"

/** What the service of a sandbox decides on. */
export interface SandboxBoards {
  readonly sources: SourceBoard
  readonly gbSources: SourceBoard
  readonly registers: RegisterBoard
  readonly suppressions: () => SuppressionBook
}

export interface SyntheticBoards extends SandboxBoards {
  /** The register of UK companies is unavailable from now on. */
  removeRegister(): void
}

const UK_REGISTER: RegisterId = "UK_COMPANIES_HOUSE"
const STALE_AFTER_MS = 2 * DAY
const UK_LIST = "UK_SANCTIONS_LIST"

/** A name that a list blocks. */
export const LISTED_NAME = "SYNTHETIC VOSTOK MERIDIAN TRADING LLC"
/** A name that resembles {@link LISTED_NAME}. */
export const SIMILAR_NAME = "SYNTHETIC VOSTOK MERIDIAN TRADING GROUP LLC"
/** A name that resembles no listed one. */
export const CLEAR_NAME = "SYNTHETIC HARBOR LIGHT INSTRUMENTS LLC"

const LISTED: readonly (readonly [source: SourceId, list: string, name: string])[] = [
  ["US_OFAC_SDN", "SDN", LISTED_NAME],
  ["US_OFAC_SDN", "SDN", "SYNTHETIC QUILL NORTHERN SHIPPING CO"],
  ["US_OFAC_SDN", "SDN", "SYNTHETIC ORCHID VALE HOLDINGS"],
  ["US_OFAC_CONSOLIDATED", "SSI", "SYNTHETIC PALE CORMORANT ENERGY"],
  ["US_SAM_EXCLUSIONS", "SAM", "SYNTHETIC TALLOW BRIDGE CONTRACTORS INC"],
  ["US_SAM_EXCLUSIONS", "SAM", "SYNTHETIC OCHRE STRAIT SUPPLY"],
  ["US_TRADE_CSL", "DPL", "SYNTHETIC GRANITE FJORD ELECTRONICS"],
  ["US_TRADE_CSL", "EL", "SYNTHETIC SABLE MARSH OPTICS"],
  [UK_LIST, "UKSL", "SYNTHETIC THISTLE HARROW FINANCE"],
  [UK_LIST, "UKSL", "SYNTHETIC COBALT WEIR MARINE"],
]

const COMPANIES = [
  "SYNTHETIC HARBOUR LANTERN JOINERY LIMITED",
  "SYNTHETIC MERLIN QUAY BAKERS LIMITED",
  "SYNTHETIC TOFT MILL PRINTERS LIMITED",
  "SYNTHETIC SEDGE LANE CYCLES LIMITED",
  "SYNTHETIC ALDER COMBE OPTICIANS LIMITED",
].map((name, at) => companyOf(`ZZ00000${at + 1}`, name))

/** The first synthetic company. */
export const COMPANY_NUMBER = "ZZ000001"

let indexes: { readonly us: NameIndex; readonly gb: NameIndex } | null = null

/** `clock`: when the journey begins, milliseconds. */
export function syntheticBoards(clock: number): SyntheticBoards {
  const retrievedAt = clock - HOUR
  let hasRegister = true
  // Built at the first journey: the parties never change.
  indexes ??= {
    us: new NameIndex({ snapshotIds: {}, parties: partiesOf(REQUIRED_US_SOURCES) }),
    gb: new NameIndex({ snapshotIds: {}, parties: partiesOf([UK_LIST]) }),
  }
  const { us, gb } = indexes
  return {
    sources: { index: () => us, states: (at) => REQUIRED_US_SOURCES.map((id) => stateOf(id, retrievedAt, at)) },
    gbSources: { index: () => gb, states: (at) => [stateOf(UK_LIST, retrievedAt, at)] },
    registers: {
      states: (at): readonly RegisterState[] => {
        const state = stateOf(UK_REGISTER, retrievedAt, at)
        return [hasRegister ? state : { ...state, health: "UNAVAILABLE", reasonCodes: ["SNAPSHOT_UNREADABLE"] }]
      },
      find: (id, scheme, value) =>
        hasRegister && id === UK_REGISTER && scheme === "number" ? companyEntry(value) : null,
    },
    suppressions: () => NO_SUPPRESSIONS,
    removeRegister: () => {
      hasRegister = false
    },
  }
}

function partiesOf(sources: readonly SourceId[]): Party[] {
  return LISTED.filter(([source]) => sources.includes(source)).map(([sourceId, list, name], at) => ({
    sourceId,
    entryId: `ZZ${9000 + at}`,
    type: "org",
    list,
    programs: ["SYNTHETIC"],
    measure: "block",
    names: [{ text: name, kind: "primary" }],
    identifiers: [],
    birthDates: [],
    countries: [],
    addresses: [],
    line: { file: "synthetic", number: at + 1 },
  }))
}

function stateOf<Id extends SourceId | RegisterId>(
  sourceId: Id,
  retrievedAt: number,
  at: number,
): Omit<SourceState, "sourceId"> & { readonly sourceId: Id } {
  const retrieved = formatInstant(retrievedAt)
  return {
    sourceId,
    health: "HEALTHY",
    freshness: "FRESH",
    staleAt: formatInstant(retrievedAt + STALE_AFTER_MS),
    ageSeconds: Math.floor((at - retrievedAt) / SECOND),
    checkedAt: retrieved,
    nextAttemptAt: null,
    reasonCodes: [],
    isAccepted: false,
    lastAttempt: null,
    snapshot: snapshotOf(sourceId, retrieved),
  }
}

function snapshotOf(sourceId: string, retrievedAt: string): UsedSnapshot {
  return {
    snapshotId: `snp_sandbox_${sourceId.toLowerCase()}`,
    sourceUrl: `https://sandbox.svc.invalid/lists/${sourceId}`,
    sourceVersion: "synthetic/1",
    sourceTimestamp: retrievedAt,
    retrievedAt,
    parserVersion: "synthetic/1",
    rawSha256: digestOf({ synthetic: sourceId }),
    entries: sourceId === UK_REGISTER ? COMPANIES.length : LISTED.filter(([source]) => source === sourceId).length,
    publishedAt: retrievedAt,
    publishedFrom: "CONTENT",
    confirmedAt: null,
    limitations: [],
    acceptances: [],
    findings: [],
    isIncomplete: false,
  }
}

function companyEntry(number: string): RegisterEntry | null {
  const record = COMPANIES.find((company) => company.company_number === number)
  return record ? { key: number, otherKeys: [], name: record.company_name, record } : null
}

/** An active company of ten years without any adverse finding. */
function companyOf(company_number: string, company_name: string): CompanyRecord {
  return {
    company_number,
    company_name,
    company_status: "active",
    company_status_detail: null,
    company_type: "ltd",
    jurisdiction: "england-wales",
    date_of_creation: "2009-03-02",
    date_of_cessation: null,
    registered_office_address: {
      line_1: "1 SYNTHETIC SQUARE",
      line_2: null,
      locality: "NOWHERE",
      region: null,
      postal_code: "ZZ1 1ZZ",
      country: "ENGLAND",
      care_of: null,
      po_box: null,
    },
    sic_codes: ["43320"],
    previous_company_names: [],
    accounts_overdue: false,
    confirmation_statement_overdue: false,
    has_charges: false,
    has_insolvency_history: false,
    has_been_liquidated: false,
  }
}
