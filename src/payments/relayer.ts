/**
 * Only this module signs with the relayer key. Signing makes bytes; the caller must store them before it sends them. The relayer only pays
 * gas: `payTo` is another account, so a stolen relayer key costs gas money and no revenue.
 */
import { type Address, type Hex, keccak256, parseTransaction } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import type { Fees, Gas } from "./gas.ts"
import { ErrorAnswer } from "./json-rpc.ts"
import { type EvmNode, RpcUnavailable } from "./rpc.ts"

export interface SignedTransaction {
  readonly raw: Hex
  readonly hash: Hex
}

export interface Relayer {
  readonly address: Address
  /** Signs a call of `to` with `data` for exactly this transaction nonce. */
  sign(call: { to: Address; data: Hex }, relayerNonce: number, gas: Gas): Promise<SignedTransaction>
  /**
   * Signs a zero transfer to the relayer itself. It fills a nonce whose payment will not be sent, because every later nonce waits for it.
   * Ignores `gas.gasLimit`.
   */
  signFill(relayerNonce: number, gas: Gas): Promise<SignedTransaction>
  /** Signs the stored call and nonce again with other fees. It reads the stored bytes, so a raised fee cannot become another payment. */
  resign(raw: Hex, raise: (previous: Fees) => Fees): Promise<SignedTransaction & Fees>
}

/** A call with the relayer's nonce and its gas limit. */
interface RelayedCall {
  readonly to: Address
  readonly data: Hex
  readonly nonce: number
  readonly gas: bigint
}

/** Gas of a plain transfer, fixed by the EVM. */
const TRANSFER_GAS = 21_000n

/** Throws for text that is not a 32-byte hex key. The message does not contain it. */
export function openRelayer(privateKey: Hex, chainId: number): Relayer {
  if (!/^0x[0-9a-fA-F]{64}$/.test(privateKey)) throw new TypeError("the relayer key is not 32 bytes of hex")
  const account = privateKeyToAccount(privateKey)

  async function signed({ to, data, nonce, gas }: RelayedCall, fees: Fees): Promise<SignedTransaction> {
    const { maxFeePerGas, maxPriorityFeePerGas } = fees
    const transaction = { type: "eip1559", chainId, to, data, nonce, gas, maxFeePerGas, maxPriorityFeePerGas } as const
    const raw = await account.signTransaction(transaction)
    return { raw, hash: keccak256(raw) }
  }
  return {
    address: account.address,
    sign: ({ to, data }, relayerNonce, gas) => signed({ to, data, nonce: relayerNonce, gas: gas.gasLimit }, gas),
    signFill: (relayerNonce, gas) =>
      signed({ to: account.address, data: "0x", nonce: relayerNonce, gas: TRANSFER_GAS }, gas),
    resign: async (raw, raise) => {
      const stored = parseTransaction(raw)
      const { to, data = "0x", nonce = 0, gas, maxFeePerGas, maxPriorityFeePerGas } = stored
      if (stored.chainId !== chainId || !to || !gas || !maxFeePerGas)
        throw new TypeError("not a transaction of this relayer")
      const fees = raise({ maxFeePerGas, maxPriorityFeePerGas: maxPriorityFeePerGas ?? 0n })
      return { ...(await signed({ to, data, nonce, gas }, fees)), ...fees }
    },
  }
}

/** The node's response to a broadcast: a hint, never the outcome of a payment. */
interface Broadcast {
  /**
   * `accepted`: the node took it. `known`: the node had it already, or its nonce is mined. `lost`: no response, so it may be on its way.
   * `rejected`: this node did not take it.
   */
  readonly kind: "accepted" | "known" | "lost" | "rejected"
  readonly detail: string
}

const ANSWERS: readonly (readonly [RegExp, Broadcast])[] = [
  [/already known|already imported|known transaction|already exists/i, { kind: "known", detail: "already_known" }],
  [/nonce too low|nonce has already been used/i, { kind: "known", detail: "nonce_too_low" }],
  [/insufficient funds/i, { kind: "rejected", detail: "insufficient_funds" }],
  [/replacement transaction underpriced/i, { kind: "rejected", detail: "replacement_underpriced" }],
  [/underpriced|max fee per gas less than|fee cap/i, { kind: "rejected", detail: "fee_too_low" }],
  [/nonce too high/i, { kind: "rejected", detail: "nonce_too_high" }],
  [/rate limit|limit exceeded|too many requests/i, { kind: "rejected", detail: "rate_limited" }],
]

/**
 * Sends stored bytes. Sending the same bytes twice is harmless, because they are one transaction. Never throws on a failure of the node.
 */
export async function broadcast(node: EvmNode, raw: Hex): Promise<Broadcast> {
  let answer: Broadcast = { kind: "lost", detail: "no_answer" }
  try {
    await node.ask("eth_sendRawTransaction", async (request) => {
      try {
        await request({ method: "eth_sendRawTransaction", params: [raw] })
        answer = { kind: "accepted", detail: keccak256(raw) }
      } catch (error) {
        if (!(error instanceof ErrorAnswer)) throw error
        // The node's message may quote the transaction, so only a known token is kept.
        const [, known] = ANSWERS.find(([pattern]) => pattern.test(error.message)) ?? []
        answer = known ?? { kind: "rejected", detail: `code_${error.code}` }
      }
    })
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
  }
  return answer
}
