import { agentBootstrap } from "../../../schemas/agent-mode/bootstrap.ts"
import { loadedAtFirstUse } from "../../core/at-first-use.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import type { BootstrapDeps } from "./bootstrap.ts"

export function bootstrapRoute(deps: BootstrapDeps): Route {
  const reply = loadedAtFirstUse(() => import("./bootstrap.ts"))("replyBootstrap")
  const options = { guard: requireNoEconomicHeader }
  return serve(deps.shell, agentBootstrap, (call) => reply(deps, call), options)
}
