/**
 * Plans of two publishers that publish one CSV file under one address: Commerce (Consolidated Screening List) and the Foreign Office (UK
 * list).
 */
import type { Planner } from "../plan.ts"
import { fileBelow, MEGABYTE } from "./locations.ts"

function single(id: string, name: string, url: string): Planner {
  return async ({ transport: { mirror } }) => ({
    sets: [
      [
        fileBelow(mirror, id, {
          name,
          url: new URL(url),
          kind: "csv",
          bytesMin: MEGABYTE,
          bytesMax: 256 * MEGABYTE,
        }),
      ],
    ],
    news: null,
  })
}

export const planTradeCsl = single(
  "US_TRADE_CSL",
  "consolidated.csv",
  "https://data.trade.gov/downloadable_consolidated_screening_list/v1/consolidated.csv",
)
export const planUkSanctionsList = single(
  "UK_SANCTIONS_LIST",
  "UK-Sanctions-List.csv",
  "https://sanctionslist.fcdo.gov.uk/docs/UK-Sanctions-List.csv",
)
