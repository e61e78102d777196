/**
 * Verifies a payment before any work is done. There are two ways, because a signature is a bearer instrument: anyone who sees it can submit
 * the transfer.
 * - Payer without code: nobody sees the signature. Its signer is recovered here, and the state that makes the transfer revert is read. So
 *   the signature does not leave the process before the attempt is stored for broadcast (rulings 32).
 * - Payer with code (ERC-1271 wallet, EIP-7702 account): only the chain can verify it, so the node sees the signature, last and only if all
 *   other checks pass. If the node submits it, the same header gives `nonce_already_used` and the caller reconciles. So this payer loses
 *   nothing if the service crashes between this check and the stored attempt.
 *
 * The newest block's time judges the window of the authorization, and no clock of this machine does (rulings 93). The official verifier of
 * x402 reads the system clock, so it is not used here; the tests compare with it.
 */
import { type Address, encodeFunctionData, type Hex, hashTypedData, keccak256, parseAbi, recoverAddress } from "viem"
import type { PaymentRequirements } from "../../schemas/x402.ts"
import { type Authorization, checkWindow, hasBegun } from "./authorization.ts"
import { type Balance, fundsAtBlock } from "./funds.ts"
import { type Asset, eip712Domain, TRANSFER_TYPES } from "./networks/network.ts"
import { plainSignature } from "./plain-signature.ts"
import {
  type Block,
  CallFailed,
  type EvmCall,
  type EvmChain,
  type EvmNode,
  judgedLater,
  RpcUnavailable,
  readAsset,
} from "./rpc.ts"
import { transferCall } from "./transfer-call.ts"

/** The chain shows the nonce as used or cancelled. The caller reconciles and never returns 402. */
const NONCE_ALREADY_USED = "nonce_already_used"
export const INSUFFICIENT_BALANCE = "invalid_exact_evm_insufficient_balance"
const SIGNATURE_INVALID = "invalid_exact_evm_signature"
const WOULD_REVERT = "invalid_exact_evm_transaction_simulation_failed"

type Verification =
  | {
      readonly isValid: true
      readonly payerHasCode: boolean
      readonly payerCodeHash: Hex | null
      readonly balance: Balance
    }
  /**
   * `headSeconds`: time of the block that judged the window, if the window is the reason. `usedBlock`: a block at which the nonce is used, if that
   * is the reason.
   */
  | {
      readonly isValid: false
      readonly reason: string
      readonly payerCodeHash: Hex | null
      readonly headSeconds?: number
      readonly usedBlock?: bigint
    }
  | { readonly unavailable: true }

/** Gas limit of one simulated call. A wallet that needs more is rejected here, before the estimate (rulings 37). */
const SIMULATION_GAS_MAX = 1_000_000n

/**
 * `authorization` must have passed `checkAuthorization` against the same `terms`. `relayer` is the sender of the simulated transfer.
 * `reason` is a string of x402 where one exists, or `nonce_already_used`.
 */
export async function verifyPayment(
  chain: EvmChain,
  authorization: Authorization,
  terms: Pick<PaymentRequirements, "maxTimeoutSeconds">,
  relayer: Address,
): Promise<Verification> {
  const { primary, asset } = chain
  try {
    const isSigned = await isSignedByPayer(asset, authorization)
    // Asked in one turn, judged in the order below. A forged payment gets no state read.
    const [coded, newest] = [primary.code(authorization.from), primary.block("latest")]
    const state = isSigned ? judgedLater(readState(chain, authorization, newest)) : null
    const [code, head] = await Promise.all([coded, newest])
    const payerCodeHash = code ? keccak256(code) : null
    const invalid = (reason: string) => ({ isValid: false, reason, payerCodeHash }) as const

    // Check a plain signature before the state: otherwise a spent nonce would let anyone act as its payer.
    if (!code && !isSigned) return invalid(SIGNATURE_INVALID)
    const outside = checkWindow(authorization, terms, head.timestamp)
    if (outside) return { ...invalid(outside), headSeconds: head.timestamp }
    const { problem, balance } = await (state ?? readState(chain, authorization, primary.block("latest")))
    if (code && (problem === null || problem === NONCE_ALREADY_USED) && !(await walletAccepts(chain, authorization))) {
      return invalid(SIGNATURE_INVALID)
    }
    if (problem === NONCE_ALREADY_USED) return { ...invalid(problem), usedBlock: balance.block }
    if (problem) return invalid(problem)
    // Before its first block every simulation fails. Then the estimate of the settlement simulates it.
    const isSimulated = code !== null && hasBegun(authorization, head.timestamp)
    if (isSimulated && !(await succeeds(primary, transferOf(asset, authorization, relayer)))) {
      // Whoever saw the signature may have brought it to the chain since its nonce was read.
      const { used, balance } = await fundsAtBlock(chain, authorization.from, [authorization.nonce])
      return used.size > 0 ? { ...invalid(NONCE_ALREADY_USED), usedBlock: balance.block } : invalid(WOULD_REVERT)
    }
    return { isValid: true, payerHasCode: code !== null, payerCodeHash, balance }
  } catch (error) {
    if (error instanceof RpcUnavailable) return { unavailable: true }
    throw error
  }
}

