/**
 * Whether a job is funded, as every node shows it at one safe block of its own: the job, the token, the one event with its transfer, the
 * contract's state, and the block. A funding that is not in a safe block releases nothing.
 */
import { type Address, type Hex, toHex } from "viem"
import { canonicalReceipt } from "../../payments/receipt.ts"
import { atBlock, type Block, type EvmChain, type EvmNode, RpcUnavailable, readAsset } from "../../payments/rpc.ts"
import { addressTopic, TRANSFER } from "../../payments/usdc-contract.ts"
import { type EscrowJob, readImplementation, readJob, readSetting } from "./escrow-job.ts"
import { eventsOfJob, type LogPlace } from "./job-logs.ts"

/** What a funded job must be. Addresses in lower case. */
interface FundingTerms {
  readonly contract: string
  readonly token: string
  readonly client: string
  readonly provider: string
  readonly evaluator: string
  readonly hook: string
  readonly expiredAt: number
  readonly description: string
  readonly budget: bigint
  /** Implementations of the contract that the operator trusts. */
  readonly implementations: readonly string[]
}

type FundingMismatch =
  | "JOB_CHANGED"
  | "BUDGET_DIFFERS"
  | "TOKEN_DIFFERS"
  | "ESCROW_BALANCE_LOW"
  | "FUNDING_EVENT_MISSING"
  | "FUNDING_EVENT_AMBIGUOUS"
  | "TRANSFER_MISSING"
  | "CODE_MISSING"
  | "IMPLEMENTATION_UNKNOWN"
  | "PAUSED"

export interface SafeFunding extends LogPlace {
  readonly kind: "safe"
  readonly safeBlockNumber: bigint
  readonly safeBlockHash: Hex
  readonly amountAtomic: bigint
  /** Null if the contract is no proxy. */
  readonly implementation: string | null
}

export type FundingObservation =
  | { readonly kind: "none" }
  /** Funded at the head, and not in a safe block of every node. */
  | { readonly kind: "seen"; readonly txHash: string }
  | SafeFunding
  | { readonly kind: "mismatch"; readonly reason: FundingMismatch }
  /** The nodes do not agree, or one does not answer. */
  | { readonly kind: "unavailable" }

/** `fromBlock`: the block in which the job was found. */
export async function observeFunding(
  { primary, second, asset }: EvmChain,
  terms: FundingTerms,
  jobId: string,
  fromBlock: bigint,
): Promise<FundingObservation> {
  const sought = { asset, terms, jobId, fromBlock }
  try {
    if (second === null) return await observeOn(primary, sought)
    return agreed(...(await Promise.all([observeOn(primary, sought), observeOn(second, sought)])))
  } catch (error) {
    if (error instanceof RpcUnavailable) return { kind: "unavailable" }
    throw error
  }
}

/** The nodes have safe blocks of their own, so the lower one counts. What one node alone shows releases nothing and ends nothing. */
function agreed(one: FundingObservation, other: FundingObservation): FundingObservation {
  if (one.kind === "safe" && other.kind === "safe") {
    const same = one.txHash === other.txHash && one.blockHash === other.blockHash && one.logIndex === other.logIndex
    if (!same || one.implementation !== other.implementation) return { kind: "unavailable" }
    return one.safeBlockNumber < other.safeBlockNumber ? one : other
  }
  if (one.kind === "mismatch" && other.kind === "mismatch" && one.reason === other.reason) return one
  if (one.kind === "none" && other.kind === "none") return one
  const seen = [one, other].find(({ kind }) => kind === "safe" || kind === "seen")
  return seen?.kind === "safe" || seen?.kind === "seen"
    ? { kind: "seen", txHash: seen.txHash }
    : { kind: "unavailable" }
}

const mismatch = (reason: FundingMismatch): FundingObservation => ({ kind: "mismatch", reason })

/** The funding that is searched on each node. */
interface SoughtFunding {
  readonly asset: EvmChain["asset"]
  readonly terms: FundingTerms
  readonly jobId: string
  readonly fromBlock: bigint
}

