/**
 * Decides what a settlement may cost the service, before it takes a relayer nonce.
 *
 * An estimate runs the transfer on the node, so the node sees the signature (rulings 32 and 37). CHOICE: the gas of a payer without code is
 * never estimated. USDC's own code bounds such a transfer, so a fixed cap is the limit. A payer with
 * code controls the gas of its signature check, so its transfer is estimated, from the relayer and with the real fee (a wallet can be cheap
 * in a call that pays nothing). The node has already seen that signature at verification, and the attempt is already stored and watched.
 */
import { type Address, encodeFunctionData, type Hex, parseAbi, size } from "viem"
import { ceilDivide } from "../core/money.ts"
import {
  type Block,
  CallFailed,
  type EvmChain,
  type EvmNode,
  judgedLater,
  RpcUnavailable,
  readQuantity,
} from "./rpc.ts"

/** Bounds the node's work for an estimate. A transfer that needs more gas fails in the estimate. */
const ESTIMATE_GAS_MAX = 2_000_000n
/** A settlement may cost at most 1/4 of its price. */
const PRICE_FRACTION = 4n

export interface GasPolicy {
  /** CHOICE: the price of one ether, in millionths of a US dollar, is a setting. The service trusts no price feed to refuse sales. */
  readonly ethUsdMicros: bigint
  /** Wei per gas. Caps the priority fee that the node suggests. */
  readonly priorityFeeMax: bigint
}

export interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
}

export interface Gas extends Fees {
  readonly gasLimit: bigint
}

export type GasPlan =
  | { readonly kind: "ready"; readonly gas: Gas; readonly worstCostWei: bigint }
  /** The wallet's signature check needs more gas than the service pays for: 402. */
  | { readonly kind: "refused"; readonly reason: "gas_limit_exceeded" }
  /** The transfer would fail now. A third party may have submitted it already, so the caller must query the chain. */
  | { readonly kind: "would_fail" }
  /** A condition of this service: 503, nothing is charged. */
  | { readonly kind: "not_now"; readonly code: "GAS_TOO_EXPENSIVE" | "RELAYER_UNFUNDED" }

interface PlannedCall {
  readonly data: Hex
  readonly payerHasCode: boolean
  /** If the caller has them already. */
  readonly answers?: GasAnswers
}

/** What a node says about the cost of a settlement in wei, asked in one turn. Each answer is judged when a step needs it. */
export function queryGas({ primary: node, network }: EvmChain, relayer: Address, calldataBytes: number) {
  const { l1FeeOracle } = network.gas
  return {
    head: judgedLater(node.block("latest")),
    tip: judgedLater(suggestedTip(node)),
    l1Fee: judgedLater(l1FeeOracle === null ? Promise.resolve(0n) : l1FeeMax(node, l1FeeOracle, calldataBytes)),
    balance: judgedLater(node.etherBalance(relayer)),
  }
}
type GasAnswers = ReturnType<typeof queryGas>

/** Where a settlement is sent, and what its gas may cost. */
interface GasTerms {
  readonly chain: EvmChain
  readonly gasPolicy: GasPolicy
}

/**
 * Plans the gas of a settlement. With `call` null it checks whether a plain transfer could be settled now (before a quote). `priceAtomic`
 * is in millionths of a dollar, the smallest unit of USDC. Throws RpcUnavailable.
 */
export async function planGas(
  { chain, gasPolicy: policy }: GasTerms,
  relayer: Address,
  call: PlannedCall | null,
  priceAtomic: bigint,
): Promise<GasPlan> {
  const answers = call?.answers ?? queryGas(chain, relayer, call ? size(call.data) : PLAIN_CALL_BYTES)
  const fees = feesAt(await answers.head, await answers.tip, policy)
  const { limitMax, limitMaxWithCode } = chain.network.gas
  const l1Fee = await answers.l1Fee
  // Checked before the estimate, because nodes reject an estimate from an account that cannot pay for it.
  const cap = call?.payerHasCode ? limitMaxWithCode : limitMax
  if ((await answers.balance) < cap * fees.maxFeePerGas + l1Fee) {
    return { kind: "not_now", code: "RELAYER_UNFUNDED" }
  }
  const limit = call?.payerHasCode ? await estimatedLimit(chain, relayer, call.data, fees) : cap
  if (limit === "would_fail") return { kind: limit }
  if (limit === "too_much") return { kind: "refused", reason: "gas_limit_exceeded" }
  const worstCostWei = limit * fees.maxFeePerGas + l1Fee
  if (priceAtomic < priceMinAtomic(worstCostWei, policy)) return { kind: "not_now", code: "GAS_TOO_EXPENSIVE" }
  return { kind: "ready", gas: { gasLimit: limit, ...fees }, worstCostWei }
}

