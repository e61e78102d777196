/** Fetch plans of the optional registers that identify US companies and legal entities. Each register is one file. */
import type { PlannedFile, Planner } from "../plan.ts"
import { fileBelow, MEGABYTE } from "./locations.ts"
import { newestSamFile } from "./sam-files.ts"

/** The golden copy of the LEI records. The address redirects to the newest of three copies a day. */
export const planGleifLei = single("GLEIF_LEI", {
  name: "gleif-lei2-golden-copy.csv.zip",
  url: new URL("https://goldencopy.gleif.org/api/v2/golden-copies/publishes/lei2/latest.csv"),
  kind: "zip",
  bytesMin: 100 * MEGABYTE,
  bytesMax: 4096 * MEGABYTE,
})

/** The SEC rejects requests without a contact in the User-Agent: the setting `sources_contact`. */
export const planSecEdgar = single("US_SEC_EDGAR", {
  name: "company_tickers.json",
  url: new URL("https://www.sec.gov/files/company_tickers.json"),
  kind: "json",
  bytesMin: MEGABYTE / 8,
  bytesMax: 32 * MEGABYTE,
})

const SAM_ENTITY = {
  domain: "Entity Registration/Public V2",
  name: /^SAM_PUBLIC_UTF-8_MONTHLY_V2_(\d{8})\.ZIP$/i,
  what: "monthly extract of entities",
} as const

/** CHOICE: on a mirror the monthly extract has no day in its name, because the day differs from month to month. */
export const planSamEntity: Planner = async (input) => {
  const limits = { bytesMin: 20 * MEGABYTE, bytesMax: 2048 * MEGABYTE }
  const { mirror } = input.transport
  if (mirror === null) return { sets: [[await newestSamFile(SAM_ENTITY, limits, input)]], news: null }
  const name = "SAM_PUBLIC_UTF-8_MONTHLY_V2.ZIP"
  return {
    sets: [[fileBelow(mirror, "US_SAM_ENTITY", { name, url: mirror.base, kind: "zip", ...limits })]],
    news: null,
  }
}

function single(id: string, file: PlannedFile): Planner {
  return async ({ transport: { mirror } }) => ({ sets: [[fileBelow(mirror, id, file)]], news: null })
}
