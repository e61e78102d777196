import { Elysia } from "elysia"
import { agentBootstrap } from "../../../../schemas/agent-mode/bootstrap.ts"
import { serve } from "../../../http/serve.ts"
import { requireNoEconomicHeader } from "../economic-isolation.ts"
import { type BootstrapDeps, replyBootstrap } from "./bootstrap.ts"

export function bootstrapRoute(deps: BootstrapDeps): Elysia {
  const routes = new Elysia({ normalize: false }).use(
    serve(deps.shell, agentBootstrap, (call) => replyBootstrap(deps, call), { guard: requireNoEconomicHeader }),
  )
  return routes as unknown as Elysia
}
