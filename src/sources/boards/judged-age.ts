/** Health and freshness of a list or a register, by the time since its publisher last sent or confirmed the stored bytes. */
import { formatInstant, SECOND } from "../../core/time.ts"
import type { AttemptRow } from "../../store/sources/sources.ts"
import type { ListEnd } from "./content-age.ts"
import type { SourceState } from "./source-board.ts"

interface Held {
  /** When the publisher last sent or confirmed the stored bytes, in milliseconds; null if nothing readable is stored. */
  readonly since: number | null
  /** When the bytes become too old (milliseconds), and which age causes it. Null exactly if `since` is null. */
  readonly end: ListEnd | null
  readonly windows: { readonly freshSeconds: number }
  /** The operator accepted it although it is old or small, so it never counts as fresh. */
  readonly isNeverFresh: boolean
  readonly attempt: AttemptRow | null
  readonly disabled: boolean
  /** This machine has answered from another snapshot than the active one for too long. */
  readonly isBehind: boolean
  /** Milliseconds. */
  readonly at: number
}

function reasonCodes(
  health: SourceState["health"],
  freshness: SourceState["freshness"],
  { end, isBehind }: Pick<Held, "end" | "isBehind">,
): readonly string[] {
  if (health === "HEALTHY") return freshness === "AGING" ? ["SOURCE_AGING"] : []
  return [
    `SOURCE_${health}`,
    ...(health === "STALE" && end?.because === "CONTENT" ? ["CONTENT_TOO_OLD"] : []),
    ...(health === "UNAVAILABLE" && isBehind ? ["SNAPSHOT_BEHIND"] : []),
  ]
}

type JudgedAge = Pick<SourceState, "health" | "freshness" | "staleAt" | "ageSeconds" | "reasonCodes">

export function judgedAge({ since, end, windows, isNeverFresh, attempt, disabled, isBehind, at }: Held): JudgedAge {
  const age = since === null ? null : at - since
  const staleAt = end?.staleAt ?? null
  const isStale = staleAt === null || at >= staleAt
  const isAging = isNeverFresh || (age !== null && age >= windows.freshSeconds * SECOND)
  const freshness = isStale ? "STALE" : isAging ? "AGING" : "FRESH"
  const health = disabled
    ? "DISABLED"
    : since === null || isBehind
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
    reasonCodes: reasonCodes(health, freshness, { end, isBehind }),
  }
}
