/** A refusal on its way from where it is found to the answer that carries it. */
import { type ErrorCode, type Refusal, refusalRow } from "./refusals.ts"

export interface FieldError {
  /** RFC 6901 pointer into the body, or `header:Name`. */
  readonly pointer: string
  readonly code: string
  /** Allowed values, pattern or bounds, in words; never a value that was sent. */
  readonly expected: string
}

/** A problem names this many faults and counts the others. */
export const FIELD_ERRORS_MAX = 16

/** A delivered authorization that a refused purchase would have bought again. */
export interface ReusableDecision {
  /** Decision id, or execution id of an answer of the eight products. */
  readonly decisionId: string
  /** What later requests name it by: the digest in the delivery, or of the eight products the core digest that its capsule signs. */
  readonly responseDigest: string
  readonly validUntil: string
  /** Address of the route that gives it again, only for who bought it. */
  readonly recover?: string
}

export interface RefusalContext {
  readonly reasonCodes?: readonly string[]
  readonly errors?: readonly FieldError[]
  /** Faults beyond `errors`. */
  readonly errorsOmitted?: number
  readonly retryAfterSeconds?: number
  /** Where the design answers one code with another status: an unknown agent is 404 as a resource and 403 as a requester. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly reusable?: ReusableDecision
  /** Of the delivered answer that the refused purchase would not give. */
  readonly executionId?: string
}

/** A refusal on its way to the one place that writes problem+json. `detail` never repeats a submitted value. */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly context: RefusalContext = {},
  ) {
    super(code)
  }

  /** The same refusal with these headers on its answer. */
  withHeaders(headers: Readonly<Record<string, string>>): ServiceError {
    return new ServiceError(this.code, this.detail, {
      ...this.context,
      headers: { ...this.context.headers, ...headers },
    })
  }

  get refusal(): Refusal {
    const refusal = refusalRow(this.code)
    return this.context.status === undefined ? refusal : { ...refusal, status: this.context.status }
  }
}
