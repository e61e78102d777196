/**
 * Verifies a payment before any work is done. There are two ways, because a signature is a bearer instrument: anyone who sees it can submit
 * the transfer.
 * - Payer without code: nobody sees the signature. The official verifier runs on data read before (code of payer and asset; state reads
 *   replace its simulation). So the signature does not leave the process before the attempt is stored for broadcast (rulings 32).
 * - Payer with code (ERC-1271 wallet, EIP-7702 account): only the chain can verify it, so the node sees the signature, last and only if all
 *   other checks pass. If the node submits it, the same header gives `nonce_already_used` and the caller reconciles. So this payer loses
 *   nothing if the service crashes between this check and the stored attempt.
 */
import { authorizationTypes, toFacilitatorEvmSigner } from "@x402/evm"
import { ExactEvmScheme } from "@x402/evm/exact/facilitator"
import {
  type Abi,
  type Address,
  decodeFunctionResult,
  encodeFunctionData,
  type Hex,
  hashTypedData,
  keccak256,
  parseAbi,
  size,
} from "viem"
import type { PaymentRequirements } from "../../schemas/x402.ts"
import type { Authorization } from "./authorization.ts"
import { CallFailed, type EvmChain, type EvmNode, RpcUnavailable, readAsset } from "./rpc.ts"
import { ECDSA_SIGNATURE_BYTES } from "./transfer-call.ts"
import { eip712Domain } from "./usdc.ts"
import { wirePayment } from "./wire-payload.ts"

/** The chain shows the nonce as used or cancelled. The caller reconciles and never returns 402. */
export const NONCE_ALREADY_USED = "nonce_already_used"
export const INSUFFICIENT_BALANCE = "invalid_exact_evm_insufficient_balance"

export type Verification =
  /** `balance`: the payer's current balance, in the asset's smallest unit. */
  | {
      readonly isValid: true
      readonly payerHasCode: boolean
      readonly payerCodeHash: Hex | null
      readonly balance: bigint
    }
  | { readonly isValid: false; readonly reason: string; readonly payerCodeHash: Hex | null }
  | { readonly unavailable: true }

/** Judges a plain signature without a node: null when valid, else a reason string of x402. */
export type SignatureVerdict = (authorization: Authorization, terms: PaymentRequirements) => Promise<string | null>

/** Gas limit of one simulated call. A wallet that needs more is rejected here, before the estimate (rulings 37). */
const SIMULATION_GAS_MAX = 1_000_000n
/** Half the curve order. USDC rejects a signature with a higher s, although every signature has such a twin. */
const S_MAX = 0x7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0n

/**
 * `authorization` must have passed `checkAuthorization` against the same `terms`. `relayer` is the sender of the simulated transfer.
 * `reason` is a string of x402 where one exists, or `nonce_already_used`. `judgeSignature`: the official verifier unless given.
 */
export async function verifyPayment(
  chain: EvmChain,
  authorization: Authorization,
  terms: PaymentRequirements,
  relayer: Address,
  judgeSignature: SignatureVerdict = (signed, agreed) => askOffline(chain, signed, agreed),
): Promise<Verification> {
  try {
    const code = await chain.primary.code(authorization.from)
    const payerCodeHash = code ? keccak256(code) : null
    const invalid = (reason: string) => ({ isValid: false, reason, payerCodeHash }) as const
    if (!code && !isPlainSignature(authorization.signature)) return invalid("invalid_exact_evm_signature")

    // Check a plain signature before the state: otherwise a spent nonce would let anyone act as its payer.
    const forged = code ? null : await judgeSignature(authorization, terms)
    if (forged) return invalid(forged)
    const { problem, balance } = await readState(chain, authorization)
    if (problem === NONCE_ALREADY_USED && code && !(await walletAccepts(chain, authorization))) {
      return invalid("invalid_exact_evm_signature")
    }
    if (problem) return invalid(problem)
    const verdict = code ? await askOnChain(chain, authorization, terms, code, relayer) : null
    return verdict === null ? { isValid: true, payerHasCode: code !== null, payerCodeHash, balance } : invalid(verdict)
  } catch (error) {
    if (error instanceof RpcUnavailable) return { unavailable: true }
    throw error
  }
}

/**
 * Conditions that make the transfer revert with any signature, read without showing the signature. The nonce comes first, because a used
 * nonce is not a failure.
 */
async function readState(
  { primary, asset }: EvmChain,
  { from, to, value, nonce }: Authorization,
): Promise<{ problem: string | null; balance: bigint }> {
  const [used, paused, fromListed, toListed, balance] = await Promise.all([
    readAsset(primary, asset, "authorizationState", [from, nonce]),
    readAsset(primary, asset, "paused", []),
    readAsset(primary, asset, "isBlacklisted", [from]),
    readAsset(primary, asset, "isBlacklisted", [to]),
    readAsset(primary, asset, "balanceOf", [from]),
  ])
  if (used) return { problem: NONCE_ALREADY_USED, balance }
  if (paused || fromListed || toListed) return { problem: "invalid_exact_evm_transaction_simulation_failed", balance }
  return { problem: balance < value ? INSUFFICIENT_BALANCE : null, balance }
}

