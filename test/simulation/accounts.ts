/** The accounts of payers, relayers and thieves: anvil's published keys only, since a signature made here is valid on mainnet. */
import type { Address, Hex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../fixtures/chain.ts"

/** The relayer's key, and those that may replace it. */
export const RELAYER_KEYS: readonly Hex[] = [DEV_KEYS[1], DEV_KEYS[8], DEV_KEYS[9]]
export const RELAYER: Address = DEV_ACCOUNTS.relayer.address
export const RELAYERS: readonly Address[] = RELAYER_KEYS.map((key) => privateKeyToAccount(key).address)
export const PAY_TO: Address = DEV_ACCOUNTS.payTo.address
/** The wallet that serves jobs. */
export const PROVIDER_KEY: Hex = DEV_KEYS[0]
export const PROVIDER: Address = DEV_ACCOUNTS.deployer.address
export const THIEF: Address = DEV_ACCOUNTS.stranger.address
/** Wallets with enough money and gas. */
export const RICH: readonly PrivateKeyAccount[] = [
  DEV_ACCOUNTS.payer,
  DEV_ACCOUNTS.secondPayer,
  privateKeyToAccount(DEV_KEYS[6]),
]
/** A wallet whose balance changes. */
export const POOR: PrivateKeyAccount = privateKeyToAccount(DEV_KEYS[7])
export const PAYERS: readonly PrivateKeyAccount[] = [...RICH, POOR]
