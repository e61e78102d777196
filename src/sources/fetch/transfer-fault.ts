/** Why a publisher's file could not be had. Codes are for scripts and the record, the detail for an operator. */
export type TransferCode =
  | "ADDRESS_REFUSED"
  | "ASKED_TO_WAIT"
  | "CONNECT_FAILED"
  | "CONNECT_TIMED_OUT"
  | "DNS_FAILED"
  | "ENCODING_REFUSED"
  | "LENGTH_UNKNOWN"
  | "NOT_DATA"
  | "NOT_FOUND"
  | "PROTOCOL"
  | "STATUS"
  | "TIMED_OUT"
  | "TLS_FAILED"
  | "TOO_LARGE"
  | "TOO_MANY_REDIRECTS"
  | "TOO_SLOW"
  | "TOO_SMALL"
  | "TRUNCATED"
  | "URL_REFUSED"

/** Gone by itself, perhaps, within seconds. What the publisher states, or what we refuse, is not asked again in the same round. */
const TRANSIENT: ReadonlySet<TransferCode> = new Set<TransferCode>([
  "CONNECT_FAILED",
  "CONNECT_TIMED_OUT",
  "DNS_FAILED",
  "PROTOCOL",
  "TIMED_OUT",
  "TLS_FAILED",
  "TOO_SLOW",
  "TRUNCATED",
])

export class TransferFault extends Error {
  readonly isTransient: boolean

  constructor(
    readonly code: TransferCode,
    /** Names hosts and paths, never a query: keys and signatures stand there. */
    detail: string,
    /** `retryAfterUntil` in milliseconds: the publisher's own word on when to come back. */
    readonly options: { readonly retryAfterUntil?: number; readonly isTransient?: boolean } = {},
  ) {
    super(detail)
    this.isTransient = options.isTransient ?? TRANSIENT.has(code)
  }
}

/** What of an address may be shown and kept: no key, no signature of a presigned address, no user. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`
}
