/** A required source that cannot be used: what the answer then is, and that nothing is charged for it (rulings 27). */
import type { BusinessAnswer } from "../../schemas/business-answer.ts"
import { VALIDITY_MIN_MS } from "../checks/validity.ts"
import { ServiceError } from "../errors.ts"
import type { ErrorCode } from "../refusals.ts"

type Health = BusinessAnswer["source_health"][string]

export interface SourceStanding {
  readonly sourceId: string
  readonly health: Health
  readonly reasonCodes: readonly string[]
  /** When it becomes too old for this request, in milliseconds; null where it has no such time now. */
  readonly staleAt: number | null
  /** Nothing was ever imported and nothing will fetch it: asking again later does not help. */
  readonly neverSetUp: boolean
  /** It lacks what the request asks about, and is smaller than it must be: that proves nothing. */
  readonly isIncomplete?: boolean
}

export const SOURCE_RETRY_AFTER_SECONDS = 300

/** What a refusal or an uncharged answer calls it. */
export const SOURCE_CODE = {
  STALE: "SOURCE_STALE",
  UNAVAILABLE: "SOURCE_UNAVAILABLE",
  SCHEMA_BREAK: "SOURCE_SCHEMA_BREAK",
  DISABLED: "SOURCE_DISABLED",
} as const satisfies Readonly<Record<Exclude<Health, "HEALTHY">, ErrorCode>>

/** Codes of failed sources, which every policy explains in its last rows. */
export type SourceCode = (typeof SOURCE_CODE)[keyof typeof SOURCE_CODE] | "SOURCE_NOT_SET_UP" | "SOURCE_INCOMPLETE"

export interface FailedSource {
  readonly sourceId: string
  readonly health: Exclude<Health, "HEALTHY">
  readonly code: SourceCode
}

/** Required sources that are not usable at `at` (ms), in their order. */
export function failedSources(standings: readonly SourceStanding[], at: number): FailedSource[] {
  return standings.flatMap((standing): FailedSource[] => {
    const { sourceId, health, staleAt, neverSetUp } = standing
    if (neverSetUp) return [{ sourceId, health: "UNAVAILABLE", code: "SOURCE_NOT_SET_UP" }]
    if (health !== "HEALTHY") return [{ sourceId, health, code: SOURCE_CODE[health] }]
    if (standing.isIncomplete) return [{ sourceId, health: "UNAVAILABLE", code: "SOURCE_INCOMPLETE" }]
    const tooSoon = staleAt !== null && staleAt < at + VALIDITY_MIN_MS
    return tooSoon ? [{ sourceId, health: "STALE", code: SOURCE_CODE.STALE }] : []
  })
}

/**
 * Thrown where a payment may stand already, so that the attempt is given up before anything is sent; the route answers it as a decision
 * that decides nothing. `code` is a catalogue code, for the rare answer that cannot be one.
 */
export class SourceFailure extends ServiceError {
  constructor(
    readonly failed: readonly FailedSource[],
    readonly asked: readonly SourceStanding[],
    headers?: Readonly<Record<string, string>>,
  ) {
    const [first] = failed
    if (!first) throw new TypeError("no source failed")
    super(
      first.code === "SOURCE_NOT_SET_UP" || first.code === "SOURCE_INCOMPLETE" ? "SOURCE_UNAVAILABLE" : first.code,
      "A required source cannot be used now.",
      {
        reasonCodes: failed.map(({ sourceId, code }) => `${sourceId}_${code}`),
        retryAfterSeconds: SOURCE_RETRY_AFTER_SECONDS,
        ...(headers && { headers }),
      },
    )
  }

  override withHeaders(headers: Readonly<Record<string, string>>): SourceFailure {
    return new SourceFailure(this.failed, this.asked, { ...this.context.headers, ...headers })
  }
}

/** Throws {@link SourceFailure}. */
export function requireSources(standings: readonly SourceStanding[], at: number): void {
  const failed = failedSources(standings, at)
  if (failed.length > 0) throw new SourceFailure(failed, standings)
}

/** A source that gave no answer when it was asked, though it stood well before. */
export function sourceFailed(
  standings: readonly SourceStanding[],
  sourceId: string,
  health: Exclude<Health, "HEALTHY">,
): SourceFailure {
  return new SourceFailure([{ sourceId, health, code: SOURCE_CODE[health] }], standings)
}
