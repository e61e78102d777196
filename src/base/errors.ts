/** A refusal as an error: thrown where it is found, converted to a response in one place. */
import type { FormName } from "../core/forms/form-name.ts"
import { type ErrorCode, type Refusal, refusalRow } from "./refusals.ts"

export interface FieldError {
  /** RFC 6901 pointer into the body, `header:Name`, `path:name` of a path parameter, or `path`. */
  readonly pointer: string
  readonly code: string
  /** Allowed values, pattern or bounds, in words; never a submitted value. */
  readonly expected: string
}

/** A problem names at most this number of faults and counts the others. */
export const FIELD_ERRORS_MAX = 16

/** A delivered authorization that the refused purchase would have bought again. */
export interface ReusableDecision {
  /** Decision id, or execution id of an answer of the answer products. */
  readonly answerId: string
  /**
   * Digest by which later requests reference it: the digest in the delivery, or for the answer products the core digest that its capsule
   * signs.
   */
  readonly responseDigest: string
  readonly validUntil: string
  /** URL of the route that returns it again, only to its buyer. */
  readonly recover?: string
}

export interface RefusalContext {
  readonly reasonCodes?: readonly string[]
  readonly errors?: readonly FieldError[]
  /** Number of faults beyond `errors`. */
  readonly errorsOmitted?: number
  readonly retryAfterSeconds?: number
  /** Set if the design uses another status for the same code: an unknown agent is 404 as a resource and 403 as a requester. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly reusable?: ReusableDecision
  /** The form that the refusal is about, if it is another one than its code names. */
  readonly form?: FormName
  /** Execution id of the delivered answer that the refused purchase would have repeated. */
  readonly executionId?: string
}

/** A refusal that the one writer of problem+json converts. `detail` never repeats a submitted value. */
export class ServiceError extends Error {
  constructor(
    readonly code: ErrorCode,
    readonly detail: string,
    readonly context: RefusalContext = {},
  ) {
    super(code)
  }

  /** Returns the same refusal with these headers on its response. */
  withHeaders(headers: Readonly<Record<string, string>>): ServiceError {
    return new ServiceError(this.code, this.detail, {
      ...this.context,
      headers: { ...this.context.headers, ...headers },
    })
  }

  /** Returns the same refusal about this form, unless its code is about no form. */
  aboutForm(form: FormName): ServiceError {
    return this.refusal.form === undefined ? this : new ServiceError(this.code, this.detail, { form, ...this.context })
  }

  /** The form that the refusal is about, or null. */
  get form(): FormName | null {
    const { form = null } = this.refusal
    return this.context.form ?? (form === "OF_CALL" ? null : form)
  }

  get refusal(): Refusal {
    const refusal = refusalRow(this.code)
    return this.context.status === undefined ? refusal : { ...refusal, status: this.context.status }
  }
}
