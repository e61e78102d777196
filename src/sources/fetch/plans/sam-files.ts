/** SAM.gov's public page of files: it names the newest extract of a folder and its location. No key is needed. */
import type { PlanInput, PlannedFile } from "../plan.ts"
import { readPage } from "../read-page.ts"
import { TransferFault } from "../transfer-fault.ts"
import { MEGABYTE } from "./locations.ts"

const FILES = "https://sam.gov/api/prod/fileextractservices/v1/api/"
const PAGE_BYTES_MAX = 4 * MEGABYTE

export interface SamFolder {
  readonly domain: string
  /** The first group is a day of fixed length that sorts as text. */
  readonly name: RegExp
  readonly what: string
}

/** Throws TransferFault. */
export async function newestSamFile(
  { domain, name, what }: SamFolder,
  limits: Pick<PlannedFile, "bytesMin" | "bytesMax">,
  { transport, now }: PlanInput,
): Promise<PlannedFile> {
  const url = new URL(`listfiles?domain=${encodeURIComponent(domain)}&privacy=Public`, FILES)
  const page = new TextDecoder().decode(await readPage({ url, bytesMax: PAGE_BYTES_MAX }, transport, now))
  const dayOf = (text: string) => name.exec(text)?.[1] ?? ""
  const [newest] = namesIn(page)
    .filter((text) => name.test(text))
    .sort((a, b) => dayOf(b).localeCompare(dayOf(a)))
  if (newest === undefined) throw new TransferFault("NOT_DATA", `${url.origin}${url.pathname}: names no ${what}`)
  const at = new URL(`download/${encodeURI(domain)}/${encodeURIComponent(newest)}?privacy=Public`, FILES)
  return { name: newest, url: at, kind: "zip", ...limits }
}

/** Reads `{_embedded: {customS3ObjectSummaryList: [{displayKey}]}}`. Returns no names for any other shape. */
function namesIn(page: string): string[] {
  let value: unknown
  try {
    value = JSON.parse(page)
  } catch {
    return []
  }
  const list = member(member(value, "_embedded"), "customS3ObjectSummaryList")
  if (!Array.isArray(list)) return []
  return list.map((entry) => member(entry, "displayKey")).filter((text): text is string => typeof text === "string")
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined
}
