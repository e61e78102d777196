import { ENABLED_HEADER } from "../../../schemas/agent-mode/notation.ts"
import { PLANNING_FLAG, planningOperations } from "../../../schemas/agent-mode/planning-operations.ts"
import type { Operation } from "../../../schemas/operation.ts"
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
  return Object.values(planningOperations).map((row) =>
    serve(deps.shell, stating(row, deps.isOn), (call) => plan(row.id, call), options),
  )
}

/** The lifecycle of the interface is the same whether planning is on or off, so a header of its own says which. */
function stating<Row extends Operation>(row: Row, isOn: boolean): Row {
  return { ...row, headers: { ...row.headers, [ENABLED_HEADER]: String(isOn) } }
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
