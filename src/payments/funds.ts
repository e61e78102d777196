/** What a payer has at one block, and which of its authorizations no longer take anything from it. */
import type { Address, Hex } from "viem"
import { atBlock, type EvmChain, readAsset } from "./rpc.ts"

/** What a payer has, in the asset's smallest unit. Whatever left it up to this block is not in it; a later transfer may be in it. */
export interface Balance {
  readonly amount: bigint
  readonly block: bigint
}

interface Funds {
  readonly balance: Balance
  /** The nonces that were used or cancelled by the block. */
  readonly used: ReadonlySet<Hex>
}

/** All of one block: otherwise a transfer could be in the balance and not among the nonces, or the reverse. Throws RpcUnavailable. */
export async function fundsAtBlock(
  { primary, asset }: EvmChain,
  payer: Address,
  nonces: readonly Hex[],
): Promise<Funds> {
  const { hash, number } = await primary.block("latest")
  const shown = atBlock(primary, hash)
  const [amount, states] = await Promise.all([
    readAsset(shown, asset, "balanceOf", [payer]),
    Promise.all(nonces.map((nonce) => readAsset(shown, asset, "authorizationState", [payer, nonce]))),
  ])
  return { balance: { amount, block: number }, used: new Set(nonces.filter((_, at) => states[at])) }
}
