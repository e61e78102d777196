/** Finds the payments of the hours that a restore lost: reads the chain from the backup to an hour after the restore (rulings 83). */
import { formatInstant, instant, SECOND } from "../core/time.ts"
import { firstBlockSince } from "../payments/authorization-event.ts"
import type { Payments } from "../payments/payments.ts"
import { transactionCount } from "../payments/relayer-count.ts"
import { type Block, type EvmNode, RpcUnavailable } from "../payments/rpc.ts"
import { transferRanges } from "../payments/transfers-to.ts"
import { type LostTransfer, type RestoreScan, recordScan } from "../store/payments/lost-transfers.ts"
import type { Restore } from "../store/restores.ts"
import { openRestore, QUIET_MS } from "./after-restore.ts"
import type { PayingDeps } from "./deps.ts"

/** The clock of the machine that made the backup may have been ahead of the chain, by as much as a client's (rulings 93). */
export const CLOCK_ALLOWANCE_SECONDS = 600
/** Ranges that one round reads, so that a stop does not wait long. */
const RANGES_AT_ONCE = 20

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
  const safe = await safeBlock(payments)
  const since = Math.floor(instant(backup_at) / SECOND) - CLOCK_ALLOWANCE_SECONDS
  let next = known ? BigInt(known.next_block) : await firstBlockSince(chain.primary, since, safe)
  let ranges = 0
  for await (const { last, transfers } of transferRanges(chain, payTo, next, safe.number)) {
    const found: LostTransfer[] = []
    for (const { txHash, logIndex, blockNumber, payer, value, nonce } of transfers) {
      const { timestamp } = await chain.primary.block(blockNumber)
      const blockAt = formatInstant(timestamp * SECOND)
      found.push({ chainId: chain.asset.chainId, txHash, logIndex, payer, value: String(value), nonce, blockAt })
    }
    next = last + 1n
    await store.run(() => recordScan({ restored_at, next_block: String(next), done_at: null }, found))
    if (++ranges === RANGES_AT_ONCE) break
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
  const nodes: readonly EvmNode[] = second ? [primary, second] : [primary]
  const counts = await Promise.all(nodes.map((node) => transactionCount(node, settler.relayer.address, "pending")))
  return Math.max(...counts)
}
