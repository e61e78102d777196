import type { RegisterId } from "./register-id.ts"

/** The licence terms of each publisher's register, as a snapshot states them to its recipients. */
export const REGISTER_LICENCES: Readonly<Record<RegisterId, string>> = {
  UK_COMPANIES_HOUSE:
    "OGL-UK-3.0: contains public sector information licensed under the Open Government Licence v3.0 (Companies House)",
  US_SAM_ENTITY: "US-Government-Work: public domain (17 U.S.C. 105)",
  GLEIF_LEI: "CC0-1.0: public domain dedication (GLEIF)",
  US_SEC_EDGAR: "US-Government-Work: public domain (17 U.S.C. 105)",
}
