import { SIGNED_FORMS_PATH } from "../../schemas/discovery/signed-forms.ts"
import type { Problem } from "../../schemas/problem.ts"
import { FIELD_ERRORS_MAX, type RefusalContext, type ReusableDecision, ServiceError } from "../base/errors.ts"
import type { ErrorCode } from "../base/refusals.ts"
import { findSecret } from "../core/secrets/find-secret.ts"
import { UnstorableText } from "../store/engine/storable.ts"
import { CommitOutcomeUnknown, StoreUnavailable } from "../store/engine/store-error.ts"

/** The caller wrote the path, so the problem repeats at most this much of it. */
const INSTANCE_CHARACTERS_MAX = 256

export interface ProblemContext {
  readonly path: string
  /** Origin of the error catalogue. */
  readonly baseUrl: string
  readonly requestId: string
  readonly traceId: string
}

/** Returns the rejection behind a thrown error, or null for a bug. */
export function refusalOf(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (error instanceof StoreUnavailable) {
    return new ServiceError(
      error.reason === "MOVED" ? "DATABASE_MOVED" : "STORE_UNAVAILABLE",
      "Repeat the same call; one that carried a payment, with that payment only.",
      {
        reasonCodes: [error.code],
        retryAfterSeconds: 5,
      },
    )
  }
  if (error instanceof CommitOutcomeUnknown) {
    return new ServiceError(
      "STORE_UNAVAILABLE",
      "Repeat the same call; one that carried a payment, with that payment only. It may have been stored.",
      { reasonCodes: ["DATABASE_IO"], retryAfterSeconds: 5 },
    )
  }
  // The service itself makes no such text.
  if (error instanceof UnstorableText) {
    return new ServiceError("SCHEMA_INVALID", "Send no text with the character U+0000: the service stores none.")
  }
  return null
}

const internal = new ServiceError(
  "INTERNAL",
  "The failure was logged under this request id; nothing was charged by it.",
)

/** Returns the URL of a code in the error catalogue. */
export function problemType(baseUrl: string, code: ErrorCode): string {
  return `${baseUrl}/problems/${code}`
}

/** Lists at most sixteen faults and the number of omitted ones. */
function listedErrors({ errors = [], errorsOmitted = 0 }: RefusalContext): Pick<Problem, "errors" | "errors_omitted"> {
  const listed = errors.slice(0, FIELD_ERRORS_MAX)
  return { errors: listed, errors_omitted: errors.length - listed.length + errorsOmitted }
}

/** The reusable authorization, as both the problem and the eligibility answer name it. */
export function reusableMembers({ answerId, responseDigest, validUntil, recover }: ReusableDecision) {
  return {
    decision_id: answerId,
    response_digest: responseDigest,
    valid_until: validUntil,
    ...(recover !== undefined && { recover }),
  }
}

/** A path with a secret is not repeated. */
function instanceOf(path: string): string {
  return findSecret(path, false) === null ? path.slice(0, INSTANCE_CHARACTERS_MAX) : "/"
}

/** The problem document of a refusal. Null means a bug. */
export function problemOf(refused: ServiceError | null, context: ProblemContext): Problem {
  const error = refused ?? internal
  const { status, title, next, retryable = false } = error.refusal
  const { form } = error
  return {
    type: problemType(context.baseUrl, error.code),
    title,
    status,
    code: error.code,
    detail: error.detail,
    instance: instanceOf(context.path),
    reason_codes: [...(error.context.reasonCodes ?? [])],
    ...listedErrors(error.context),
    retryable,
    charged: false,
    next_machine_action: next,
    request_id: context.requestId,
    trace_id: context.traceId,
    ...(form !== null && {
      signed_form: { name: form, uri: `${context.baseUrl}${SIGNED_FORMS_PATH}#${form}` },
    }),
    ...(error.context.executionId !== undefined && { execution_id: error.context.executionId }),
    ...(error.context.reusable && reusableMembers(error.context.reusable)),
  }
}

/** The headers of a refusal besides its media type: no cache, the headers of the error, and when to try again. */
export function problemHeaders(refused: ServiceError | null): Headers {
  const error = refused ?? internal
  const { status } = error.refusal
  const headers = new Headers({ "cache-control": "no-store", ...error.context.headers })
  const wait = error.context.retryAfterSeconds ?? (status === 503 || status === 429 ? 5 : undefined)
  if (wait !== undefined) headers.set("retry-after", String(wait))
  return headers
}

/** Writes application/problem+json (RFC 9457) for every route of the service. */
export function problemResponse(refused: ServiceError | null, context: ProblemContext): Response {
  const problem = problemOf(refused, context)
  const headers = problemHeaders(refused)
  headers.set("content-type", "application/problem+json")
  return new Response(JSON.stringify(problem), { status: problem.status, headers })
}
