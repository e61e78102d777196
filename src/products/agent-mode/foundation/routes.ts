import { agentBootstrap } from "../../../../schemas/agent-mode/bootstrap.ts"
import type { Route } from "../../../http/route.ts"
import { serve } from "../../../http/serve.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import { type BootstrapDeps, replyBootstrap } from "./bootstrap.ts"

export function bootstrapRoute(deps: BootstrapDeps): Route {
  return serve(deps.shell, agentBootstrap, (call) => replyBootstrap(deps, call), { guard: requireNoEconomicHeader })
}
