/** How old each list may be and how often its publisher is asked: apart from the adapters, which a running service need not load. */
import type { SourceId } from "../records/party.ts"

export interface Windows {
  readonly freshSeconds: number
  readonly staleSeconds: number
  readonly pollSeconds: number
}

/** A list has two ages: how long ago its publisher was asked, and how long ago its content was published. */
export interface ListWindows extends Windows {
  readonly content: ContentLimit
}

export interface ContentLimit {
  /** From this age of its content on the list is STALE. */
  readonly staleSeconds: number
  /** The limit does not count while the publisher's own host confirmed the bytes within the retrieval window. */
  readonly unlessConfirmed: boolean
}

const HOUR_SECONDS = 3600
const DAY_SECONDS = 24 * HOUR_SECONDS
/** Published several times a week: a copy of seven weeks ago is an old one. */
const WEEKLY: ContentLimit = { staleSeconds: 45 * DAY_SECONDS, unlessConfirmed: false }
const OFAC = { freshSeconds: 24 * HOUR_SECONDS, staleSeconds: 72 * HOUR_SECONDS, pollSeconds: HOUR_SECONDS } as const

export const WINDOWS: Readonly<Record<SourceId, ListWindows>> = {
  UK_SANCTIONS_LIST: { ...OFAC, content: WEEKLY },
  // It was unchanged for 110 days once: only a year without a change proves that a copy is old.
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
    // CHOICE: it repeats the SDN list every day, so a copy that its publisher does not confirm is as old as a copy of that list.
    content: { staleSeconds: 45 * DAY_SECONDS, unlessConfirmed: true },
  },
}
