/**
 * Over a restored database nothing is sold until the payments of the lost hours are found on the chain and no authorization of these hours can
 * pay any more (rulings 83). A declaration that the backup was the newest state ends this at once.
 */
import { formatInstant, HOUR, instant, SECOND } from "../core/time.ts"
import type { Payments } from "../payments/payments.ts"
import type { Block, EvmNode } from "../payments/rpc.ts"
import { RpcUnavailable } from "../payments/rpc.ts"
import type { Check, Reason } from "../readiness.ts"
import { type LostTransfer, type RestoreScan, recordScan, restoreScan } from "../store/payments/lost-transfers.ts"
import { type Restore, restores } from "../store/restores.ts"
import type { Store } from "../store/unit.ts"
import type { DeliveryDeps, PayingDeps } from "./deps.ts"

/**
 * Longer than any authorization that was accepted before the restore can pay: it is valid for the terms' time-out and the clock's allowance,
 * a few minutes.
 */
export const QUIET_MS = HOUR
/** The clock of the machine that made the backup may have been ahead of the chain. */
const CLOCK_ALLOWANCE_SECONDS = 300
/** Ranges that one round reads, so that a stop does not wait long. */
const RANGES_AT_ONCE = 20

/** The newest restore without a declaration that the backup was the newest state; null when there is none. */
async function openRestore(
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
    look: async () => {
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

/** Scans some blocks, if a restore needs it. A node that does not answer delays the scan to the next round. */
export async function scanAfterRestore(deps: PayingDeps): Promise<void> {
  const open = await openRestore(deps.store)
  if (open === null || open.scan?.done_at) return
  try {
    await scan(deps, open.restore, open.scan)
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    deps.log.warn("restore_scan_waits", { detail: error.message })
  }
}

async function scan(deps: PayingDeps, { backup_at, restored_at }: Restore, known: RestoreScan | null): Promise<void> {
  const { payments, machine, log, store } = deps
  const { chain, payTo } = payments
  const [{ RANGE_BLOCKS, transfersTo }, { firstBlockSince }] = await Promise.all([
    import("../payments/transfers-to.ts"),
    import("../payments/authorization-event.ts"),
  ])
  const safe = await safeBlock(payments)
  const since = Math.floor(instant(backup_at) / SECOND) - CLOCK_ALLOWANCE_SECONDS
  let next = known ? BigInt(known.next_block) : await firstBlockSince(chain.primary, since, safe)
  for (let range = 0; range < RANGES_AT_ONCE && next <= safe.number; range++) {
    const last = next + RANGE_BLOCKS - 1n < safe.number ? next + RANGE_BLOCKS - 1n : safe.number
    const transfers = await transfersTo(chain, payTo, next, last)
    const found: LostTransfer[] = []
    for (const { txHash, logIndex, blockNumber, payer, value, nonce } of transfers) {
      const { timestamp } = await chain.primary.block(blockNumber)
      const blockAt = formatInstant(timestamp * SECOND)
      found.push({ chainId: chain.asset.chainId, txHash, logIndex, payer, value: String(value), nonce, blockAt })
    }
    next = last + 1n
    await store.run(() => recordScan({ restored_at, next_block: String(next), done_at: null }, found))
  }
  const isPast = safe.timestamp * SECOND >= instant(restored_at) + QUIET_MS
  if (next <= safe.number || !isPast) return
  const nonce = await relayerCounts(payments)
  const done_at = formatInstant(machine.now())
  const isFirst = await store.run(() => recordScan({ restored_at, next_block: String(next), done_at }, []))
  if (isFirst) log.info("restore_scanned", { restored_at, to_block: String(next - 1n), relayer_nonce: nonce })
}

/** The lower safe block of both nodes. */
async function safeBlock({ chain: { primary, second } }: Payments): Promise<Block> {
  const nodes: readonly EvmNode[] = second ? [primary, second] : [primary]
  const blocks = await Promise.all(nodes.map((node) => node.block("safe")))
  return blocks.reduce((lower, block) => (block.number < lower.number ? block : lower))
}

/** The higher count of both nodes, which both must state; null when a facilitator settles. */
async function relayerCounts({ chain: { primary, second }, settler }: Payments): Promise<number | null> {
  if (settler.kind !== "self") return null
  const { transactionCount } = await import("../payments/relayer-count.ts")
  const nodes: readonly EvmNode[] = second ? [primary, second] : [primary]
  const counts = await Promise.all(nodes.map((node) => transactionCount(node, settler.relayer.address, "pending")))
  return Math.max(...counts)
}
