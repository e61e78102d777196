/**
 * GSA's daily extract of exclusions, named for its day. Without a key SAM's own page of files says which is newest; with one the extracts
 * API is asked for the newest days by name, of which a personal key may ask ten times a day.
 */
import { DAY, HOUR } from "../../../core/time.ts"
import type { FetchPlan, PlanInput, PlannedFile, Planner } from "../plan.ts"
import { readPage } from "../read-page.ts"
import { TransferFault } from "../transfer-fault.ts"
import { fileBelow, MEGABYTE } from "./locations.ts"

const ID = "US_SAM_EXCLUSIONS"
const API = "https://api.sam.gov/data-services/v1/extracts"
const FILES = "https://sam.gov/api/prod/fileextractservices/v1/api/"
const DOMAIN = "Exclusions/Public V2"
const NAME = /^SAM_Exclusions_Public_Extract_V2_(\d{5})\.ZIP$/i
const PAGE_BYTES_MAX = 4 * MEGABYTE
/** Published after 7 AM in Washington, five hours behind UTC in winter: before that it is the day before. */
const DAY_STARTS_AT = 5 * HOUR
const MIRROR_DAYS = 4
const KEY_DAYS = 2

export const planSamExclusions: Planner = async (input) => {
  const { transport, samKey } = input
  const { mirror } = transport
  // Whoever fills a mirror may live east of Washington: its newest day is the day it is anywhere.
  if (mirror) return daily(input.now, MIRROR_DAYS, (name) => fileBelow(mirror, ID, extract(name, new URL(FILES))))
  if (samKey === null) return { sets: [[extract(await newestName(input), null)]], news: null }
  return daily(input.now - DAY_STARTS_AT, KEY_DAYS, (name) => {
    const url = new URL(API)
    url.searchParams.set("api_key", samKey)
    url.searchParams.set("fileName", name)
    return extract(name, url)
  })
}

/** `url` null: SAM's page of files. */
function extract(name: string, url: URL | null): PlannedFile {
  const listed = () => new URL(`download/${encodeURI(DOMAIN)}/${encodeURIComponent(name)}?privacy=Public`, FILES)
  return { name, url: url ?? listed(), kind: "zip", bytesMin: MEGABYTE, bytesMax: 128 * MEGABYTE }
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

async function newestName({ transport, now }: PlanInput): Promise<string> {
  const url = new URL(`listfiles?domain=${encodeURIComponent(DOMAIN)}&privacy=Public`, FILES)
  const page = new TextDecoder().decode(await readPage({ url, bytesMax: PAGE_BYTES_MAX }, transport, now))
  const [newest] = namesIn(page).sort((a, b) => dayOf(b).localeCompare(dayOf(a)))
  if (newest !== undefined) return newest
  throw new TransferFault("NOT_DATA", `${url.origin}${url.pathname}: names no extract of exclusions`)
}

function dayOf(name: string): string {
  return NAME.exec(name)?.[1] ?? ""
}

/** `{_embedded: {customS3ObjectSummaryList: [{displayKey}]}}`; what has no such shape names nothing. */
function namesIn(page: string): string[] {
  let value: unknown
  try {
    value = JSON.parse(page)
  } catch {
    return []
  }
  const list = member(member(value, "_embedded"), "customS3ObjectSummaryList")
  if (!Array.isArray(list)) return []
  return list
    .map((entry) => member(entry, "displayKey"))
    .filter((name): name is string => typeof name === "string" && NAME.test(name))
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
