import type { ScreenState } from "../screening/screen.ts"
import type { SourceState } from "./source-board.ts"

/** What keeps an answer from being complete: every source in use that is not HEALTHY. */
export function unhealthy(sources: readonly SourceState[]): readonly SourceState[] {
  return sources.filter(({ health }) => health !== "HEALTHY")
}

/**
 * What may be said of a screened name. INVARIANT: nobody is CLEAR, or free to go ahead under a condition, while a list
 * in use is missing, stale or broken. A hit that stops a payment stays one whatever else could not be looked at.
 */
export function provableState(state: ScreenState, sources: readonly SourceState[]): ScreenState {
  const goesAhead = state === "CLEAR" || state === "PROGRAM_CONDITION"
  return goesAhead && unhealthy(sources).length > 0 ? "INSUFFICIENT" : state
}
