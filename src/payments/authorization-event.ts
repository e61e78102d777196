/** Finds the log that used an authorization, by topics and in bounded block ranges, because providers limit ranges and bill by them. */
import { type Hex, hexToBigInt, type RpcLog, toHex } from "viem"
import { CLIENT_SKEW_SECONDS } from "./authorization.ts"
import type { Asset } from "./networks/network.ts"
import { atBlock, type Block, type EvmNode, readAsset } from "./rpc.ts"
import { AUTHORIZATION_CANCELED, AUTHORIZATION_USED, addressTopic } from "./usdc-contract.ts"

interface AuthorizationEvent {
  readonly kind: "used" | "cancelled"
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

/** CHOICE: blocks per eth_getLogs. Public Base endpoints allow 2,000 to 10,000. */
const RANGE_BLOCKS = 1_000n
/**
 * About two days of Base blocks. A cancellation later than that after the quote is reported as unavailable; the operator must resolve it.
 */
const RANGES_MAX = 100

/**
 * CHOICE: seconds by which the block of a transfer may be older than the quote. The chain's clock may be minutes behind, while a stranger
 * submits a signature that is refused because it ends too late. And a transaction that leaves the chain can return in a new block with an
 * old block's time. On Base, blocks are rarely unsafe for longer than these five minutes.
 */
const OLDER_SECONDS = 300

interface Searched {
  readonly payer: `0x${string}`
  readonly nonce: Hex
  readonly validBefore: number
  readonly maxTimeoutSeconds: number
}

/**
 * Returns the log that used or cancelled the authorization, or null when the node has none. Searches from `start` to `head`. `start` is the
 * first block with a time of at least `validBefore - maxTimeoutSeconds - 600` less five minutes; an earlier transfer cannot belong to a quote
 * that this authorization pays. Throws RpcUnavailable.
 */
export async function authorizationEvent(
  node: EvmNode,
  asset: Asset,
  searched: Searched,
  head: Block,
): Promise<{ event: AuthorizationEvent | null; start: bigint }> {
  const quoted = searched.validBefore - searched.maxTimeoutSeconds - CLIENT_SKEW_SECONDS
  const start = await firstBlockSince(node, quoted - OLDER_SECONDS, head)
  for (let range = 0; range < RANGES_MAX; range++) {
    const from = start + BigInt(range) * RANGE_BLOCKS
    if (from > head.number) break
    const last = from + RANGE_BLOCKS - 1n
    const event = await searchRange(node, asset, searched, { from, to: last < head.number ? last : head.number })
    if (event) return { event, start }
  }
  return { event: null, start }
}

/** Whether the authorization was used in the state before block `start`. Throws RpcUnavailable. */
export async function usedBefore(
  node: EvmNode,
  asset: Asset,
  { payer, nonce }: Pick<Searched, "payer" | "nonce">,
  start: bigint,
): Promise<boolean> {
  if (start === 0n) return false
  const before = await node.block(start - 1n)
  return readAsset(atBlock(node, before.hash), asset, "authorizationState", [payer, nonce])
}

/** Numbers of the first and the last block. */
interface BlockRange {
  readonly from: bigint
  readonly to: bigint
}

async function searchRange(
  node: EvmNode,
  asset: Asset,
  { payer, nonce }: Searched,
  { from, to }: BlockRange,
): Promise<AuthorizationEvent | null> {
  const authorization = [addressTopic(payer), nonce] as const
  const topics = [[AUTHORIZATION_USED, AUTHORIZATION_CANCELED], ...authorization] as unknown as Hex[]
  const filter = { address: asset.address, topics, fromBlock: toHex(from), toBlock: toHex(to) }
  // A response which is not a list of logs counts as unavailable, because it is read inside `query`.
  const read = (logs: unknown) => {
    const log = (logs as RpcLog[]).find((candidate) => isAnswer(candidate, asset, authorization))
    if (!log?.transactionHash || !log.blockNumber || !log.blockHash) return null
    return {
      kind: log.topics[0] === AUTHORIZATION_USED ? ("used" as const) : ("cancelled" as const),
      txHash: log.transactionHash,
      blockNumber: hexToBigInt(log.blockNumber),
      blockHash: log.blockHash,
    }
  }
  return node.query(read, "eth_getLogs", filter)
}

/** A node may ignore the filter. A log of another payer must not decide about this authorization. */
function isAnswer(log: RpcLog, asset: Asset, authorization: readonly [payer: Hex, nonce: Hex]): boolean {
  const [name, payer, nonce] = log.topics
  return (
    !log.removed &&
    log.address.toLowerCase() === asset.address.toLowerCase() &&
    (name === AUTHORIZATION_USED || name === AUTHORIZATION_CANCELED) &&
    payer === authorization[0] &&
    nonce === authorization[1]
  )
}

/**
 * Number of the first block with `timestamp >= seconds`; head plus one when there is none. Goes back from the head in doubling steps, then
 * bisects: about 16 queries for the usual five minutes, at most 2 per bit of the height.
 */
export async function firstBlockSince(node: EvmNode, seconds: number, head: Block): Promise<bigint> {
  if (head.timestamp < seconds) return head.number + 1n
  let after = head.number
  let stride = 64n
  let before = after - stride
  while (before >= 0n && (await node.block(before)).timestamp >= seconds) {
    after = before
    stride *= 2n
    before -= stride
  }
  if (before < 0n) before = -1n
  while (after - before > 1n) {
    const middle = (after + before) / 2n
    if ((await node.block(middle)).timestamp >= seconds) after = middle
    else before = middle
  }
  return after
}
