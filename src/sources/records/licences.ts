import type { SourceId } from "./party.ts"

/** On what terms each publisher gives its list away, as a snapshot states it to whoever it is handed to. */
export const LICENCES: Readonly<Record<SourceId, string>> = {
  UK_SANCTIONS_LIST:
    "OGL-UK-3.0: contains public sector information licensed under the Open Government Licence v3.0 (FCDO)",
  US_OFAC_CONSOLIDATED: "US-Government-Work: public domain (17 U.S.C. 105)",
  US_OFAC_SDN: "US-Government-Work: public domain (17 U.S.C. 105)",
  US_SAM_EXCLUSIONS: "US-Government-Work: public domain (17 U.S.C. 105)",
  US_TRADE_CSL: "US-Government-Work: public domain (17 U.S.C. 105)",
}
