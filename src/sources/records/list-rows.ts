/**
 * What a running service knows of each list, one row for each. Separate from the parsers, because a running service loads one only if its
 * version differs from that of its snapshot.
 */
import { openGovernmentLicence, US_GOVERNMENT_WORK } from "./licences.ts"
import type { SourceId } from "./party.ts"
import type { ContentLimit, ListWindows } from "./windows.ts"

export interface ListRow {
  /** Changes whenever the same bytes could give different parties. */
  readonly parserVersion: string
  /** The version of the parser before it, which screens stored deliveries again; null for the first parser. */
  readonly earlierVersion: string | null
  /** Changes whenever the same bytes could give different details of an entry. */
  readonly detailsVersion: string
  readonly windows: ListWindows
  /** The publisher's terms, which a snapshot states to its recipients. */
  readonly licence: string
}

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS
/** Published several times a week, so a copy from seven weeks ago is old. */
const WEEKLY: ContentLimit = { staleSeconds: 45 * DAY_SECONDS, unlessConfirmed: false }
const OFAC = { freshSeconds: 24 * HOUR_SECONDS, staleSeconds: 72 * HOUR_SECONDS, pollSeconds: HOUR_SECONDS }

export const LIST_ROWS: Readonly<Record<SourceId, ListRow>> = {
  UK_SANCTIONS_LIST: {
    parserVersion: "uk-sanctions-list/1.1.0",
    earlierVersion: "uk-sanctions-list/1.0.1",
    detailsVersion: "uk-sanctions-list-details/1.0.0",
    windows: { ...OFAC, content: WEEKLY },
    licence: openGovernmentLicence("FCDO"),
  },
  US_OFAC_CONSOLIDATED: {
    parserVersion: "us-ofac-consolidated/1.1.0",
    earlierVersion: "us-ofac-consolidated/1.0.1",
    detailsVersion: "us-ofac-consolidated-details/1.0.0",
    // The list was once unchanged for 110 days. Only a year without a change proves that a copy is old.
    windows: { ...OFAC, content: { staleSeconds: 400 * DAY_SECONDS, unlessConfirmed: true } },
    licence: US_GOVERNMENT_WORK,
  },
  US_OFAC_SDN: {
    parserVersion: "us-ofac-sdn/1.1.0",
    earlierVersion: "us-ofac-sdn/1.0.1",
    detailsVersion: "us-ofac-sdn-details/1.0.0",
    windows: { ...OFAC, content: WEEKLY },
    licence: US_GOVERNMENT_WORK,
  },
  US_SAM_EXCLUSIONS: {
    parserVersion: "us-sam-exclusions/1.1.0",
    earlierVersion: "us-sam-exclusions/1.0.1",
    detailsVersion: "us-sam-exclusions-details/1.0.0",
    windows: {
      freshSeconds: 36 * HOUR_SECONDS,
      staleSeconds: 96 * HOUR_SECONDS,
      pollSeconds: 6 * HOUR_SECONDS,
      content: { staleSeconds: 7 * DAY_SECONDS, unlessConfirmed: false },
    },
    licence: US_GOVERNMENT_WORK,
  },
  US_TRADE_CSL: {
    parserVersion: "us-trade-csl/1.1.0",
    earlierVersion: "us-trade-csl/1.0.1",
    detailsVersion: "us-trade-csl-details/1.0.0",
    windows: {
      freshSeconds: 36 * HOUR_SECONDS,
      staleSeconds: 96 * HOUR_SECONDS,
      pollSeconds: 3 * HOUR_SECONDS,
      // CHOICE: the list repeats the SDN list every day, so an unconfirmed copy has the same age limit as a copy of the SDN list.
      content: { staleSeconds: 45 * DAY_SECONDS, unlessConfirmed: true },
    },
    licence: US_GOVERNMENT_WORK,
  },
}
