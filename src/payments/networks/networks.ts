/** The rows of all networks. Only what assembles a program reads this file; every other part gets its network from there. */
import { BASE } from "./base.ts"
import { BASE_SEPOLIA } from "./base-sepolia.ts"
import type { Network } from "./network.ts"

export const NETWORKS: readonly Network[] = [BASE, BASE_SEPOLIA]

/** The network that `serve` sells on, and that the commands of a caller name. */
export const SERVED_NETWORK = BASE
