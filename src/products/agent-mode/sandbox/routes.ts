import { RunSyntheticJourney, runSyntheticJourney } from "../../../../schemas/agent-mode/journeys.ts"
import { closed } from "../../../../schemas/common.ts"
import { bankDataGuard } from "../../../http/bank-data-guard.ts"
import type { Route } from "../../../http/route.ts"
import { serve } from "../../../http/serve.ts"
import type { Shell } from "../../../http/shell.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import { JourneyQueue } from "./journey-queue.ts"
import { type JourneyDeps, replyJourney } from "./run-journey.ts"

export interface SandboxDeps extends JourneyDeps {
  readonly shell: Shell
}

/** The draft of a rehearsal has the form of its product, whose own guard looks there. */
const { idempotency_key } = RunSyntheticJourney.properties
const requireNoBankData = bankDataGuard({
  ...runSyntheticJourney,
  body: closed({ idempotency_key }),
  bankData: "REFUSED",
})

export function sandboxJourneys(deps: SandboxDeps): Route {
  const { shell } = deps
  const queue = new JourneyQueue()
  const options = { guard: requireNoEconomicHeader }
  return serve(
    shell,
    runSyntheticJourney,
    (call) => {
      requireNoBankData?.(call.body)
      return replyJourney(deps, queue, call)
    },
    options,
  )
}
