/** What a source is fetched from: the publisher's files under the names its adapter reads, with what may be believed of them. */
import type { Transport } from "./open-response.ts"
import type { Page } from "./read-page.ts"

export type FileKind = "csv" | "json" | "xml" | "zip"

export interface PlannedFile {
  /** As the adapter expects it, and as it is kept. */
  readonly name: string
  /** May hold a key in its query: shown and kept by `keptUrl` only. */
  readonly url: URL
  readonly kind: FileKind
  /** A shorter body is an error page or an empty export. */
  readonly bytesMin: number
  readonly bytesMax: number
  /** A publication may lack it; then 404 is no fault. */
  readonly isOptional?: boolean
}

/** All files of one publication, in the order they are asked for. */
export type FileSet = readonly PlannedFile[]

export interface FetchPlan {
  /** Tried in turn: the next one only where a file of the one before is not there (404). */
  readonly sets: readonly FileSet[]
  /** The publisher's page that says what is newest: cheaper than the files. Null where there is none. */
  readonly news: Page | null
}

export interface PlanInput {
  readonly transport: Transport
  /** Milliseconds. */
  readonly now: number
  /** Key of the SAM extracts, null without one. */
  readonly samKey: string | null
}

/** May ask the publisher which file is newest; throws TransferFault where that fails. */
export type Planner = (input: PlanInput) => Promise<FetchPlan>

const KEY_PARAMETER = "api_key"

/** The URL a snapshot keeps. */
export function keptUrl(url: URL): string {
  const kept = new URL(url.href)
  kept.searchParams.delete(KEY_PARAMETER)
  return kept.href
}
