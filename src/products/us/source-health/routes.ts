import type { SourceHealthAnswer } from "../../../../schemas/us/source-health.ts"
import { getUsFederalSourceHealth } from "../../../../schemas/us/source-health.ts"
import { formatInstant, instant, MINUTE } from "../../../core/time.ts"
import { serve } from "../../../http/serve.ts"
import type { Shell } from "../../../http/shell.ts"
import { provenanceFact } from "../../../sources/boards/publication.ts"
import type { SourceBoard, SourceState } from "../../../sources/boards/source-board.ts"

interface SourceHealthDeps {
  readonly shell: Shell
  readonly sources: SourceBoard
}

/** A reply is valid for this time, or until the first source goes stale. */
const VALID_MS = MINUTE

export function sourceHealth({ shell, sources }: SourceHealthDeps) {
  return serve(shell, getUsFederalSourceHealth, (call) => {
    const answer = sourceHealthAnswer(sources.states(call.at), call.at)
    return { status: 200, body: answer, note: { healthy: answer.sources.every(({ health }) => health === "HEALTHY") } }
  })
}

/** The reply defined by rulings 12. `at` is in milliseconds. */
export function sourceHealthAnswer(states: readonly SourceState[], at: number): SourceHealthAnswer {
  const healthy = states.every(({ health }) => health === "HEALTHY")
  const ends = states.flatMap(({ staleAt }) => (staleAt === null ? [] : [instant(staleAt)]))
  const validUntil = Math.max(at, Math.min(at + VALID_MS, ...ends))
  return {
    schema_version: "1.0.0",
    coverage: "FEDERAL_ONLY",
    as_of: formatInstant(at),
    sources: states.map((state) => ({
      source_id: state.sourceId,
      health: state.health,
      freshness: state.freshness,
      reason_codes: [...state.reasonCodes],
      source_version: state.snapshot?.sourceVersion ?? null,
      source_timestamp: state.snapshot?.sourceTimestamp ?? null,
      retrieved_at: state.snapshot?.retrievedAt ?? null,
      age_seconds: state.ageSeconds,
      stale_at: state.staleAt,
      entries: state.snapshot?.entries ?? null,
      raw_sha256: state.snapshot?.rawSha256 ?? null,
      last_attempt: state.lastAttempt,
      next_attempt_at: state.nextAttemptAt,
      ...(state.snapshot ? provenanceFact(state.snapshot) : {}),
    })),
    limitations: ["METADATA_ONLY", "HEALTH_IS_NOT_A_SCREENING_RESULT"],
    valid_as_of: formatInstant(at),
    valid_until: formatInstant(validUntil),
    next_machine_action: healthy ? "REQUEST_QUOTE" : "RETRY_LATER_WITHOUT_PAYMENT",
  }
}
