/** The way of every request to the paid path. Its modules are read when payments are opened, so that no start waits for them. */
import type { Answer } from "../http/call.ts"
import type { PaidCall } from "./deliver.ts"
import type { DeliveryDeps } from "./deps.ts"
import type { Sale } from "./sale.ts"

/** See {@link import("./deliver.ts").deliver}. A request that comes while payments are being opened waits for that. */
export async function sell(deps: DeliveryDeps, sale: Sale, call: PaidCall): Promise<Answer> {
  await deps.opened()
  const { deliver } = await import("./deliver.ts")
  return deliver(deps, sale, call)
}
