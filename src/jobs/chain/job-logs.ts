/** Reads the logs of the escrow contract, in bounded block ranges, because providers limit ranges. */
import { decodeEventLog, type Hex, hexToBigInt, hexToNumber, pad, type RpcLog, toHex } from "viem"
import { type EvmNode, RpcUnavailable } from "../../payments/rpc.ts"
import { addressTopic } from "../../payments/usdc-contract.ts"
import { ESCROW_ABI, JOB_CREATED, JOB_EVENTS, type JobEventName } from "./escrow-abi.ts"

/** Blocks per eth_getLogs. Public Base endpoints allow 2,000 to 10,000. */
const RANGE_BLOCKS = 1_000n

/** Where a log is. */
export interface LogPlace {
  readonly txHash: Hex
  readonly logIndex: number
  readonly blockNumber: bigint
  readonly blockHash: Hex
}

export interface CreatedJob {
  /** Decimal digits. */
  readonly jobId: string
  /** In lower case. */
  readonly client: string
  /** Seconds since the epoch. */
  readonly expiredAt: number
  readonly blockNumber: bigint
}

/** Both ends included. */
interface BlockRange {
  readonly from: bigint
  readonly to: bigint
}

/** Jobs created for a provider in the blocks. Throws RpcUnavailable. */
export async function jobsCreatedFor(
  node: EvmNode,
  contract: string,
  provider: string,
  blocks: BlockRange,
): Promise<CreatedJob[]> {
  const topics = [JOB_CREATED, null, null, addressTopic(provider as Hex)]
  const logs = await readLogs(node, contract, topics, blocks)
  return logs
    .filter((log) => log.topics[0] === JOB_CREATED && log.topics[3] === topics[3])
    .map((log) => ({
      jobId: String(numberOf(node, log.topics[1])),
      client: `0x${(log.topics[2] ?? "").slice(26)}`.toLowerCase(),
      expiredAt: Number(`0x${deadlineWord(log)}`),
      blockNumber: placeOf(node, log).blockNumber,
    }))
}

/** The job that an event of its creation tells. Addresses in lower case. */
interface NamedJob {
  readonly contract: string
  readonly jobId: string
  readonly client: string
  readonly provider: string
  readonly expiredAt: number
}

/** Whether a job of these parties and this deadline was created in the blocks. Throws RpcUnavailable. */
export async function wasCreated(node: EvmNode, job: NamedJob, blocks: BlockRange): Promise<boolean> {
  const id = pad(toHex(BigInt(job.jobId)))
  const topics = [JOB_CREATED, id, addressTopic(job.client as Hex), addressTopic(job.provider as Hex)]
  const logs = await readLogs(node, job.contract, topics, blocks)
  const deadline = toHex(job.expiredAt, { size: 32 }).slice(2)
  return logs.some((log) => topics.every((topic, at) => log.topics[at] === topic) && deadlineWord(log) === deadline)
}

/** The second word of the data of JobCreated: 64 hex digits. */
function deadlineWord({ data }: RpcLog): string {
  return data.slice(66, 130)
}

export interface EscrowEvent extends LogPlace {
  readonly name: JobEventName
  /** In lower case: client, provider, evaluator or rejector, as the event names one; null for JobExpired. */
  readonly account: string | null
  /** Of JobFunded, PaymentReleased and Refunded. */
  readonly amount: bigint | null
  /** Of JobSubmitted. In lower case. */
  readonly deliverableHash: string | null
}

/** The events of one job in the blocks, in the chain's order. Throws RpcUnavailable. */
export async function eventsOfJob(
  node: EvmNode,
  contract: string,
  jobId: string,
  blocks: BlockRange,
): Promise<EscrowEvent[]> {
  const id = pad(toHex(BigInt(jobId)))
  const logs = await readLogs(node, contract, [[...JOB_EVENTS.keys()], id], blocks)
  return logs
    .filter((log) => log.topics[1] === id && JOB_EVENTS.has(log.topics[0] as Hex))
    .map((log) => eventOf(node, log))
}

function eventOf(node: EvmNode, log: RpcLog): EscrowEvent {
  try {
    const { eventName, args } = decodeEventLog({ abi: ESCROW_ABI, topics: log.topics, data: log.data, strict: true })
    const named = args as unknown as Readonly<Record<string, string | bigint | undefined>>
    const account = named.client ?? named.provider ?? named.evaluator ?? named.rejector
    const { amount, deliverable } = named
    return {
      ...placeOf(node, log),
      name: eventName as JobEventName,
      account: typeof account === "string" ? account.toLowerCase() : null,
      amount: typeof amount === "bigint" ? amount : null,
      deliverableHash: typeof deliverable === "string" ? deliverable.toLowerCase() : null,
    }
  } catch (error) {
    if (error instanceof RpcUnavailable) throw error
    throw new RpcUnavailable(node.name, "eth_getLogs")
  }
}

async function readLogs(
  node: EvmNode,
  contract: string,
  topics: readonly (Hex | readonly Hex[] | null)[],
  { from, to }: BlockRange,
): Promise<RpcLog[]> {
  const found: RpcLog[] = []
  for (let start = from; start <= to; start += RANGE_BLOCKS) {
    const last = start + RANGE_BLOCKS - 1n
    const filter = {
      address: contract as Hex,
      topics: topics as Hex[],
      fromBlock: toHex(start),
      toBlock: toHex(last < to ? last : to),
    }
    // Read inside `query`, so that a response which is not a list of logs counts as unavailable. A node may ignore the filter.
    const ofContract = (logs: unknown) =>
      (logs as RpcLog[]).filter((log) => !log.removed && log.address.toLowerCase() === contract)
    found.push(...(await node.query(ofContract, "eth_getLogs", filter)))
  }
  return found
}

function placeOf(node: EvmNode, { transactionHash, logIndex, blockNumber, blockHash }: RpcLog): LogPlace {
  if (!transactionHash || !logIndex || !blockNumber || !blockHash) throw new RpcUnavailable(node.name, "eth_getLogs")
  return { txHash: transactionHash, logIndex: hexToNumber(logIndex), blockNumber: hexToBigInt(blockNumber), blockHash }
}

function numberOf(node: EvmNode, topic: Hex | undefined): bigint {
  if (topic === undefined) throw new RpcUnavailable(node.name, "eth_getLogs")
  return hexToBigInt(topic)
}
