/**
 * The versions of the lists' parsers. A running service compares them with its snapshots, and loads a parser only if one differs. A version
 * changes whenever the same bytes could give different parties; then the earlier parser stays too, to screen stored deliveries again.
 */
import type { SourceId } from "./party.ts"

export const LIST_PARSERS = {
  UK_SANCTIONS_LIST: { version: "uk-sanctions-list/1.1.0", earlier: "uk-sanctions-list/1.0.1" },
  US_OFAC_CONSOLIDATED: { version: "us-ofac-consolidated/1.1.0", earlier: "us-ofac-consolidated/1.0.1" },
  US_OFAC_SDN: { version: "us-ofac-sdn/1.1.0", earlier: "us-ofac-sdn/1.0.1" },
  US_SAM_EXCLUSIONS: { version: "us-sam-exclusions/1.1.0", earlier: "us-sam-exclusions/1.0.1" },
  US_TRADE_CSL: { version: "us-trade-csl/1.1.0", earlier: "us-trade-csl/1.0.1" },
} as const satisfies Record<SourceId, { readonly version: string; readonly earlier?: string }>
