import { agentBootstrap } from "../../../../schemas/agent-mode/bootstrap.ts"
import { atFirstUse } from "../../../core/at-first-use.ts"
import type { Route } from "../../../http/route.ts"
import { serve } from "../../../http/serve.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import type { BootstrapDeps } from "./bootstrap.ts"

export function bootstrapRoute(deps: BootstrapDeps): Route {
  const reply = atFirstUse(async () => (await import("./bootstrap.ts")).replyBootstrap)
  const options = { guard: requireNoEconomicHeader }
  return serve(deps.shell, agentBootstrap, async (call) => (await reply())(deps, call), options)
}
