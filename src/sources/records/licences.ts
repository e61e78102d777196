import type { SourceId } from "./party.ts"
import type { RegisterId } from "./register-id.ts"

/** The licence terms of each publisher's list or register, as a snapshot states them to its recipients. */
export const LICENCES: Readonly<Record<SourceId | RegisterId, string>> = {
  UK_SANCTIONS_LIST:
    "OGL-UK-3.0: contains public sector information licensed under the Open Government Licence v3.0 (FCDO)",
  US_OFAC_CONSOLIDATED: "US-Government-Work: public domain (17 U.S.C. 105)",
  US_OFAC_SDN: "US-Government-Work: public domain (17 U.S.C. 105)",
  US_SAM_EXCLUSIONS: "US-Government-Work: public domain (17 U.S.C. 105)",
  US_TRADE_CSL: "US-Government-Work: public domain (17 U.S.C. 105)",
  UK_COMPANIES_HOUSE:
    "OGL-UK-3.0: contains public sector information licensed under the Open Government Licence v3.0 (Companies House)",
  US_SAM_ENTITY: "US-Government-Work: public domain (17 U.S.C. 105)",
  GLEIF_LEI: "CC0-1.0: public domain dedication (GLEIF)",
  US_SEC_EDGAR: "US-Government-Work: public domain (17 U.S.C. 105)",
}
