import { runSyntheticJourney } from "../../../schemas/agent-mode/journeys.ts"
import { loadedAtFirstUse } from "../../core/at-first-use.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import type { Shell } from "../../http/shell.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import type { JourneyDeps } from "./run-journey.ts"

export interface SandboxDeps extends JourneyDeps {
  readonly shell: Shell
}

export function sandboxJourneys(deps: SandboxDeps): Route {
  const replies = loadedAtFirstUse(async () => ({ reply: (await import("./run-journey.ts")).journeyReplies(deps) }))
  const options = { guard: requireNoEconomicHeader }
  return serve(deps.shell, runSyntheticJourney, replies("reply"), options)
}
