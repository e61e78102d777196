/** Why a publisher's file could not be downloaded. The code is for scripts and the stored row, the detail is for an operator. */
type TransferCode =
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

/**
 * Faults that may pass within seconds. Other faults are what the publisher states or this service rejects; the round does not retry them.
 */
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
    /** Names hosts and paths, never a query: a query may contain keys and signatures. */
    detail: string,
    /** `retryAfterUntil` in milliseconds: the publisher's Retry-After. */
    readonly options: { readonly retryAfterUntil?: number; readonly isTransient?: boolean } = {},
  ) {
    super(detail)
    this.isTransient = options.isTransient ?? TRANSIENT.has(code)
  }
}

/** Returns the part of a URL that may be shown and stored: no key, no signature of a presigned URL, no user. */
export function shownUrl(url: URL): string {
  return `${url.origin}${url.pathname}`
}
