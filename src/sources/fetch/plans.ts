import type { SourceId } from "../party.ts"
import type { Planner } from "./plan.ts"
import { planOfacConsolidated, planOfacSdn } from "./plans/ofac.ts"
import { planSamExclusions } from "./plans/sam-exclusions.ts"
import { planTradeCsl, planUkSanctionsList } from "./plans/single-csv.ts"

export const PLANS: Readonly<Record<SourceId, Planner>> = {
  UK_SANCTIONS_LIST: planUkSanctionsList,
  US_OFAC_CONSOLIDATED: planOfacConsolidated,
  US_OFAC_SDN: planOfacSdn,
  US_SAM_EXCLUSIONS: planSamExclusions,
  US_TRADE_CSL: planTradeCsl,
}
