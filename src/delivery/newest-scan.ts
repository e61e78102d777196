/**
 * Compares the declaration that a backup is the newest state with the chain: every transfer to the service since the backup must have its
 * attempt. Otherwise an authorization that bought an answer after the backup would buy a second one.
 */
import { type Address, getAddress } from "viem"
import { formatInstant, SECOND } from "../core/time.ts"
import { firstBlockSince } from "../payments/authorization-event.ts"
import type { Block, EvmChain, EvmNode } from "../payments/rpc.ts"
import { transferRanges } from "../payments/transfers-to.ts"
import type { Store } from "../store/engine/unit.ts"
import { isTransferKnown, type SeenTransfer } from "../store/payments/known-transfers.ts"
import { CLOCK_ALLOWANCE_SECONDS } from "./restore-scan.ts"

export interface UnknownTransfer extends SeenTransfer {
  readonly payTo: Address
  /** Atomic units. */
  readonly value: bigint
  /** RFC 3339. */
  readonly blockAt: string
}

interface NewestScan {
  readonly store: Pick<Store, "read">
  readonly chain: EvmChain
  readonly payees: readonly Address[]
  /** Milliseconds. */
  readonly backupAt: number
  /** Called with the number of blocks that are scanned, and of how many. */
  readonly onScanned?: (blocks: number, of: number) => void
}

/**
 * Transfers since the backup without an attempt, oldest first, up to the newest block that every node has. Throws RpcUnavailable, also while
 * two nodes do not name the same transfers.
 */
export async function unknownTransfers(scan: NewestScan): Promise<readonly UnknownTransfer[]> {
  const { store, chain, payees, backupAt, onScanned } = scan
  const { primary, asset } = chain
  const head = await commonHead(chain)
  const from = await firstBlockSince(primary, Math.floor(backupAt / SECOND) - CLOCK_ALLOWANCE_SECONDS, head)
  const size = Number(head.number - from + 1n) * payees.length
  let scanned = 0
  const unknown: UnknownTransfer[] = []
  for (const payTo of payees) {
    let next = from
    for await (const { last, transfers } of transferRanges(chain, payTo, from, head.number)) {
      for (const { txHash, logIndex, blockNumber, payer, value, nonce } of transfers) {
        const identity = { chainId: asset.chainId, asset: asset.address, payer: getAddress(payer) }
        const seen = { ...identity, txHash, logIndex, nonce }
        if (await store.read(() => isTransferKnown(seen))) continue
        const { timestamp } = await primary.block(blockNumber)
        unknown.push({ ...seen, payTo, value, blockAt: formatInstant(timestamp * SECOND) })
      }
      scanned += Number(last - next + 1n)
      next = last + 1n
      onScanned?.(scanned, size)
    }
  }
  return unknown
}

async function commonHead({ primary, second }: EvmChain): Promise<Block> {
  const nodes: readonly EvmNode[] = second ? [primary, second] : [primary]
  const heads = await Promise.all(nodes.map((node) => node.block("latest")))
  return heads.reduce((lower, block) => (block.number < lower.number ? block : lower))
}
