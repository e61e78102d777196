import type { Network } from "./network.ts"

/** USDC's own code bounds a transfer of a payer without code: 85,000 to 103,000 gas were seen on Base. */
const GAS_LIMIT_MAX = 120_000n
const GAS_LIMIT_MAX_WITH_CODE = 250_000n
/** CHOICE: the priority fee is at most 0.05 gwei, whatever a node suggests. Base usually clears below 0.01. */
const PRIORITY_FEE_MAX = 50_000_000n

export const BASE: Network = {
  asset: {
    chainId: 8453,
    network: "eip155:8453",
    address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
    name: "USD Coin",
    version: "2",
  },
  domainSeparator: "0x02fa7265e7c5d81118673727957699e4d68f74cd74b7db77da710fe8a2c7834f",
  isLive: true,
  safeTag: "safe",
  gas: {
    limitMax: GAS_LIMIT_MAX,
    limitMaxWithCode: GAS_LIMIT_MAX_WITH_CODE,
    priorityFeeMax: PRIORITY_FEE_MAX,
    l1FeeOracle: "0x420000000000000000000000000000000000000F",
  },
}
