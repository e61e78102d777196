/** Whether jobs can be taken: chain, contract, token, implementation, pause, and gas of the provider's wallet. */
import type { Address } from "viem"
import type { Reason } from "../../base/readiness.ts"
import { type EvmChain, type EvmNode, readNumber } from "../../payments/rpc.ts"
import { readImplementation, readSetting } from "./escrow-job.ts"

interface EscrowTerms {
  readonly chainId: number
  readonly contract: string
  readonly token: string
  readonly provider: string
  readonly implementations: readonly string[]
}

export interface EscrowState {
  /** Empty if jobs can be taken. */
  readonly reasons: readonly Reason[]
  /** Hundredths of a percent; null while the contract does not answer. */
  readonly platformFeeBp: number | null
  readonly evaluatorFeeBp: number | null
  readonly balanceWei: bigint
}

/** CHOICE: the wallet must hold this much gas money: about a hundred jobs at Base's usual fees. In wei. */
const BALANCE_WEI_MIN = 200_000_000_000_000n

/** Asks every node; each must show the same contract. Throws RpcUnavailable. */
export async function escrowState({ primary, second }: EvmChain, terms: EscrowTerms): Promise<EscrowState> {
  const states = await Promise.all([primary, ...(second ? [second] : [])].map((node) => stateOn(node, terms)))
  const [state] = states as [EscrowState, ...EscrowState[]]
  const reasons = states.flatMap((one) => one.reasons)
  return { ...state, reasons: reasons.filter(({ code }, at) => reasons.findIndex((one) => one.code === code) === at) }
}

async function stateOn(node: EvmNode, terms: EscrowTerms): Promise<EscrowState> {
  const { contract, token, provider, implementations } = terms
  const head = await node.block("latest")
  const [chainId, code, held, isPaused, platformFee, evaluatorFee, balanceWei] = await Promise.all([
    node.query(readNumber, "eth_chainId"),
    node.code(contract as Address),
    readSetting(node, contract, "paymentToken", head.hash),
    readSetting(node, contract, "paused", head.hash),
    readSetting(node, contract, "platformFeeBP", head.hash),
    readSetting(node, contract, "evaluatorFeeBP", head.hash),
    node.etherBalance(provider as Address),
  ])
  const fees = {
    platformFeeBp: platformFee === null ? null : Number(platformFee),
    evaluatorFeeBp: evaluatorFee === null ? null : Number(evaluatorFee),
    balanceWei,
  }
  if (chainId !== terms.chainId) return { ...fees, reasons: [reason("ACP_WRONG_CHAIN", WRONG_CHAIN)] }
  if (code === null || code === "0x" || held === null)
    return { ...fees, reasons: [reason("ACP_NO_CONTRACT", NO_CONTRACT)] }
  const implementation = await readImplementation(node, contract, head.number)
  const reasons = [
    ...(held.toLowerCase() === token ? [] : [reason("ACP_OTHER_TOKEN", OTHER_TOKEN)]),
    ...(implementation !== null && implementations.includes(implementation)
      ? []
      : [reason("ACP_IMPLEMENTATION_UNKNOWN", IMPLEMENTATION_UNKNOWN)]),
    ...(isPaused === false ? [] : [reason("ACP_CONTRACT_PAUSED", CONTRACT_PAUSED)]),
    ...(platformFee === null || evaluatorFee === null ? [reason("ACP_FEES_UNKNOWN", FEES_UNKNOWN)] : []),
    ...(balanceWei < BALANCE_WEI_MIN ? [reason("ACP_WALLET_UNFUNDED", WALLET_UNFUNDED)] : []),
  ]
  return { ...fees, reasons }
}

const WRONG_CHAIN = "A node is on another chain than the jobs."
const NO_CONTRACT = "No escrow contract answers at the configured address."
const OTHER_TOKEN = "The escrow contract is paid in another token than USDC."
const IMPLEMENTATION_UNKNOWN = "The code behind the escrow contract is not one that the operator trusts."
const CONTRACT_PAUSED = "The escrow contract is paused."
const FEES_UNKNOWN = "The escrow contract does not say its fees."
const WALLET_UNFUNDED = "The provider's wallet has too little ether for gas."

function reason(code: string, detail: string): Reason {
  return { code, detail }
}
