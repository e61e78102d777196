/** The network that the interface fixes in signed documents: Base. Plain data, no schema. */
export const BASE_CHAIN_ID = 8453
/** CAIP-2 id, as x402 names networks. */
export const BASE_NETWORK = `eip155:${BASE_CHAIN_ID}` as const
