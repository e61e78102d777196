import type { Problem } from "../../schemas/problem.ts"
import { FIELD_ERRORS_MAX, type RefusalContext, type ReusableDecision, ServiceError } from "../errors.ts"
import type { ErrorCode } from "../refusals.ts"
import { StoreUnavailable } from "../store/store-error.ts"

/** A path is the caller's own text; it is not repeated at any length. */
const INSTANCE_CHARACTERS_MAX = 256

export interface ProblemContext {
  readonly path: string
  /** Origin under which the catalogue is served. */
  readonly baseUrl: string
  readonly requestId: string
  readonly traceId: string
}

/** The refusal behind anything thrown; null for a bug. */
export function refusalOf(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error
  if (error instanceof StoreUnavailable) {
    return new ServiceError(
      "STORE_UNAVAILABLE",
      "Repeat the same call; one that carried a payment, with that payment only.",
      {
        reasonCodes: [`DATABASE_${error.reason}`],
        retryAfterSeconds: 5,
      },
    )
  }
  return null
}

const internal = new ServiceError(
  "INTERNAL",
  "The failure was logged under this request id; nothing was charged by it.",
)

/** Address of the catalogue's row of a code. */
export function problemType(baseUrl: string, code: ErrorCode): string {
  return `${baseUrl}/problems/${code}`
}

/** Sixteen faults at most, and how many more there are. */
function listedErrors({ errors = [], errorsOmitted = 0 }: RefusalContext): Pick<Problem, "errors" | "errors_omitted"> {
  const listed = errors.slice(0, FIELD_ERRORS_MAX)
  return { errors: listed, errors_omitted: errors.length - listed.length + errorsOmitted }
}

/** The authorization as a problem and the eligibility answer name it. */
export function reusableMembers({ decisionId, responseDigest, validUntil, recover }: ReusableDecision) {
  return {
    decision_id: decisionId,
    response_digest: responseDigest,
    valid_until: validUntil,
    ...(recover !== undefined && { recover }),
  }
}

/** Writes application/problem+json (RFC 9457). The only place that does. */
export function problemResponse(refused: ServiceError | null, context: ProblemContext): Response {
  const error = refused ?? internal
  const { status, title, next, retryable = false } = error.refusal
  const body: Problem = {
    type: problemType(context.baseUrl, error.code),
    title,
    status,
    code: error.code,
    detail: error.detail,
    instance: context.path.slice(0, INSTANCE_CHARACTERS_MAX),
    reason_codes: [...(error.context.reasonCodes ?? [])],
    ...listedErrors(error.context),
    retryable,
    charged: false,
    next_machine_action: next,
    request_id: context.requestId,
    trace_id: context.traceId,
    ...(error.context.executionId !== undefined && { execution_id: error.context.executionId }),
    ...(error.context.reusable && reusableMembers(error.context.reusable)),
  }
  const headers = new Headers({
    "content-type": "application/problem+json",
    "cache-control": "no-store",
    ...error.context.headers,
  })
  const wait = error.context.retryAfterSeconds ?? (status === 503 || status === 429 ? 5 : undefined)
  if (wait !== undefined) headers.set("retry-after", String(wait))
  return new Response(JSON.stringify(body), { status, headers })
}
