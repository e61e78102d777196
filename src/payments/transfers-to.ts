/** Every USDC transfer to one address in a range of blocks, whoever made it. */
import { type Address, type Hex, hexToBigInt, hexToNumber, type RpcLog, toHex } from "viem"
import type { Asset } from "./networks/network.ts"
import { canonicalReceipt } from "./receipt.ts"
import { type EvmChain, type EvmNode, RpcUnavailable } from "./rpc.ts"
import { AUTHORIZATION_USED, addressTopic, TRANSFER } from "./usdc-contract.ts"

/** Blocks for one eth_getLogs. Public Base endpoints allow 2,000 to 10,000. */
const RANGE_BLOCKS = 2_000n

interface IncomingTransfer {
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly payer: Address
  readonly value: bigint
  /** Of the authorization that made the transfer: its event has the log index before. Null for another transfer. */
  readonly nonce: Hex | null
}

/**
 * At most {@link RANGE_BLOCKS} blocks, both ends included. Above a safe block two good nodes may differ. Throws RpcUnavailable, also when two nodes do not name the
 * same transfers.
 */
async function transfersTo(
  { asset, primary, second }: EvmChain,
  payTo: Address,
  from: bigint,
  to: bigint,
): Promise<readonly IncomingTransfer[]> {
  const sought = { payTo, from, to }
  const found = await logsOn(primary, asset, sought)
  if (second) {
    const other = await logsOn(second, asset, sought)
    if (keyOf(found) !== keyOf(other)) throw new RpcUnavailable(second.name, "eth_getLogs")
  }
  const transfers: IncomingTransfer[] = []
  for (const one of found) transfers.push({ ...one, nonce: await nonceOf(primary, asset, one) })
  return transfers
}

interface ScannedRange {
  /** The last block of the range. */
  readonly last: bigint
  readonly transfers: readonly IncomingTransfer[]
}

/** {@link transfersTo} of the blocks `from` to `to`, range by range. */
export async function* transferRanges(
  chain: EvmChain,
  payTo: Address,
  from: bigint,
  to: bigint,
): AsyncGenerator<ScannedRange> {
  for (let next = from; next <= to; next += RANGE_BLOCKS) {
    const last = next + RANGE_BLOCKS - 1n < to ? next + RANGE_BLOCKS - 1n : to
    yield { last, transfers: await transfersTo(chain, payTo, next, last) }
  }
}

type Found = Omit<IncomingTransfer, "nonce">

const keyOf = (found: readonly Found[]) =>
  JSON.stringify(found.map(({ txHash, logIndex, value }) => [txHash, logIndex, String(value)]))

/** Transfers to one account, in the blocks `from` to `to`. */
interface SoughtTransfers {
  readonly payTo: Address
  readonly from: bigint
  readonly to: bigint
}

async function logsOn(node: EvmNode, asset: Asset, { payTo, from, to }: SoughtTransfers): Promise<Found[]> {
  const topics = [TRANSFER, null, addressTopic(payTo)] as unknown as Hex[]
  const filter = { address: asset.address, topics, fromBlock: toHex(from), toBlock: toHex(to) }
  // A response which is not a list of logs counts as unavailable, because it is read inside `query`.
  const read = (logs: unknown) =>
    (logs as RpcLog[])
      .filter(
        (log) =>
          // A node may ignore the filter.
          !log.removed &&
          log.address.toLowerCase() === asset.address.toLowerCase() &&
          log.topics[0] === TRANSFER &&
          log.topics[2] === topics[2],
      )
      .map(({ transactionHash, logIndex, blockNumber, topics: [, payer], data }) => {
        if (!transactionHash || !logIndex || !blockNumber || !payer) throw new RpcUnavailable(node.name, "eth_getLogs")
        return {
          txHash: transactionHash,
          logIndex: hexToNumber(logIndex),
          blockNumber: hexToBigInt(blockNumber),
          payer: `0x${payer.slice(-40)}` as Address,
          value: hexToBigInt(data),
        }
      })
  return node.query(read, "eth_getLogs", filter)
}

async function nonceOf(node: EvmNode, asset: Asset, { txHash, logIndex, payer }: Found): Promise<Hex | null> {
  const receipt = await canonicalReceipt(node, txHash)
  if (!receipt) throw new RpcUnavailable(node.name, "eth_getTransactionReceipt")
  const before = receipt.logs.find((log) => log.logIndex === logIndex - 1)
  const isUse =
    before?.address.toLowerCase() === asset.address.toLowerCase() &&
    before.topics[0] === AUTHORIZATION_USED &&
    before.topics[1] === addressTopic(payer)
  return isUse ? (before.topics[2] ?? null) : null
}
