import { type Address, type Hex, type Log, toHex } from "viem"
import type { Asset } from "./networks/network.ts"
import { AUTHORIZATION_USED, addressTopic, TRANSFER } from "./usdc-contract.ts"

/** The transfer that paid, and its place in the chain. */
export interface Proof {
  readonly txHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly transferLogIndex: number
}

interface PaidTerms {
  readonly payer: Address
  readonly nonce: Hex
  readonly payTo: Address
  readonly value: bigint
}

interface Receipt {
  readonly transactionHash: Hex
  readonly blockNumber: bigint
  readonly blockHash: Hex
  readonly logs: readonly Log[]
}

/** The proof of payment in a receipt (see observe.ts). Null when the transaction did something else. */
export function transferProof(receipt: Receipt, asset: Asset, terms: PaidTerms): Proof | null {
  const { payer, nonce, payTo, value } = terms
  const usedTopics = [AUTHORIZATION_USED, addressTopic(payer), nonce]
  const transferTopics = [TRANSFER, addressTopic(payer), addressTopic(payTo)]
  const used = receipt.logs.find((log) => isLog(log, asset, usedTopics))
  if (!used || used.logIndex === null) return null
  const transferLogIndex = used.logIndex + 1
  const transfer = receipt.logs.find((log) => log.logIndex === transferLogIndex)
  const paid = transfer && isLog(transfer, asset, transferTopics) && transfer.data === toHex(value, { size: 32 })
  if (!paid) return null
  const { transactionHash: txHash, blockNumber, blockHash } = receipt
  return { txHash, blockNumber, blockHash, transferLogIndex }
}

function isLog(log: Log, asset: Asset, topics: readonly Hex[]): boolean {
  const sameAddress = log.address.toLowerCase() === asset.address.toLowerCase()
  return sameAddress && log.topics.length === topics.length && topics.every((topic, i) => log.topics[i] === topic)
}
