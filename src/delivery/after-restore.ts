/**
 * Over a restored database nothing is sold until the payments of the lost hours are found on the chain and no authorization of these hours can
 * pay any more (rulings 83). A declaration that the backup was the newest state ends this at once.
 */

import type { Check, Reason } from "../base/readiness.ts"
import { HOUR, instant } from "../core/time.ts"
import type { Store } from "../store/engine/unit.ts"
import { type RestoreScan, restoreScan } from "../store/payments/lost-transfers.ts"
import { type Restore, restores } from "../store/restores.ts"
import type { DeliveryDeps } from "./deps.ts"

/**
 * Longer than any authorization that was accepted before the restore can pay: for the terms' time-out and the allowance of a client's
 * clock, 15 minutes (rulings 93).
 */
export const QUIET_MS = HOUR
/** The newest restore without a declaration that the backup was the newest state; null when there is none. */
export async function openRestore(
  store: Store,
): Promise<{ readonly restore: Restore; readonly scan: RestoreScan | null } | null> {
  return store.read(function* () {
    const open = (yield* restores()).findLast((one) => one.newest_declared_at === null)
    if (!open) return null
    const scan = yield* restoreScan()
    return { restore: open, scan: scan?.restored_at === open.restored_at ? scan : null }
  })
}

export function restoreCheck({ store, machine }: Pick<DeliveryDeps, "store" | "machine">): Check {
  return {
    name: "restore",
    reasons: async () => {
      const open = await openRestore(store)
      if (open === null) return []
      const isQuiet = machine.now() >= instant(open.restore.restored_at) + QUIET_MS
      return isQuiet && open.scan?.done_at ? [] : [RESTORED_RECENTLY]
    },
  }
}

const RESTORED_RECENTLY: Reason = {
  code: "RESTORED_RECENTLY",
  detail: "The database was restored from a backup, and the payments since then are not all found yet.",
}
