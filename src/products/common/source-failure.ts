/** Defines the answer when a required source cannot be used. Such an answer is not charged (rulings 27). */
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import { ServiceError } from "../../base/errors.ts"
import type { ErrorCode } from "../../base/refusals.ts"
import { PAYEE_EVIDENCE } from "../../checks/attested-evidence.ts"
import { endsTooSoon } from "../../core/capsule/validity.ts"
import type { RequiredSource } from "../../delivery/sale.ts"

type Health = BusinessAnswer["source_health"][string]

/** For one request, `staleAt` is also limited by the age that the request accepts. */
export interface RequiredSourceState extends RequiredSource {
  /** Nothing was ever imported and no fetch is configured, so a later attempt does not help. */
  readonly neverSetUp: boolean
  /** The source lacks the requested record and is smaller than its minimum size, so the absence proves nothing. */
  readonly isIncomplete?: boolean
}

/** The sources that an answer requires. */
export interface RequiredSources<Request> {
  /** Members of the request that `sources` reads. */
  readonly sourcesNeed: readonly string[]
  /**
   * Returns the state of the required sources at `at` (ms) for this request, or for any request if it is null. It makes no network call, so
   * that a quote costs the service none.
   */
  sources(request: Request | null, at: number): readonly RequiredSourceState[]
  /**
   * Returns the failure of a source that is known not to answer any query now, although its state is good. Absent if no product's source is
   * queried live. A check before a quote judges the same.
   */
  unreachableSource?(at: number): Promise<ServiceError | null>
}

const SOURCE_RETRY_AFTER_SECONDS = 300

/** Names of source states in a rejection or an uncharged answer. */
const SOURCE_CODE = {
  STALE: "SOURCE_STALE",
  UNAVAILABLE: "SOURCE_UNAVAILABLE",
  SCHEMA_BREAK: "SOURCE_SCHEMA_BREAK",
  DISABLED: "SOURCE_DISABLED",
} as const satisfies Readonly<Record<Exclude<Health, "HEALTHY">, ErrorCode>>

/** Codes of failed sources. Every policy explains them in its last rows. */
export type SourceCode =
  | (typeof SOURCE_CODE)[keyof typeof SOURCE_CODE]
  | "SOURCE_NOT_SET_UP"
  | "SOURCE_INCOMPLETE"
  | EvidenceCode

/** Codes of the caller's own evidence that has ended or is too old. Policies that take such evidence explain them in the same rows. */
export type EvidenceCode =
  | "PAYEE_BINDING_EXPIRED"
  | "PAYEE_BINDING_TOO_OLD"
  | "CHALLENGE_EXPIRED"
  | "CHALLENGE_NOT_FRESH"

interface FailedSource {
  readonly sourceId: string
  readonly health: Exclude<Health, "HEALTHY">
  readonly code: SourceCode
  /** JSON pointer of the evidence, if the request carries it. */
  readonly pointer?: string
}

/** Returns the required sources that are not usable at `at` (ms), in their order. */
export function failedSources(sourceStates: readonly RequiredSourceState[], at: number): FailedSource[] {
  return sourceStates.flatMap((sourceState): FailedSource[] => {
    const { sourceId, health, staleAt, neverSetUp } = sourceState
    if (neverSetUp) return [{ sourceId, health: "UNAVAILABLE", code: "SOURCE_NOT_SET_UP" }]
    if (health !== "HEALTHY") return [{ sourceId, health, code: SOURCE_CODE[health] }]
    if (sourceState.isIncomplete) return [{ sourceId, health: "UNAVAILABLE", code: "SOURCE_INCOMPLETE" }]
    const tooSoon = staleAt !== null && endsTooSoon(staleAt, at)
    return tooSoon ? [{ sourceId, health: "STALE", code: SOURCE_CODE.STALE }] : []
  })
}

/**
 * Thrown where a payment may already be reserved, so that the attempt is released before anything is sent. The route answers with a
 * decision that decides nothing. `code` is a catalogue code, for the rare case where no such answer is possible.
 */
