import type { SourceId } from "../records/party.ts"
import type { RegisterId } from "../records/register-id.ts"
import type { Planner } from "./plan.ts"
import { planCompaniesHouse } from "./plans/companies-house.ts"
import { planGleifLei, planSamEntity, planSecEdgar } from "./plans/identity-registers.ts"
import { planOfacConsolidated, planOfacSdn } from "./plans/ofac.ts"
import { planSamExclusions } from "./plans/sam-exclusions.ts"
import { planTradeCsl, planUkSanctionsList } from "./plans/single-csv.ts"

export const PLANS: Readonly<Record<SourceId | RegisterId, Planner>> = {
  UK_SANCTIONS_LIST: planUkSanctionsList,
  US_OFAC_CONSOLIDATED: planOfacConsolidated,
  US_OFAC_SDN: planOfacSdn,
  US_SAM_EXCLUSIONS: planSamExclusions,
  US_TRADE_CSL: planTradeCsl,
  GLEIF_LEI: planGleifLei,
  UK_COMPANIES_HOUSE: planCompaniesHouse,
  US_SAM_ENTITY: planSamEntity,
  US_SEC_EDGAR: planSecEdgar,
}
