import { type FieldError, ServiceError } from "../../../base/errors.ts"
import type { ErrorCode } from "../../../base/refusals.ts"
import { notAdmittedError } from "../../../http/free-writes.ts"
import type { NotAdmitted } from "../../../store/free-writes/admit.ts"

/** Why a message was not accepted. A unit returns it; nothing was written. */
export interface Refusal {
  readonly kind: "REFUSED"
  readonly code: ErrorCode
  readonly detail: string
  /** The reason codes of the answer. */
  readonly reason?: string
  readonly errors?: readonly FieldError[]
  readonly retryAfterSeconds?: number
}

export function refusal(code: ErrorCode, reason: string, detail: string): Refusal {
  return { kind: "REFUSED", code, reason, detail }
}

/** A share that is used up, or no room. `at` in milliseconds. */
export function shareRefusal(given: NotAdmitted, at: number): Refusal {
  const { code, detail, context } = notAdmittedError(given, at)
  const [reason] = context.reasonCodes ?? []
  return {
    kind: "REFUSED",
    code,
    detail,
    ...(reason !== undefined && { reason }),
    ...(context.retryAfterSeconds !== undefined && { retryAfterSeconds: context.retryAfterSeconds }),
  }
}

/** The refusal as an error. `baseUrl` is the realm of a 401. */
export function refusalError(
  { code, detail, reason, errors, retryAfterSeconds }: Refusal,
  baseUrl: string,
): ServiceError {
  const isSignature = code === "AGENT_SIGNATURE_REJECTED" || code === "AGENT_SCOPE_REJECTED"
  return new ServiceError(code, detail, {
    ...(reason !== undefined && { reasonCodes: [reason] }),
    ...(errors && { errors }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(isSignature && { headers: { "www-authenticate": `SvcAgentSignature realm="${baseUrl}"` } }),
  })
}
