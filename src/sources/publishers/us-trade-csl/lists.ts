/** The lists inside the Consolidated Screening List. Six are screened here; OFAC's are mirrors of the two OFAC sources. */

import type { Measure, SourceId } from "../../records/party.ts"

type CslList =
  | { readonly kind: "screened"; readonly code: string; readonly measure: Measure }
  | { readonly kind: "mirror"; readonly of: Extract<SourceId, "US_OFAC_SDN" | "US_OFAC_CONSOLIDATED"> }

const SCREENED: Readonly<Record<string, Measure>> = {
  DPL: "hold",
  EL: "hold",
  MEU: "hold",
  DTC: "hold",
  ISN: "hold",
  // "Unverified" only means that no end-use check was possible: it requires due diligence and does not restrict payments.
  UVL: "condition",
}

export const SCREENED_CODES: readonly string[] = Object.keys(SCREENED)

export const OF_TREASURY: RegExp = / - Treasury Department$/
export const SDN = "Specially Designated Nationals"

/** Reads the `source` column, such as `Entity List (EL) - Bureau of Industry and Security`. Returns null for an unknown list. */
export function listOfSource(source: string): CslList | null {
  if (OF_TREASURY.test(source)) {
    return { kind: "mirror", of: source.startsWith(SDN) ? "US_OFAC_SDN" : "US_OFAC_CONSOLIDATED" }
  }
  const code = /\(([A-Z]+)\)/.exec(source)?.[1] ?? ""
  const measure = SCREENED[code]
  return measure === undefined ? null : { kind: "screened", code, measure }
}
