/** How old each list may be and how often its publisher is asked: apart from the adapters, which a running service need not load. */
import type { SourceId } from "./party.ts"

export interface Windows {
  readonly freshSeconds: number
  readonly staleSeconds: number
  readonly pollSeconds: number
}

const HOUR_SECONDS = 3600
// The publisher is irregular: the age of the publication is not staleness, only that of our last look.
const OFAC: Windows = { freshSeconds: 24 * HOUR_SECONDS, staleSeconds: 72 * HOUR_SECONDS, pollSeconds: HOUR_SECONDS }

export const WINDOWS: Readonly<Record<SourceId, Windows>> = {
  UK_SANCTIONS_LIST: { freshSeconds: 24 * HOUR_SECONDS, staleSeconds: 72 * HOUR_SECONDS, pollSeconds: HOUR_SECONDS },
  US_OFAC_CONSOLIDATED: OFAC,
  US_OFAC_SDN: OFAC,
  US_SAM_EXCLUSIONS: {
    freshSeconds: 36 * HOUR_SECONDS,
    staleSeconds: 96 * HOUR_SECONDS,
    pollSeconds: 6 * HOUR_SECONDS,
  },
  US_TRADE_CSL: { freshSeconds: 36 * HOUR_SECONDS, staleSeconds: 96 * HOUR_SECONDS, pollSeconds: 3 * HOUR_SECONDS },
}
