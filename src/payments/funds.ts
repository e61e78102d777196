/** What a payer has at one block, and which of its authorizations no longer take anything from it. */
import type { Address, Hex } from "viem"
import { atBlock, type EvmChain, readAsset } from "./rpc.ts"

interface Funds {
  /** In the asset's smallest unit. */
  readonly balance: bigint
  /** The nonces that were used or cancelled by the block. */
  readonly used: ReadonlySet<Hex>
}

/** All of one block: otherwise a transfer could be in the balance and not among the nonces, or the reverse. Throws RpcUnavailable. */
export async function fundsAtBlock(
  { primary, asset }: EvmChain,
  payer: Address,
  nonces: readonly Hex[],
): Promise<Funds> {
  const shown = atBlock(primary, (await primary.block("latest")).hash)
  const [balance, states] = await Promise.all([
    readAsset(shown, asset, "balanceOf", [payer]),
    Promise.all(nonces.map((nonce) => readAsset(shown, asset, "authorizationState", [payer, nonce]))),
  ])
  return { balance, used: new Set(nonces.filter((_, at) => states[at])) }
}
