/** Removes what has ended: inserts remove some of it, this worker removes the rest. */
import { formatInstant } from "../../core/time.ts"
import { PURGED_AT_ONCE, purgeNonces } from "../../store/nonces.ts"
import { purgeContinuations } from "../../store/planning/continuations.ts"
import type { Store, Unit } from "../../store/unit.ts"
import { purgeWalletEntries } from "../../store/wallet/wallet-entries.ts"
import { purgeWalletRequests } from "../../store/wallet/wallet-requests.ts"

/** Removes at most {@link PURGED_AT_ONCE} rows that ended before `now` (RFC 3339); returns how many. */
type Purge = (now: string) => Unit<number>

const PURGES: readonly Purge[] = [purgeNonces, purgeWalletEntries, purgeWalletRequests, purgeContinuations]

/** Each unit is short, so that other writers wait for milliseconds. The next round continues after this many units of one table. */
const UNITS_MAX = 100

/** One round. Returns the number of rows removed. */
export async function purgeExpired(
  { store, now }: { readonly store: Store; readonly now: () => number },
  purges: readonly Purge[] = PURGES,
): Promise<number> {
  let removed = 0
  for (const purge of purges) {
    for (let unit = 0; unit < UNITS_MAX; unit++) {
      const count = await store.run(() => purge(formatInstant(now())))
      removed += count
      if (count < PURGED_AT_ONCE) break
    }
  }
  return removed
}
