/** Health and freshness of a list or a register, by the time since its publisher last sent or confirmed the stored bytes. */
import { formatInstant, SECOND } from "../../core/time.ts"
import type { AttemptRow } from "../../store/sources/sources.ts"
import type { ListEnd } from "./content-age.ts"
import type { SourceState } from "./source-board.ts"

/**
 * What a machine lacks of an active snapshot that another machine imported into the database that they share. SNAPSHOT_NOT_HERE: its bytes, and it has no
 * earlier snapshot in use. SNAPSHOT_BEHIND: it has used an earlier one for too long.
 */
export type Lack = "SNAPSHOT_NOT_HERE" | "SNAPSHOT_BEHIND"

/** By source id. */
export type Lacks = ReadonlyMap<string, Lack>

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
  readonly lack: Lack | null
  /** Milliseconds. */
  readonly at: number
}

function reasonCodes(
  health: SourceState["health"],
  freshness: SourceState["freshness"],
  { end, lack }: Pick<Held, "end" | "lack">,
): readonly string[] {
  if (health === "HEALTHY") return freshness === "AGING" ? ["SOURCE_AGING"] : []
  return [
    `SOURCE_${health}`,
    ...(health === "STALE" && end?.because === "CONTENT" ? ["CONTENT_TOO_OLD"] : []),
    ...(health === "UNAVAILABLE" && lack !== null ? [lack] : []),
  ]
}

type JudgedAge = Pick<SourceState, "health" | "freshness" | "staleAt" | "ageSeconds" | "reasonCodes">

export function judgedAge({ since, end, windows, isNeverFresh, attempt, disabled, lack, at }: Held): JudgedAge {
  const age = since === null ? null : at - since
  const staleAt = end?.staleAt ?? null
  const isStale = staleAt === null || at >= staleAt
  const isAging = isNeverFresh || (age !== null && age >= windows.freshSeconds * SECOND)
  const freshness = isStale ? "STALE" : isAging ? "AGING" : "FRESH"
  const health = disabled
    ? "DISABLED"
    : since === null || lack === "SNAPSHOT_BEHIND"
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
    reasonCodes: reasonCodes(health, freshness, { end, lack }),
  }
}
