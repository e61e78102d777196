import { Elysia } from "elysia"
import { runSyntheticJourney } from "../../../../schemas/agent-mode/journeys.ts"
import { serve } from "../../../http/serve.ts"
import type { Shell } from "../../../http/shell.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import { JourneyQueue } from "./journey-queue.ts"
import { type JourneyDeps, replyJourney } from "./run-journey.ts"

export interface SandboxDeps extends JourneyDeps {
  readonly shell: Shell
}

export function sandboxJourneys(deps: SandboxDeps): Elysia {
  const { shell } = deps
  const queue = new JourneyQueue()
  const options = { guard: requireNoEconomicHeader }
  const routes = new Elysia({ normalize: false }).use(
    serve(shell, runSyntheticJourney, (call) => replyJourney(deps, queue, call), options),
  )
  return routes as unknown as Elysia
}
