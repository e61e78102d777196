/** Entry of every request to the paid path. Its modules load when payments open, so that they do not slow the start. */
import { atFirstUse } from "../core/at-first-use.ts"
import type { Reply } from "../http/call.ts"
import type { DeliveryDeps } from "./deps.ts"
import type { PaidCall } from "./questions.ts"
import type { Sale } from "./sale.ts"

const deliver = atFirstUse(async () => (await import("./run.ts")).deliver)

/** See {@link import("./run.ts").deliver}. Waits while payments are opening. */
export async function sell(deps: DeliveryDeps, sale: Sale, call: PaidCall): Promise<Reply> {
  await deps.opened()
  return (await deliver())(deps, sale, call)
}
