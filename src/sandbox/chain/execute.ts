/** What a transaction does to the state when it is mined. */
import type { Address } from "viem"
import type { Effect } from "./contract.ts"
import type { Contracts } from "./contracts.ts"
import { AT_HEAD, type Ledger } from "./ledger.ts"
import { tipOf } from "./mempool.ts"
import type { Signatures } from "./signatures.ts"
import { intrinsicGas, type Transaction } from "./transaction.ts"

interface ExecutionState {
  readonly ledger: Ledger
  readonly signatures: Signatures
  readonly contracts: Contracts
  /** USDC, in lower case. */
  readonly token: Address
}

export interface Executed {
  readonly transaction: Transaction
  readonly effect: Effect
  readonly gasUsed: bigint
}

const NOTHING: Effect = { isSuccess: false, gas: 0n, reason: null }

/** Requires that the sender can pay and that the nonce is the sender's next. A failed transaction pays its gas and changes nothing else. */
export function executeTransaction(
  { ledger, signatures, contracts, token }: ExecutionState,
  transaction: Transaction,
  timestamp: number,
  baseFee: bigint,
): Executed {
  const { from, to, data, value, gas, nonce } = transaction
  ledger.setNonce(from, nonce + 1)
  const intrinsic = intrinsicGas(data)
  let effect = NOTHING
  ledger.attempt(() => {
    const around = { ledger, signatures, token, timestamp, at: AT_HEAD, withFee: true }
    effect = contracts.run(to, data, from, around)
    if (intrinsic + effect.gas > gas) effect = { isSuccess: false, gas: gas - intrinsic, reason: "out of gas" }
    return effect.isSuccess
  })
  const gasUsed = intrinsic + effect.gas
  ledger.setWei(from, ledger.wei(from) - gasUsed * (baseFee + tipOf(transaction, baseFee)))
  if (effect.isSuccess && value > 0n) {
    ledger.setWei(from, ledger.wei(from) - value)
    ledger.setWei(to, ledger.wei(to) + value)
  }
  return { transaction, effect, gasUsed }
}

export interface SimulatedCall {
  readonly from: Address
  readonly to: Address
  readonly data: `0x${string}`
  /** Whether the call names a gas price. A hostile wallet can read this. */
  readonly withFee: boolean
}

/** Runs a call on the state at the end of a block and rolls all writes back. The effect's `gas` excludes the intrinsic gas. */
export function simulateCall(
  { ledger, signatures, contracts, token }: ExecutionState,
  { from, to, data, withFee }: SimulatedCall,
  at: number,
  timestamp: number,
): Effect {
  let effect = NOTHING
  ledger.attempt(() => {
    effect = contracts.run(to, data, from, { ledger, signatures, token, timestamp, at, withFee })
    return false
  })
  return effect
}
