import { ukSanctionsList } from "./publishers/uk-sanctions-list/adapter.ts"
import { usOfacConsolidated, usOfacSdn } from "./publishers/us-ofac/adapter.ts"
import { usSamExclusions } from "./publishers/us-sam-exclusions/adapter.ts"
import { usTradeCsl } from "./publishers/us-trade-csl/adapter.ts"
import type { SourceAdapter } from "./records/adapter.ts"
import type { SourceId } from "./records/party.ts"

export const ADAPTERS: Readonly<Record<SourceId, SourceAdapter>> = {
  UK_SANCTIONS_LIST: ukSanctionsList,
  US_OFAC_CONSOLIDATED: usOfacConsolidated,
  US_OFAC_SDN: usOfacSdn,
  US_SAM_EXCLUSIONS: usSamExclusions,
  US_TRADE_CSL: usTradeCsl,
}

/** Returns null if the text is not a source id. */
export function adapterOf(id: string): SourceAdapter | null {
  return Object.values(ADAPTERS).find((adapter) => adapter.id === id) ?? null
}
