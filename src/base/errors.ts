/** A refusal as an error: thrown where it is found, converted to a response in one place. */
import type { SensitiveFault } from "../core/sensitive/find-in-text.ts"
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
  /** Decision id, or execution id of an answer of the eight products. */
  readonly answerId: string
  /**
   * Digest by which later requests reference it: the digest in the delivery, or for the eight products the core digest that its capsule
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

  get refusal(): Refusal {
    const refusal = refusalRow(this.code)
    return this.context.status === undefined ? refusal : { ...refusal, status: this.context.status }
  }
}

interface Rejection {
  readonly code: ErrorCode
  readonly detail: string
  /** What each field may hold. */
  readonly expected: string
}

const PRIVATE_KEY: Rejection = {
  code: "PRIVATE_KEY_MATERIAL_REJECTED",
  detail: "A private key was sent. It was neither kept nor logged; treat it as compromised and generate a new one.",
  expected: "public key, digest or opaque reference",
}
const CREDENTIAL: Rejection = {
  code: "CREDENTIAL_REJECTED",
  detail: "A credential was sent. It was neither kept nor logged; treat it as compromised and revoke it.",
  expected: "digest or opaque reference",
}
const BANK_DATA: Rejection = {
  code: "RAW_BANK_DATA_REJECTED",
  detail:
    "Send a fingerprint or an opaque reference instead; errors names each field. The value was neither stored nor logged.",
  expected: "fingerprint or opaque reference",
}

/** Codes of the refusals of a body because of what it holds. */
export const SENSITIVE_CODES: ReadonlySet<ErrorCode> = new Set([PRIVATE_KEY.code, CREDENTIAL.code, BANK_DATA.code])

const REJECTIONS: Readonly<Record<SensitiveFault["kind"], Rejection>> = {
  PRIVATE_KEY_MATERIAL: PRIVATE_KEY,
  SEED_PHRASE: PRIVATE_KEY,
  ACCESS_TOKEN: CREDENTIAL,
  IBAN: BANK_DATA,
  CARD_NUMBER: BANK_DATA,
  UK_ACCOUNT: BANK_DATA,
}
/** The gravest first. */
const GRAVITY = [PRIVATE_KEY, CREDENTIAL, BANK_DATA]

/** Throws {@link rejectionOf} if there is a fault. */
export function requireNoFaults(faults: readonly SensitiveFault[], status?: number): void {
  const rejection = rejectionOf(faults, status)
  if (rejection) throw rejection
}

/** Returns the rejection of the gravest fault, with the pointers and kinds of all. `status` replaces that of the code. */
export function rejectionOf(faults: readonly SensitiveFault[], status?: number): ServiceError | null {
  const gravest = GRAVITY.find((rejection) => faults.some(({ kind }) => REJECTIONS[kind] === rejection))
  if (gravest === undefined) return null
  return new ServiceError(gravest.code, gravest.detail, {
    errors: faults
      .slice(0, FIELD_ERRORS_MAX)
      .map(({ pointer, kind }) => ({ pointer, code: kind, expected: REJECTIONS[kind].expected })),
    ...(faults.length > FIELD_ERRORS_MAX && { errorsOmitted: faults.length - FIELD_ERRORS_MAX }),
    ...(status && { status }),
  })
}
