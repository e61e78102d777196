/** Entry of every request to the paid path. Its modules load when payments open, so that they do not slow the start. */
import type { Reply } from "../http/call.ts"
import type { DeliveryDeps } from "./deps.ts"
import type { Sale } from "./sale.ts"
import type { PaidCall } from "./take-payment.ts"

/** Cached, because each `import()` takes as long as a database read. */
let loaded: typeof import("./deliver.ts") | null = null

/** See {@link import("./deliver.ts").deliver}. Waits while payments are opening. */
export async function sell(deps: DeliveryDeps, sale: Sale, call: PaidCall): Promise<Reply> {
  await deps.opened()
  loaded ??= await import("./deliver.ts")
  return loaded.deliver(deps, sale, call)
}
