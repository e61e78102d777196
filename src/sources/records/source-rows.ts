/** The stored state of the sources at one moment. */

import type { Unit } from "../../store/engine/unit.ts"
import { type SourceCheckRow, sourceChecks } from "../../store/sources/source-checks.ts"
import {
  type AttemptRow,
  activeSnapshots,
  lastAttempts,
  type SnapshotRow,
  sourceGeneration,
} from "../../store/sources/sources.ts"

export interface SourceRows {
  /** Increases with every import, rejected import and rollback. */
  readonly generation: number
  /** The active snapshots in the order of their source ids. */
  readonly active: readonly SnapshotRow[]
  /** By source id. */
  readonly attempts: ReadonlyMap<string, AttemptRow>
  readonly checks: SourceChecks
}

/** By source id. */
export type SourceChecks = ReadonlyMap<string, SourceCheckRow>

/** Reads the active snapshots of `sources` only, and every last attempt. */
export function* sourceRows(sources: readonly string[]): Unit<SourceRows> {
  const generation = yield* sourceGeneration()
  const active = yield* activeSnapshots()
  const attempts = yield* lastAttempts()
  const checks = yield* checksById()
  return {
    generation,
    checks,
    active: active.filter(({ sourceId }) => sources.includes(sourceId)),
    attempts: new Map(attempts.map((attempt) => [attempt.sourceId, attempt])),
  }
}

/** A fetch round without new data does not change the generation. */
export function* checksById(): Unit<SourceChecks> {
  return new Map((yield* sourceChecks()).map((check) => [check.sourceId, check]))
}