/** The lowest price, in millionths of a dollar, of which `1 / PRICE_FRACTION` pays for a settlement of this cost. */
export function priceMinAtomic(worstCostWei: bigint, { ethUsdMicros }: GasPolicy): bigint {
  return ceilDivide(worstCostWei * ethUsdMicros, 10n ** 18n) * PRICE_FRACTION
}

async function estimatedLimit({ primary, asset, network }: EvmChain, relayer: Address, data: Hex, fees: Fees) {
  try {
    const call = { to: asset.address, data, from: relayer, gas: ESTIMATE_GAS_MAX, ...fees }
    const estimate = await primary.estimateGas(call)
    const { limitMaxWithCode } = network.gas
    if (estimate > limitMaxWithCode) return "too_much" as const
    const padded = (estimate * 12n) / 10n
    return padded < limitMaxWithCode ? padded : limitMaxWithCode
  } catch (error) {
    if (error instanceof CallFailed) return "would_fail" as const
    throw error
  }
}

export async function currentFees(node: EvmNode, head: Block, policy: GasPolicy): Promise<Fees> {
  return feesAt(head, await suggestedTip(node), policy)
}

/** A node without this question suggests a whole price, of which the base fee is a part. */
function suggestedTip(node: EvmNode): Promise<bigint> {
  return node.ask("eth_maxPriorityFeePerGas", async (request) => {
    try {
      return readQuantity(await request({ method: "eth_maxPriorityFeePerGas" }))
    } catch {
      const [head, price] = await Promise.all([node.block("latest"), request({ method: "eth_gasPrice" })])
      const tip = readQuantity(price) - head.baseFeePerGas
      return tip > 0n ? tip : 0n
    }
  })
}

/** Twice the base fee covers about six full blocks of rising fees (EIP-1559: at most 12.5 % a block). */
function feesAt(head: Block, suggested: bigint, policy: GasPolicy): Fees {
  const maxPriorityFeePerGas = suggested < policy.priorityFeeMax ? suggested : policy.priorityFeeMax
  return { maxPriorityFeePerGas, maxFeePerGas: head.baseFeePerGas * 2n + maxPriorityFeePerGas }
}

/** Fees that replace a pending transaction of the same nonce. Nodes require both fees to rise by at least a tenth. */
export function replacementFees(previous: Fees, current: Fees): Fees {
  const raised = (fee: bigint, now: bigint) => {
    const least = ceilDivide(fee * 1125n, 1000n)
    return now > least ? now : least
  }
  return {
    maxFeePerGas: raised(previous.maxFeePerGas, current.maxFeePerGas),
    maxPriorityFeePerGas: raised(previous.maxPriorityFeePerGas, current.maxPriorityFeePerGas),
  }
}

/** Calldata of the (v, r, s) overload: selector and nine words. */
const PLAIN_CALL_BYTES = 4 + 9 * 32
/** What an EIP-1559 envelope adds to its calldata, in bytes, rounded up. */
const ENVELOPE_BYTES = 128
const ORACLE_ABI = parseAbi(["function getL1FeeUpperBound(uint256 unsignedTxSize) view returns (uint256)"])

/**
 * Upper bound of the L1 data fee in wei; Base charges it for publishing on L1 (OP stack, Fjord predeploys). Queried by size, because
 * `getL1Fee(bytes)` would show the node the signature. A chain without the oracle returns nothing and charges nothing.
 */
async function l1FeeMax(node: EvmNode, oracle: Address, calldataBytes: number): Promise<bigint> {
  const unsignedTxSize = BigInt(calldataBytes + ENVELOPE_BYTES)
  const data = encodeFunctionData({ abi: ORACLE_ABI, functionName: "getL1FeeUpperBound", args: [unsignedTxSize] })
  try {
    const answer = await node.call({ to: oracle, data })
    if (answer === "0x") return 0n
    if (!/^0x[0-9a-fA-F]{64}$/.test(answer)) throw new RpcUnavailable(node.name, "getL1FeeUpperBound")
    return BigInt(answer)
  } catch (error) {
    if (error instanceof CallFailed) throw new RpcUnavailable(node.name, "getL1FeeUpperBound")
    throw error
  }
}
