/** What the worker needs of the hub. The hub only carries messages: it proves nothing about jobs, authors or money. */
import { inBrackets } from "../../base/network-fault.ts"

export interface HubEntry {
  /** SHA-256 of the entry's canonical JSON, hex: entries have no id. */
  readonly key: string
  readonly kind: "message" | "system"
  /** text, proposal, deliverable, structured, requirement, or another word of at most 64 characters; null for system entries. */
  readonly contentType: string | null
  /** For example job.funded; null for messages. */
  readonly eventType: string | null
  /** Address in lower case as the hub asserts it; null if it is absent or malformed. */
  readonly author: string | null
  /** Empty if {@link tooLarge}. */
  readonly content: string
  /** The content is over 64 KiB. */
  readonly tooLarge: boolean
  /** Milliseconds, on the hub's clock. */
  readonly timestamp: number
}

/** Methods throw {@link HubUnavailable}; `listen` does not. Job ids are decimal digits. */
export interface AcpHub {
  /** Jobs that the hub believes are active on this chain. A hint only. */
  activeJobs(): Promise<readonly string[]>
  /** The whole history, by time and key. */
  history(jobId: string): Promise<readonly HubEntry[]>
  postMessage(jobId: string, content: string): Promise<void>
  postDeliverable(jobId: string, text: string): Promise<void>
  /** Calls `onJob` with the job of each event, until the signal aborts or the stream ends. */
  listen(onJob: (jobId: string) => void, signal: AbortSignal): Promise<void>
}

/** The hub did not answer, or its answer had no valid form. This says nothing about the job. */
export class HubUnavailable extends Error {
  constructor(
    readonly question: string,
    /** HTTP status, if there was one. */
    readonly status: number | null,
    /** The code of the system, if the connection failed. */
    code: string | null = null,
  ) {
    super(`the hub did not answer ${question}${inBrackets(status === null ? code : String(status))}`)
  }
}
