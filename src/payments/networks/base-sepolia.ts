import { BASE } from "./base.ts"
import type { Network } from "./network.ts"

/** The test network of Base. Its asset has no value. */
export const BASE_SEPOLIA: Network = {
  ...BASE,
  asset: {
    chainId: 84532,
    network: "eip155:84532",
    address: "0x036CbD53842c5426634e7929541eC2318f3dCF7e",
    name: "USDC",
    version: "2",
  },
  domainSeparator: "0x71f17a3b2ff373b803d70a5a07c046c1a2bc8e89c09ef722fcb047abe94c9818",
  isLive: false,
}
