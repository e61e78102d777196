import type { ScreenState } from "../screening/screen.ts"
import type { SourceState } from "./source-board.ts"

/** Returns every source in use that is not HEALTHY. Each of them keeps a result incomplete. */
export function unhealthy(sources: readonly SourceState[]): readonly SourceState[] {
  return sources.filter(({ health }) => health !== "HEALTHY")
}

/**
 * Returns the state that the sources can prove. INVARIANT: nobody is CLEAR, or allowed under a condition, while a list in use is missing,
 * stale or broken. A hit that stops a payment stays a hit, whatever the other sources could not answer.
 */
export function provableState(state: ScreenState, sources: readonly SourceState[]): ScreenState {
  const goesAhead = state === "CLEAR" || state === "PROGRAM_CONDITION"
  return goesAhead && unhealthy(sources).length > 0 ? "INSUFFICIENT" : state
}
