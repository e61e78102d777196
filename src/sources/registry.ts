import type { SourceAdapter } from "./adapter.ts"
import type { SourceId } from "./party.ts"
import { ukSanctionsList } from "./uk-sanctions-list/adapter.ts"
import { usOfacConsolidated, usOfacSdn } from "./us-ofac/adapter.ts"
import { usSamExclusions } from "./us-sam-exclusions/adapter.ts"
import { usTradeCsl } from "./us-trade-csl/adapter.ts"

export const ADAPTERS: Readonly<Record<SourceId, SourceAdapter>> = {
  UK_SANCTIONS_LIST: ukSanctionsList,
  US_OFAC_CONSOLIDATED: usOfacConsolidated,
  US_OFAC_SDN: usOfacSdn,
  US_SAM_EXCLUSIONS: usSamExclusions,
  US_TRADE_CSL: usTradeCsl,
}

/** Null for a text that is no source id. */
export function adapterOf(id: string): SourceAdapter | null {
  return Object.values(ADAPTERS).find((adapter) => adapter.id === id) ?? null
}
