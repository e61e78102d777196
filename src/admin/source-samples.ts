import { instant, SECOND } from "../core/time.ts"
import type { RegisterBoard, RegisterState } from "../sources/boards/register-board.ts"
import type { SourceBoard, SourceState } from "../sources/boards/source-board.ts"
import { type Sample, sample } from "./exposition.ts"
import { SOURCE_HEALTHS } from "./label-values.ts"

interface SourceParts {
  readonly machine: { now(): number }
  readonly sources: SourceBoard
  readonly gbSources: SourceBoard
  readonly registers: RegisterBoard
}

/** Ages are computed at each call. Registers are optional, so one that was never imported is left out. */
export function sourceSamples({ machine, sources, gbSources, registers }: SourceParts): readonly Sample[] {
  const now = machine.now()
  const imported = registers.states(now).filter(({ snapshot }) => snapshot !== null)
  return [...sources.states(now), ...gbSources.states(now), ...imported].flatMap(samplesOf)
}

function samplesOf({ sourceId, health, ageSeconds, staleAt }: SourceState | RegisterState): readonly Sample[] {
  const source = sourceId
  return [
    ...(ageSeconds === null ? [] : [sample("bizauth_source_age_seconds", { source }, ageSeconds)]),
    ...(staleAt === null
      ? []
      : [sample("bizauth_source_stale_timestamp_seconds", { source }, instant(staleAt) / SECOND)]),
    ...SOURCE_HEALTHS.map((one) => sample("bizauth_source_health", { source, health: one }, one === health ? 1 : 0)),
  ]
}
