/**
 * The monthly file of every live British company: one file of about 500 MB, or the same data in parts. Only the downloads page names both
 * and states which month is newest.
 */
import type { FileSet, PlannedFile, Planner } from "../plan.ts"
import { readPage } from "../read-page.ts"
import { TransferFault } from "../transfer-fault.ts"
import { fileBelow, MEGABYTE } from "./locations.ts"

const ID = "UK_COMPANIES_HOUSE"
const SITE = "https://download.companieshouse.gov.uk/"
const PAGE = "en_output.html"
const WHOLE = /\bBasicCompanyDataAsOneFile-(\d{4}-\d{2}-\d{2})\.zip\b/g
const PART = /\bBasicCompanyData-(\d{4}-\d{2}-\d{2})-part(\d{1,2})_(\d{1,2})\.zip\b/g
const MIRROR_MONTHS = 3

export const planCompaniesHouse: Planner = async ({ transport, now }) => {
  const { mirror } = transport
  if (mirror) {
    const months = Array.from({ length: MIRROR_MONTHS }, (_, back) => firstOfMonth(now, back))
    return { sets: months.map((day) => [fileBelow(mirror, ID, whole(day))]), news: null }
  }
  const page = new TextDecoder().decode(
    await readPage({ url: new URL(PAGE, SITE), bytesMax: MEGABYTE }, transport, now),
  )
  const sets = setsOn(page)
  if (sets.length === 0) throw new TransferFault("NOT_DATA", `${SITE}${PAGE}: names no file of companies`)
  return { sets, news: null }
}

/** Returns the sets of the newest day on the page: the single file first, then the parts if all of them exist. */
function setsOn(page: string): readonly FileSet[] {
  const wholes = [...page.matchAll(WHOLE)].map(([, day = ""]) => day)
  const parts = [...page.matchAll(PART)].map(([, day = "", part, of]) => ({ day, part: Number(part), of: Number(of) }))
  const newest = [...wholes, ...parts.map(({ day }) => day)].sort().at(-1)
  const ofDay = parts.filter(({ day }) => day === newest)
  const count = ofDay[0]?.of ?? 0
  const numbers = Array.from({ length: count }, (_, index) => index + 1)
  const isComplete =
    count > 0 && numbers.every((number) => ofDay.some(({ part, of }) => part === number && of === count))
  return [
    ...(newest !== undefined && wholes.includes(newest) ? [[whole(newest)]] : []),
    ...(newest !== undefined && isComplete ? [numbers.map((number) => partOf(newest, number, count))] : []),
  ]
}

function whole(day: string): PlannedFile {
  return at(`BasicCompanyDataAsOneFile-${day}.zip`, 100 * MEGABYTE, 2048 * MEGABYTE)
}

function partOf(day: string, part: number, count: number): PlannedFile {
  return at(`BasicCompanyData-${day}-part${part}_${count}.zip`, 5 * MEGABYTE, 512 * MEGABYTE)
}

function at(name: string, bytesMin: number, bytesMax: number): PlannedFile {
  return { name, url: new URL(name, SITE), kind: "zip", bytesMin, bytesMax }
}

function firstOfMonth(now: number, back: number): string {
  const today = new Date(now)
  return new Date(Date.UTC(today.getUTCFullYear(), today.getUTCMonth() - back, 1)).toISOString().slice(0, 10)
}
