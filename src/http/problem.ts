import type { Problem } from "../../schemas/problem.ts"
import { type ReusableDecision, ServiceError } from "../errors.ts"
import { StoreUnavailable } from "../store/store-error.ts"

/** A path is the caller's own text; it is not repeated at any length. */
const INSTANCE_CHARACTERS_MAX = 256

export interface ProblemContext {
  readonly path: string
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
    type: `urn:svc:problem:${error.code.toLowerCase().replaceAll("_", "-")}`,
    title,
    status,
    code: error.code,
    detail: error.detail,
    instance: context.path.slice(0, INSTANCE_CHARACTERS_MAX),
    reason_codes: [...(error.context.reasonCodes ?? [])],
    errors: [...(error.context.errors ?? [])],
    retryable,
    charged: false,
    next_machine_action: next,
    request_id: context.requestId,
    trace_id: context.traceId,
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