/** 65 bytes, v 27 or 28, low s, as USDC's ECRecover requires. viem and the official verifier also accept the twins that USDC rejects. */
function isPlainSignature(signature: Hex): boolean {
  if (size(signature) !== ECDSA_SIGNATURE_BYTES) return false
  const s = BigInt(`0x${signature.slice(66, 130)}`)
  return s <= S_MAX && /1[bc]$/.test(signature)
}

const WALLET_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
const ERC1271_MAGIC = "0x1626ba7e"

/** The ERC-1271 check alone. The transfer cannot be simulated after its nonce is used. */
async function walletAccepts({ primary, asset }: EvmChain, authorization: Authorization): Promise<boolean> {
  const { from, to, value, validAfter, validBefore, nonce, signature } = authorization
  const hash = hashTypedData({
    domain: eip712Domain(asset),
    types: authorizationTypes,
    primaryType: "TransferWithAuthorization",
    message: { from, to, value, validAfter: BigInt(validAfter), validBefore: BigInt(validBefore), nonce },
  })
  const data = encodeFunctionData({ abi: WALLET_ABI, functionName: "isValidSignature", args: [hash, signature] })
  try {
    const answer = await primary.call({ to: from, data, gas: SIMULATION_GAS_MAX })
    return answer.slice(0, ERC1271_MAGIC.length) === ERC1271_MAGIC
  } catch (error) {
    if (error instanceof CallFailed) return false
    throw error
  }
}

/** Null when valid, else the official reason. The signer below responds from memory, so no network request is possible. */
async function askOffline(
  chain: EvmChain,
  authorization: Authorization,
  terms: PaymentRequirements,
): Promise<string | null> {
  return officialVerdict(authorization, terms, {
    getCode: async ({ address }) => (isAsset(chain, address) ? "0x01" : "0x"),
    readContract: async () => undefined,
  })
}

async function askOnChain(
  chain: EvmChain,
  authorization: Authorization,
  terms: PaymentRequirements,
  payerCode: Hex,
  relayer: Address,
): Promise<string | null> {
  let unavailable: RpcUnavailable | null = null
  const reason = await officialVerdict(authorization, terms, {
    getCode: async ({ address }) => (isAsset(chain, address) ? "0x01" : payerCode),
    readContract: async (call) => {
      try {
        return await simulate(chain.primary, call, relayer)
      } catch (error) {
        if (error instanceof RpcUnavailable) unavailable = error
        throw error
      }
    },
  })
  // The official verifier reports a node without response as an invalid signature, but "could not check" is not "invalid".
  if (reason !== null && unavailable) throw unavailable
  return reason
}

interface ContractCall {
  address: Address
  abi: readonly unknown[]
  functionName: string
  args?: readonly unknown[]
}

async function simulate(node: EvmNode, call: ContractCall, relayer: Address): Promise<unknown> {
  const { functionName } = call
  const abi = call.abi as Abi
  const data = encodeFunctionData({ abi, functionName, args: call.args ?? [] })
  const answer = await node.call({ to: call.address, data, from: relayer, gas: SIMULATION_GAS_MAX })
  return decodeFunctionResult({ abi, functionName, args: call.args ?? [], data: answer })
}

interface Reads {
  getCode(args: { address: Address }): Promise<Hex | undefined>
  readContract(args: ContractCall): Promise<unknown>
}

/** The official `exact` verifier (x402 `scheme_exact_evm`, verification) over the given reads. It reads the system clock. */
async function officialVerdict(
  authorization: Authorization,
  terms: PaymentRequirements,
  reads: Reads,
): Promise<string | null> {
  const signer = toFacilitatorEvmSigner({
    address: authorization.to,
    ...reads,
    verifyTypedData: throwOnWrite,
    writeContract: throwOnWrite,
    sendTransaction: throwOnWrite,
    waitForTransactionReceipt: throwOnWrite,
  })
  const { paymentPayload, paymentRequirements } = wirePayment(authorization, terms)
  const verdict = await new ExactEvmScheme(signer).verify(paymentPayload, paymentRequirements)
  return verdict.isValid ? null : (verdict.invalidReason ?? "invalid_payload")
}

async function throwOnWrite(): Promise<never> {
  throw new TypeError("verification never writes")
}

function isAsset(chain: EvmChain, address: Address): boolean {
  return address.toLowerCase() === chain.asset.address.toLowerCase()
}
