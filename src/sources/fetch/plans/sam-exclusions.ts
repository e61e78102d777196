/**
 * GSA's daily extract of exclusions; the file name contains the day. Without a key, SAM's public page of files names the newest extract.
 * With a key, the plan requests the newest days from the extracts API by name; a personal key allows ten requests a day.
 */
import { DAY, HOUR } from "../../../core/time.ts"
import type { FetchPlan, PlannedFile, Planner } from "../plan.ts"
import { fileBelow, MEGABYTE } from "./locations.ts"
import { newestSamFile, type SamFolder } from "./sam-files.ts"

const ID = "US_SAM_EXCLUSIONS"
const API = "https://api.sam.gov/data-services/v1/extracts"
const FOLDER: SamFolder = {
  domain: "Exclusions/Public V2",
  name: /^SAM_Exclusions_Public_Extract_V2_(\d{5})\.ZIP$/i,
  what: "extract of exclusions",
}
const LIMITS = { bytesMin: MEGABYTE, bytesMax: 128 * MEGABYTE }
/**
 * Published after 7 AM in Washington, which is five hours behind UTC in winter. Before that hour the newest extract is that of the day
 * before.
 */
const DAY_STARTS_AT = 5 * HOUR
const MIRROR_DAYS = 4
const KEY_DAYS = 2

export const planSamExclusions: Planner = async (input) => {
  const { transport, samKey, now } = input
  // A mirror may be filled east of Washington, so its newest day can be the latest calendar day anywhere.
  if (transport.mirror) return daily(now, MIRROR_DAYS, (name) => fileBelow(transport.mirror, ID, withKey(name, "")))
  if (samKey === null) return { sets: [[await newestSamFile(FOLDER, LIMITS, input)]], news: null }
  return daily(now - DAY_STARTS_AT, KEY_DAYS, (name) => withKey(name, samKey))
}

function withKey(name: string, key: string): PlannedFile {
  const url = new URL(API)
  url.searchParams.set("api_key", key)
  url.searchParams.set("fileName", name)
  return { name, url, kind: "zip", ...LIMITS }
}

function daily(newest: number, days: number, file: (name: string) => PlannedFile): FetchPlan {
  const names = Array.from({ length: days }, (_, back) => nameOfDay(newest - back * DAY))
  return { sets: names.map((name) => [file(name)]), news: null }
}

function nameOfDay(at: number): string {
  const year = new Date(at).getUTCFullYear()
  const day = Math.floor((at - Date.UTC(year, 0, 1)) / DAY) + 1
  return `SAM_Exclusions_Public_Extract_V2_${String(year).slice(2)}${String(day).padStart(3, "0")}.ZIP`
}
