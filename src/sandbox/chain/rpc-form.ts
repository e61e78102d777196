/** Blocks, receipts, transactions and logs in JSON-RPC form, without the fields about tries and proof of work. */
import type { Address, Hex } from "viem"
import type { Block, Log, Receipt } from "./block.ts"
import { tipOf } from "./mempool.ts"
import type { Transaction } from "./transaction.ts"

export const quantity = (value: number | bigint): Hex => `0x${value.toString(16)}`

const BLOCK_GAS_LIMIT = quantity(60_000_000)
const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000"

export function rpcBlock(block: Block, withTransactions: boolean) {
  const { number, hash, parentHash, timestamp, baseFeePerGas, receipts } = block
  return {
    number: quantity(number),
    hash,
    parentHash,
    timestamp: quantity(timestamp),
    baseFeePerGas: quantity(baseFeePerGas),
    gasLimit: BLOCK_GAS_LIMIT,
    gasUsed: quantity(receipts.at(-1)?.cumulativeGasUsed ?? 0n),
    miner: ZERO_ADDRESS,
    transactions: receipts.map((receipt) =>
      withTransactions ? rpcTransaction(receipt.transaction, receipt) : receipt.transaction.hash,
    ),
  }
}

/** `receipt` is null while the transaction waits. */
export function rpcTransaction(transaction: Transaction, receipt: Receipt | null) {
  const { hash, from, to, nonce, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } = transaction
  const price = receipt ? receipt.block.baseFeePerGas + tipOf(transaction, receipt.block.baseFeePerGas) : maxFeePerGas
  return {
    type: "0x2",
    hash,
    from,
    to,
    nonce: quantity(nonce),
    input: data,
    value: quantity(value),
    gas: quantity(gas),
    gasPrice: quantity(price),
    maxFeePerGas: quantity(maxFeePerGas),
    maxPriorityFeePerGas: quantity(maxPriorityFeePerGas),
    blockNumber: receipt && quantity(receipt.block.number),
    blockHash: receipt ? receipt.block.hash : null,
    transactionIndex: receipt && quantity(receipt.index),
  }
}

export function rpcReceipt(receipt: Receipt, token: Address) {
  const { transaction, block, index, isSuccess, gasUsed, cumulativeGasUsed, effectiveGasPrice, logs } = receipt
  return {
    type: "0x2",
    status: isSuccess ? "0x1" : "0x0",
    transactionHash: transaction.hash,
    transactionIndex: quantity(index),
    blockNumber: quantity(block.number),
    blockHash: block.hash,
    from: transaction.from,
    to: transaction.to,
    contractAddress: null,
    gasUsed: quantity(gasUsed),
    cumulativeGasUsed: quantity(cumulativeGasUsed),
    effectiveGasPrice: quantity(effectiveGasPrice),
    logs: logs.map((log) => rpcLog(log, receipt, token)),
  }
}

/** `token`: lower-case address of USDC, whose events carry no address. */
export function rpcLog(log: Log, { transaction, block, index }: Receipt, token: Address) {
  return {
    address: log.address ?? token,
    topics: log.topics,
    data: log.data,
    blockNumber: quantity(block.number),
    blockHash: block.hash,
    transactionHash: transaction.hash,
    transactionIndex: quantity(index),
    logIndex: quantity(log.index),
    removed: false,
  }
}