export class SourceFailure extends ServiceError {
  constructor(
    readonly failed: readonly FailedSource[],
    readonly sourcesQueried: readonly RequiredSourceState[],
    headers?: Readonly<Record<string, string>>,
  ) {
    const [first] = failed
    if (!first) throw new TypeError("no source failed")
    super(SOURCE_CODE[first.health], "A required source cannot be used now.", {
      reasonCodes: failed.map(({ sourceId, code }) => `${sourceId}_${code}`),
      errors: failed.flatMap(({ pointer, code }) =>
        pointer === undefined ? [] : [{ pointer, code, expected: "evidence that is current" }],
      ),
      retryAfterSeconds: SOURCE_RETRY_AFTER_SECONDS,
      ...(headers && { headers }),
    })
  }

  override withHeaders(headers: Readonly<Record<string, string>>): SourceFailure {
    return new SourceFailure(this.failed, this.sourcesQueried, { ...this.context.headers, ...headers })
  }
}

/** Throws {@link SourceFailure} if a required source is not usable. */
export function requireSources(sourceStates: readonly RequiredSourceState[], at: number): void {
  const failure = judgeRequiredSources(sourceStates, at)
  if (failure) throw failure
}

/** Returns the same failure instead of throwing it; null if every source is usable. */
export function judgeRequiredSources(sourceStates: readonly RequiredSourceState[], at: number): SourceFailure | null {
  const failed = failedSources(sourceStates, at)
  return failed.length === 0 ? null : new SourceFailure(failed, sourceStates)
}

/**
 * Returns a 503 without a charge, for a product whose failed source is refused; null if every source is usable. It names the reasons of the
 * sources, because no answer states them.
 */
export function checkSources(sourceStates: readonly RequiredSourceState[], at: number): ServiceError | null {
  const sick = sourceStates.filter(({ health }) => health !== "HEALTHY")
  const [first] = sick
  if (first && first.health !== "HEALTHY") return unavailable(SOURCE_CODE[first.health], sick)
  const endOf = ({ staleAt }: RequiredSourceState) => staleAt ?? at
  const tooOld = sourceStates.filter((state) => endOf(state) <= at)
  if (tooOld.length > 0) return unavailable("SOURCE_STALE", tooOld, "MAX_AGE_SECONDS_EXCEEDED")
  const ending = sourceStates.filter((state) => endsTooSoon(endOf(state), at))
  return ending.length > 0 ? unavailable("SOURCE_STALE", ending, "STALE_WITHIN_TEN_MINUTES") : null
}

/** `because` shows a caller that its own `max_age_seconds` causes the failure, so waiting alone may not help. */
function unavailable(code: ErrorCode, states: readonly RequiredSourceState[], because?: string): ServiceError {
  return new ServiceError(code, `Required sources: ${states.map(({ sourceId }) => sourceId).join(", ")}.`, {
    reasonCodes: [...new Set([...(because ? [because] : []), ...states.flatMap(({ reasonCodes }) => reasonCodes)])],
    retryAfterSeconds: SOURCE_RETRY_AFTER_SECONDS,
  })
}

/** Returns the failure of a source that did not answer a query, although it was healthy before. */
export function sourceFailed(
  sourceStates: readonly RequiredSourceState[],
  sourceId: string,
  health: Exclude<Health, "HEALTHY">,
): SourceFailure {
  return new SourceFailure([{ sourceId, health, code: SOURCE_CODE[health] }], sourceStates)
}

/** Returns the failure of the caller's own evidence: it has ended, or is older than the policy allows. */
export function evidenceEnded(
  sourceStates: readonly RequiredSourceState[],
  ended: readonly { readonly code: EvidenceCode; readonly pointer: string }[],
): SourceFailure {
  const failed = ended.map((one) => ({ ...one, sourceId: PAYEE_EVIDENCE, health: "STALE" as const }))
  return new SourceFailure(failed, sourceStates)
}
