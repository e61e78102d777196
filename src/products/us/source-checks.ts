/** Checks the required sources before a quote and before settlement: healthy, and no older than the request allows. */
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../base/errors.ts"
import type { ErrorCode } from "../../base/refusals.ts"
import { endsTooSoon } from "../../core/capsule/validity.ts"
import { formatInstant, MINUTE } from "../../core/time.ts"
import type { SourceBoard, SourceState } from "../../sources/boards/source-board.ts"
import { requestStaleAt } from "../../sources/boards/source-fact.ts"
import { SOURCE_CODE, SOURCE_RETRY_AFTER_SECONDS } from "../common/source-failure.ts"

export const VALIDITY_MAX_MS = 60 * MINUTE

/**
 * Returns a 503 without a charge. The request's `max_age_seconds` can shorten the windows, never extend them. Without a request the windows
 * are the sources' own.
 */
export function judgeSources(inquiry: {
  readonly request: Pick<DecisionRequest, "freshness_requirements"> | null
  readonly at: number
  readonly sources: SourceBoard
}): ServiceError | null {
  const { at, sources } = inquiry
  const maxAge = inquiry.request?.freshness_requirements.max_age_seconds ?? Number.POSITIVE_INFINITY
  const staleAt = (state: SourceState) => requestStaleAt(state, maxAge) ?? at
  const states = sources.states(at)
  const sick = states.find(({ health }) => health !== "HEALTHY")
  if (sick && sick.health !== "HEALTHY") {
    return unavailable(
      SOURCE_CODE[sick.health],
      states.filter(({ health }) => health !== "HEALTHY"),
    )
  }
  const tooOld = states.filter((state) => staleAt(state) <= at)
  if (tooOld.length > 0) return unavailable("SOURCE_STALE", tooOld, "MAX_AGE_SECONDS_EXCEEDED")
  const ending = states.filter((state) => endsTooSoon(staleAt(state), at))
  return ending.length > 0 ? unavailable("SOURCE_STALE", ending, "STALE_WITHIN_TEN_MINUTES") : null
}

/** `because` shows a caller that its own `max_age_seconds` causes the failure, so waiting alone may not help. */
function unavailable(code: ErrorCode, states: readonly SourceState[], because?: string): ServiceError {
  return new ServiceError(code, `Required sources: ${states.map(({ sourceId }) => sourceId).join(", ")}.`, {
    reasonCodes: [...new Set([...(because ? [because] : []), ...states.flatMap(({ reasonCodes }) => reasonCodes)])],
    retryAfterSeconds: SOURCE_RETRY_AFTER_SECONDS,
  })
}

/** Returns 422 if mandate, delegation or verification ends within ten minutes. `end` is in milliseconds. */
export function judgeValidity(end: number, at: number): ServiceError | null {
  if (!endsTooSoon(end, at)) return null
  return new ServiceError("VALIDITY_TOO_SHORT", `The authority behind this request ends at ${formatInstant(end)}.`)
}
