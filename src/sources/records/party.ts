// The common record of all restricted-party sources.

/** The four required US federal restricted-party sources, in id order (Interface, "Free preflight and status"). */
export const REQUIRED_US_SOURCES = ["US_OFAC_CONSOLIDATED", "US_OFAC_SDN", "US_SAM_EXCLUSIONS", "US_TRADE_CSL"] as const

/** The sources that the UK products screen (Interface, "Source IDs"). */
export const REQUIRED_GB_SOURCES = ["UK_SANCTIONS_LIST"] as const

/** The sources that are screened together, in one index. */
export const BOARDS = { US: REQUIRED_US_SOURCES, GB: REQUIRED_GB_SOURCES } as const
export type BoardName = keyof typeof BOARDS

/** Every restricted-party source that can be imported and screened. */
export const SOURCE_IDS = [...REQUIRED_US_SOURCES, ...REQUIRED_GB_SOURCES] as const
export type SourceId = (typeof SOURCE_IDS)[number]

export type PartyType = "person" | "org" | "vessel" | "aircraft" | "unknown"

/** The strongest effect of a hit on this entry: `block` lists can BLOCK, the others HOLD or add a CONDITION. */
export type Measure = "block" | "hold" | "condition"

export type NameKind = "primary" | "aka" | "fka" | "weak" | "native"

export interface PartyName {
  readonly text: string
  readonly kind: NameKind
}

/** `scheme` is lower case: `uei`, `cage`, `lei`, `cik`, `npi`, `imo`, `wallet`, `registration`, `tax`, `passport`, `national-id`, `other`. */
export interface PartyIdentifier {
  readonly scheme: string
  readonly value: string
  /** ISO 3166-1 alpha-2 if the publisher's text could be mapped, otherwise absent. */
  readonly country?: string
  /** Wallet identifiers: the publisher's currency code, e.g. `ETH`, `XBT`, `USDC`. */
  readonly currency?: string
}

export interface Party {
  readonly sourceId: SourceId
  /** The publisher's own key (OFAC ent_num, SAM number, CSL `_id` or entity number, UK Unique ID). Unique within a snapshot. */
  readonly entryId: string
  readonly type: PartyType
  /** The publisher's list name, e.g. `SDN`, `SSI`, `DPL`, `EL`, `UVL`. */
  readonly list: string
  readonly programs: readonly string[]
  readonly measure: Measure
  readonly names: readonly PartyName[]
  readonly identifiers: readonly PartyIdentifier[]
  /** Dates of birth exactly as printed by the publisher. */
  readonly birthDates: readonly string[]
  /** ISO 3166-1 alpha-2 codes of addresses, nationalities and registrations; unmapped texts are omitted. */
  readonly countries: readonly string[]
  readonly addresses: readonly string[]
  /** `YYYY-MM-DD` if the publisher states a period. */
  readonly validFrom?: string
  readonly validTo?: string
  /** Location of the entry in the publisher's bytes. */
  readonly line: { readonly file: string; readonly number: number }
}