async function observeOn(node: EvmNode, sought: SoughtFunding): Promise<FundingObservation> {
  const { terms, jobId, fromBlock } = sought
  const [head, safe] = await Promise.all([node.block("latest"), node.block("safe")])
  const now = await readJob(node, terms.contract, jobId, head.hash)
  if (now === null || now.status === "OPEN") return { kind: "none" }
  const events = await eventsOfJob(node, terms.contract, jobId, { from: fromBlock, to: head.number })
  const fundings = events.filter(({ name }) => name === "JobFunded")
  const [funding] = fundings
  if (funding === undefined) return hasEnded(now) ? { kind: "none" } : mismatch("FUNDING_EVENT_MISSING")
  if (funding.blockNumber > safe.number) return { kind: "seen", txHash: funding.txHash }
  if (fundings.length > 1 || funding.account !== terms.client) return mismatch("FUNDING_EVENT_AMBIGUOUS")

  const fault = await faultAt(node, sought, safe)
  if (fault !== null) return mismatch(fault)
  if (funding.amount !== terms.budget) return mismatch("BUDGET_DIFFERS")
  // A block hash of the log that the node's chain does not hold now gives no receipt.
  const receipt = await canonicalReceipt(node, funding.txHash)
  if (receipt === null || receipt.blockHash !== funding.blockHash) return { kind: "seen", txHash: funding.txHash }
  const transferTopics = [TRANSFER, addressTopic(terms.client as Address), addressTopic(terms.contract as Address)]
  const transfers = receipt.logs.filter(
    ({ address, topics, data }) =>
      address.toLowerCase() === terms.token &&
      transferTopics.every((topic, at) => topics[at] === topic) &&
      data === toHex(terms.budget, { size: 32 }),
  )
  if (transfers.length !== 1) return mismatch("TRANSFER_MISSING")
  const implementation = await readImplementation(node, terms.contract, safe.number)
  if (implementation === null || !terms.implementations.includes(implementation))
    return mismatch("IMPLEMENTATION_UNKNOWN")
  const { txHash, logIndex, blockNumber, blockHash } = funding
  return {
    kind: "safe",
    txHash,
    logIndex,
    blockNumber,
    blockHash,
    safeBlockNumber: safe.number,
    safeBlockHash: safe.hash,
    amountAtomic: terms.budget,
    implementation,
  }
}

function hasEnded({ status }: EscrowJob): boolean {
  return status === "REJECTED" || status === "EXPIRED"
}

/** The first check that fails at the safe block, or null. Throws RpcUnavailable. */
async function faultAt(
  node: EvmNode,
  { asset, terms, jobId }: SoughtFunding,
  safe: Block,
): Promise<FundingMismatch | null> {
  const [code, token, isPaused, job] = await Promise.all([
    node.code(terms.contract as Address),
    readSetting(node, terms.contract, "paymentToken", safe.hash),
    readSetting(node, terms.contract, "paused", safe.hash),
    readJob(node, terms.contract, jobId, safe.hash),
  ])
  if (code === null || code === "0x" || token === null) return "CODE_MISSING"
  if (token.toLowerCase() !== terms.token) return "TOKEN_DIFFERS"
  if (isPaused !== false) return "PAUSED"
  if (job === null || !isAsAgreed(job, terms)) return "JOB_CHANGED"
  if (job.budget !== terms.budget) return "BUDGET_DIFFERS"
  const held = await readAsset(atBlock(node, safe.hash), asset, "balanceOf", [terms.contract as Address])
  return held < terms.budget ? "ESCROW_BALANCE_LOW" : null
}

function isAsAgreed(job: EscrowJob, terms: FundingTerms): boolean {
  return (
    job.status === "FUNDED" &&
    job.client === terms.client &&
    job.provider === terms.provider &&
    job.evaluator === terms.evaluator &&
    job.hook === terms.hook &&
    job.expiredAt === terms.expiredAt &&
    job.description === terms.description
  )
}
