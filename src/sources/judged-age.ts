/** Health and freshness of a list or a register by how long ago its publisher was last known to say what we hold. */
import { formatInstant, SECOND } from "../core/time.ts"
import type { AttemptRow } from "../store/sources.ts"
import type { SourceState } from "./source-board.ts"

export interface Held {
  /** Since when what we hold is known to be the publisher's word, milliseconds; null when nothing that can be read is held. */
  readonly since: number | null
  readonly windows: { readonly freshSeconds: number; readonly staleSeconds: number }
  readonly attempt: AttemptRow | null
  readonly disabled: boolean
  /** Milliseconds. */
  readonly at: number
}

type JudgedAge = Pick<SourceState, "health" | "freshness" | "staleAt" | "ageSeconds" | "reasonCodes">

export function judgedAge({ since, windows, attempt, disabled, at }: Held): JudgedAge {
  const age = since === null ? null : at - since
  const staleAt = since === null ? null : since + windows.staleSeconds * SECOND
  const isStale = staleAt === null || at >= staleAt
  const isAging = age !== null && age >= windows.freshSeconds * SECOND
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
    reasonCodes: health === "HEALTHY" ? (freshness === "AGING" ? ["SOURCE_AGING"] : []) : [`SOURCE_${health}`],
  }
}
