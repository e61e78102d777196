/** A fetch plan: the publisher's files under the names that the adapter reads, with the limits of each file. */
import type { Transport } from "./open-response.ts"
import type { Page } from "./read-page.ts"

export type FileKind = "csv" | "json" | "xml" | "zip"

export interface PlannedFile {
  /** File name that the adapter expects. The snapshot stores the file under the same name. */
  readonly name: string
  /** May contain a key in its query. Show and store it only through `keptUrl`. */
  readonly url: URL
  readonly kind: FileKind
  /** A shorter body is an error page or an empty export. */
  readonly bytesMin: number
  readonly bytesMax: number
  /** The publication may lack this file; then 404 is not a fault. */
  readonly isOptional?: boolean
}

/** All files of one publication, in request order. */
export type FileSet = readonly PlannedFile[]

export interface FetchPlan {
  /** Tried in order. The next set is tried only if a file of the set before is missing (404). */
  readonly sets: readonly FileSet[]
  /** The publisher's page that names the newest publication; cheaper than the files. Null if there is none. */
  readonly news: Page | null
}

export interface PlanInput {
  readonly transport: Transport
  /** Milliseconds. */
  readonly now: number
  /** Key for the SAM extracts, or null. */
  readonly samKey: string | null
}

/** Builds the plan. It may ask the publisher which file is newest. Throws TransferFault if that request fails. */
export type Planner = (input: PlanInput) => Promise<FetchPlan>

const KEY_PARAMETER = "api_key"

/** Returns the URL that a snapshot stores: without a secret. */
export function keptUrl(url: URL): string {
  const kept = new URL(url.href)
  kept.searchParams.delete(KEY_PARAMETER)
  return kept.href
}
