import { Elysia } from "elysia"
import { PLANNING_FLAG, planningOperations } from "../../../../schemas/agent-mode/planning-operations.ts"
import { ServiceError } from "../../../errors.ts"
import { serve } from "../../../http/serve.ts"
import { requireNoPaymentHeader } from "../request-guards.ts"
import { type PlanningCatalogue, planningCatalogue } from "./planning-catalogue.ts"
import type { PlanningDeps } from "./planning-deps.ts"
import { replyPlan } from "./reply-plan.ts"

const RETRY_AFTER_SECONDS = 3600

export function planning(deps: PlanningDeps): Elysia {
  let catalogue: PlanningCatalogue | null = null
  // The rows are complete only once every route is registered.
  const served = () => {
    catalogue ??= planningCatalogue(deps.operations())
    return catalogue
  }
  const options = { guard: planningGuard(deps.isOn) }
  const routes = new Elysia({ normalize: false })
  for (const row of Object.values(planningOperations)) {
    routes.use(serve(deps.shell, row, (call) => replyPlan(deps, served(), row.id, call), options))
  }
  return routes as unknown as Elysia
}

/** Runs before the body is read. */
function planningGuard(isOn: boolean): (headers: Headers) => void {
  return (headers) => {
    if (!isOn) {
      throw new ServiceError("AGENT_MODE_PLANNING_DISABLED", `The setting ${PLANNING_FLAG} is off.`, {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
      })
    }
    requireNoPaymentHeader(headers)
  }
}
