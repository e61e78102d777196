/** Health and freshness of a list or a register by how long ago its publisher was last known to say what we hold. */
import { formatInstant, SECOND } from "../../core/time.ts"
import type { AttemptRow } from "../../store/sources/sources.ts"
import type { ListEnd } from "../publication/content-age.ts"
import type { SourceState } from "./source-board.ts"

export interface Held {
  /** Since when what we hold is known to be the publisher's word, milliseconds; null when nothing that can be read is held. */
  readonly since: number | null
  /** When it becomes too old, milliseconds, and which age ends it; null exactly where `since` is. */
  readonly end: ListEnd | null
  readonly windows: { readonly freshSeconds: number }
  /** The operator accepted it although it is old or small. */
  readonly isNeverFresh: boolean
  readonly attempt: AttemptRow | null
  readonly disabled: boolean
  /** Milliseconds. */
  readonly at: number
}

function reasonCodes(
  health: SourceState["health"],
  freshness: SourceState["freshness"],
  end: ListEnd | null,
): readonly string[] {
  if (health === "HEALTHY") return freshness === "AGING" ? ["SOURCE_AGING"] : []
  return [`SOURCE_${health}`, ...(health === "STALE" && end?.because === "CONTENT" ? ["CONTENT_TOO_OLD"] : [])]
}

type JudgedAge = Pick<SourceState, "health" | "freshness" | "staleAt" | "ageSeconds" | "reasonCodes">

export function judgedAge({ since, end, windows, isNeverFresh, attempt, disabled, at }: Held): JudgedAge {
  const age = since === null ? null : at - since
  const staleAt = end?.staleAt ?? null
  const isStale = staleAt === null || at >= staleAt
  const isAging = isNeverFresh || (age !== null && age >= windows.freshSeconds * SECOND)
  const freshness = isStale ? "STALE" : isAging ? "AGING" : "FRESH"
  const health = disabled
    ? "DISABLED"
    : since === null
      ? "UNAVAILABLE"
      : attempt?.schemaBreak === 1
        ? "SCHEMA_BREAK"
        : isStale
          ? "STALE"
          : "HEALTHY"
  return {
    health,
    freshness,
    staleAt: staleAt === null ? null : formatInstant(staleAt),
    ageSeconds: age === null ? null : Math.max(0, Math.floor(age / SECOND)),
    reasonCodes: reasonCodes(health, freshness, end),
  }
}
