/** Exports a delivered answer as a bundle that verifies and replays on another machine. */
import type { Store } from "../../store/engine/unit.ts"
import type { BundleKind } from "./replay-bundle.ts"
import { readStoredDelivery, requireCanonical } from "./stored-delivery.ts"

/** Returns the bundle by decision, execution, delivery or request id, or null if no acquired answer of a kind has this id. */
export async function exportBundle(
  store: Pick<Store, "read">,
  id: string,
  kinds: readonly BundleKind[],
): Promise<Uint8Array | null> {
  const stored = await store.read(() => readStoredDelivery(id))
  const kind = stored && kinds.find((one) => one.includes(stored.product))
  if (!stored || !kind) return null
  requireCanonical(id, stored)
  return kind.pack(stored)
}
