/**
 * Maximum age of each list and fetch interval of each publisher. Separate from the adapters, because a running service need not load those.
 */
import type { SourceId } from "../records/party.ts"

export interface Windows {
  readonly freshSeconds: number
  readonly staleSeconds: number
  readonly pollSeconds: number
}

/** A list has two ages: the time since its publisher was asked, and the time since its content was published. */
export interface ListWindows extends Windows {
  readonly content: ContentLimit
}

export interface ContentLimit {
  /** The list is STALE from this age of its content. */
  readonly staleSeconds: number
  /** The limit does not apply while the publisher's own host confirmed the bytes within the retrieval window. */
  readonly unlessConfirmed: boolean
}

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS
/** Published several times a week, so a copy from seven weeks ago is old. */
const WEEKLY: ContentLimit = { staleSeconds: 45 * DAY_SECONDS, unlessConfirmed: false }
const OFAC = { freshSeconds: 24 * HOUR_SECONDS, staleSeconds: 72 * HOUR_SECONDS, pollSeconds: HOUR_SECONDS } as const

export const WINDOWS: Readonly<Record<SourceId, ListWindows>> = {
  UK_SANCTIONS_LIST: { ...OFAC, content: WEEKLY },
  // The list was once unchanged for 110 days. Only a year without a change proves that a copy is old.
  US_OFAC_CONSOLIDATED: { ...OFAC, content: { staleSeconds: 400 * DAY_SECONDS, unlessConfirmed: true } },
  US_OFAC_SDN: { ...OFAC, content: WEEKLY },
  US_SAM_EXCLUSIONS: {
    freshSeconds: 36 * HOUR_SECONDS,
    staleSeconds: 96 * HOUR_SECONDS,
    pollSeconds: 6 * HOUR_SECONDS,
    content: { staleSeconds: 7 * DAY_SECONDS, unlessConfirmed: false },
  },
  US_TRADE_CSL: {
    freshSeconds: 36 * HOUR_SECONDS,
    staleSeconds: 96 * HOUR_SECONDS,
    pollSeconds: 3 * HOUR_SECONDS,
    // CHOICE: the list repeats the SDN list every day, so an unconfirmed copy has the same age limit as a copy of the SDN list.
    content: { staleSeconds: 45 * DAY_SECONDS, unlessConfirmed: true },
  },
}