interface State {
  readonly problem: string | null
  readonly balance: Balance
}

/**
 * Conditions that make the transfer revert with any signature, read without showing the signature. The nonce comes first, because a used
 * nonce is not a failure. `newest` is asked in the same turn, and first: the rest may be of a newer block, but of no older one.
 */
async function readState(chain: EvmChain, authorization: Authorization, newest: Promise<Block>): Promise<State> {
  const { primary, asset } = chain
  const { from, to, value, nonce } = authorization
  const [head, used, paused, fromListed, toListed, amount] = await Promise.all([
    newest,
    readAsset(primary, asset, "authorizationState", [from, nonce]),
    readAsset(primary, asset, "paused", []),
    readAsset(primary, asset, "isBlacklisted", [from]),
    readAsset(primary, asset, "isBlacklisted", [to]),
    readAsset(primary, asset, "balanceOf", [from]),
  ])
  const balance = { amount, block: head.number }
  if (used) return { problem: NONCE_ALREADY_USED, balance }
  if (paused || fromListed || toListed) return { problem: WOULD_REVERT, balance }
  return amount < value ? shortAtBlock(chain, authorization) : { problem: null, balance }
}

/** The answers of one turn may be of different blocks, and then the transfer itself may have made the payer short. One block decides. */
async function shortAtBlock(chain: EvmChain, { from, value, nonce }: Authorization): Promise<State> {
  const { balance, used } = await fundsAtBlock(chain, from, [nonce])
  if (used.size > 0) return { problem: NONCE_ALREADY_USED, balance }
  return { problem: balance.amount < value ? INSUFFICIENT_BALANCE : null, balance }
}

const WALLET_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
const ERC1271_MAGIC = "0x1626ba7e"

/** Recovers the signer as USDC does for a payer without code. */
export async function isSignedByPayer(asset: Asset, authorization: Authorization): Promise<boolean> {
  const { from } = authorization
  const signature = plainSignature(authorization.signature)
  if (signature === null) return false
  try {
    return (await recoverAddress({ hash: signedHash(asset, authorization), signature })) === from
  } catch {
    // r and s name no point of the curve.
    return false
  }
}

/** The ERC-1271 check alone. The transfer cannot be simulated after its nonce is used. */
async function walletAccepts({ primary, asset }: EvmChain, authorization: Authorization): Promise<boolean> {
  const { from, signature } = authorization
  const args = [signedHash(asset, authorization), signature] as const
  const data = encodeFunctionData({ abi: WALLET_ABI, functionName: "isValidSignature", args })
  try {
    const answer = await primary.call({ to: from, data, gas: SIMULATION_GAS_MAX })
    return answer.slice(0, ERC1271_MAGIC.length) === ERC1271_MAGIC
  } catch (error) {
    if (error instanceof CallFailed) return false
    throw error
  }
}

function transferOf(asset: Asset, authorization: Authorization, relayer: Address): EvmCall {
  return { to: asset.address, data: transferCall(authorization), from: relayer, gas: SIMULATION_GAS_MAX }
}

async function succeeds(node: EvmNode, call: EvmCall): Promise<boolean> {
  try {
    await node.call(call)
    return true
  } catch (error) {
    if (error instanceof CallFailed) return false
    throw error
  }
}

/** The EIP-712 hash that the payer signed. */
function signedHash(asset: Asset, authorization: Authorization): Hex {
  const { from, to, value, validAfter, validBefore, nonce } = authorization
  return hashTypedData({
    domain: eip712Domain(asset),
    types: TRANSFER_TYPES,
    primaryType: "TransferWithAuthorization",
    message: { from, to, value, validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce },
  })
}
