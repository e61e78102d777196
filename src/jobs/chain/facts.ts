/**
 * What the chain shows of a job: separate facts, each with its place and level. Money moved only if the contract's event and the token's
 * transfer are in one receipt, because one alone may lie.
 */
import { type Address, type Hex, hexToBigInt, type Log } from "viem"
import { canonicalReceipt } from "../../payments/receipt.ts"
import { type Block, type EvmChain, type EvmNode, RpcUnavailable } from "../../payments/rpc.ts"
import { addressTopic, TRANSFER } from "../../payments/usdc-contract.ts"
import type { JobEventName } from "./escrow-abi.ts"
import { type EscrowEvent, eventsOfJob } from "./job-logs.ts"

type ObservedFactName = "FUNDING" | "SUBMISSION" | "COMPLETION" | "PAYOUT" | "REFUND" | "REJECTION" | "EXPIRY"

/** Numbers in decimal digits, addresses in lower case. Members about money are null where none moves. */
interface ObservedFact {
  readonly fact: ObservedFactName
  readonly level: "LATEST" | "SAFE" | "FINALIZED"
  readonly txHash: string
  readonly logIndex: number
  readonly blockNumber: string
  readonly blockHash: string
  readonly token: string | null
  readonly fromAddress: string | null
  readonly toAddress: string | null
  readonly amountAtomic: string | null
  readonly deliverableHash: string | null
}

/** The parties of a job. Addresses in lower case. */
interface FactTerms {
  readonly contract: string
  readonly token: string
  readonly client: string
  readonly provider: string
}

const FACTS: Readonly<Record<JobEventName, ObservedFactName>> = {
  JobFunded: "FUNDING",
  JobSubmitted: "SUBMISSION",
  JobCompleted: "COMPLETION",
  PaymentReleased: "PAYOUT",
  Refunded: "REFUND",
  JobRejected: "REJECTION",
  JobExpired: "EXPIRY",
}

/** The facts that the first node shows now, in the chain's order. Throws RpcUnavailable. */
export async function observeFacts(
  { primary: node }: EvmChain,
  terms: FactTerms,
  jobId: string,
  fromBlock: bigint,
): Promise<ObservedFact[]> {
  const [head, safe, finalized] = await Promise.all([node.block("latest"), node.block("safe"), node.block("finalized")])
  const facts: ObservedFact[] = []
  for (const event of await eventsOfJob(node, terms.contract, jobId, { from: fromBlock, to: head.number })) {
    const fact = FACTS[event.name]
    const route = routeOf(fact, terms)
    if (route !== null && !(await movedMoney(node, event, terms, route))) continue
    facts.push({
      fact,
      level: levelOf(event, safe, finalized),
      txHash: event.txHash,
      logIndex: event.logIndex,
      blockNumber: String(event.blockNumber),
      blockHash: event.blockHash,
      token: route === null ? null : terms.token,
      fromAddress: route?.from ?? null,
      toAddress: route?.to ?? null,
      amountAtomic: route === null || event.amount === null ? null : String(event.amount),
      deliverableHash: event.deliverableHash,
    })
  }
  return facts
}

function levelOf({ blockNumber }: EscrowEvent, safe: Block, finalized: Block): ObservedFact["level"] {
  if (blockNumber <= finalized.number) return "FINALIZED"
  return blockNumber <= safe.number ? "SAFE" : "LATEST"
}

interface Route {
  readonly from: string
  readonly to: string
}

/** Between whom a fact moves money; null if it moves none. */
function routeOf(fact: ObservedFactName, { contract, client, provider }: FactTerms): Route | null {
  if (fact === "FUNDING") return { from: client, to: contract }
  if (fact === "PAYOUT") return { from: contract, to: provider }
  return fact === "REFUND" ? { from: contract, to: client } : null
}

async function movedMoney(node: EvmNode, event: EscrowEvent, terms: FactTerms, route: Route): Promise<boolean> {
  const receipt = await canonicalReceipt(node, event.txHash)
  if (receipt === null || receipt.blockHash !== event.blockHash) return false
  return receipt.logs.some((log) => isTransfer(log, terms.token, route, event.amount))
}

function isTransfer(
  { address, topics, data }: Log,
  token: string,
  { from, to }: Route,
  amount: bigint | null,
): boolean {
  const expected = [TRANSFER, addressTopic(from as Address), addressTopic(to as Address)]
  return (
    address.toLowerCase() === token &&
    expected.every((topic, at) => topics[at] === topic) &&
    amount !== null &&
    amount > 0n &&
    data !== "0x" &&
    hexToBigInt(data) === amount
  )
}

/** The one submission of a job. */
export interface Submission {
  readonly txHash: Hex
  /** In lower case. */
  readonly deliverableHash: string
  /** In a safe block of every node. */
  readonly isSafe: boolean
}

/**
 * Returns the submission that every node shows, or null. Throws RpcUnavailable, also when the nodes show different ones.
 */
export async function findSubmission(
  { primary, second }: EvmChain,
  { contract, jobId }: { readonly contract: string; readonly jobId: string },
  fromBlock: bigint,
): Promise<Submission | null> {
  const first = await submissionOn(primary, contract, jobId, fromBlock)
  if (second === null) return first
  const other = await submissionOn(second, contract, jobId, fromBlock)
  if (first === null && other === null) return null
  // One node is behind, or wrong: the next poll asks again.
  if (first?.txHash !== other?.txHash || first === null || other === null) {
    throw new RpcUnavailable(second.name, "eth_getLogs")
  }
  return { ...first, isSafe: first.isSafe && other.isSafe }
}

async function submissionOn(
  node: EvmNode,
  contract: string,
  jobId: string,
  fromBlock: bigint,
): Promise<Submission | null> {
  const [head, safe] = await Promise.all([node.block("latest"), node.block("safe")])
  const events = await eventsOfJob(node, contract, jobId, { from: fromBlock, to: head.number })
  const submitted = events.find(({ name }) => name === "JobSubmitted")
  if (submitted?.deliverableHash == null) return null
  return {
    txHash: submitted.txHash,
    deliverableHash: submitted.deliverableHash,
    isSafe: submitted.blockNumber <= safe.number,
  }
}
