/** The way of every request to the paid path. Its modules are read when payments are opened, so that no start waits for them. */
import type { Answer } from "../http/call.ts"
import type { PaidCall } from "./deliver.ts"
import type { DeliveryDeps } from "./deps.ts"
import type { Sale } from "./sale.ts"

/** Kept, because each `import()` takes as long as a read of the database. */
let loaded: typeof import("./deliver.ts") | null = null

/** See {@link import("./deliver.ts").deliver}. A request that comes while payments are being opened waits for that. */
export async function sell(deps: DeliveryDeps, sale: Sale, call: PaidCall): Promise<Answer> {
  await deps.opened()
  loaded ??= await import("./deliver.ts")
  return loaded.deliver(deps, sale, call)
}
