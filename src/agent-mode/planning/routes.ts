import { PLANNING_FLAG, planningOperationsOf } from "../../../schemas/agent-mode/planning-operations.ts"
import { ServiceError } from "../../base/errors.ts"
import { loadedAtFirstUse } from "../../core/at-first-use.ts"
import type { Route } from "../../http/route.ts"
import { serve } from "../../http/serve.ts"
import { requireNoPaymentHeader } from "../request-guards.ts"
import type { PlanningDeps } from "./planning-deps.ts"

/** CHOICE: only an operator switches planning on, so a caller need not ask again within the hour. */
const RETRY_AFTER_SECONDS = 3600

export function planning(deps: PlanningDeps): readonly Route[] {
  const replies = loadedAtFirstUse(async () => ({ plan: (await import("./reply-plan.ts")).planReplies(deps) }))
  const plan = replies("plan")
  const options = { guard: planningGuard(deps.isOn) }
  return planningOperationsOf(deps.isOn).map((row) => serve(deps.shell, row, (call) => plan(row.id, call), options))
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
