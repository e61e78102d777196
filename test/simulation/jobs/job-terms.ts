/** The offering of the simulated provider, and the escrow contract that its jobs use. */
import type { Address } from "viem"
import { ACP_CHAIN_ID } from "../../../schemas/acp/terms.ts"
import { BASE } from "../../../src/payments/networks/base.ts"
import { PROVIDER } from "../accounts.ts"

/** Addresses in lower case. */
export const ESCROW: Address = "0x238e541bfefd82238730d00a2208e5497f1832e0"
export const IMPLEMENTATION: Address = "0x000000000000000000000000000000000000e5c1"
export const TREASURY: Address = "0x000000000000000000000000000000000000fee5"
export const NOBODY: Address = "0x0000000000000000000000000000000000000000"
export const PROVIDER_LOWER = PROVIDER.toLowerCase() as Address
export const PRICE = 790_000n
/** What the provider gets of it: the platform takes a hundredth. */
export const NET = 782_100n
export const OFFERING_ID = "offering-1"
export const CHANNEL = "acp"
export const CHAIN_ID = ACP_CHAIN_ID
export const TOKEN = BASE.asset.address
export const DESCRIPTION = "Payment Decision"
/** A buyer who keeps the rules funds only with this much time left. */
export const FUND_SECONDS_MIN = 180

/** What the provider says of a message or a funding. After any other code it takes the job no further, and the buyer leaves. */
export const REMARKS: ReadonlySet<string> = new Set([
  "BINDING_INVALID",
  "REQUIREMENT_NOT_JSON",
  "REQUIREMENT_SCHEMA",
  "REQUIREMENT_TOO_LARGE",
  "OFFERING_DIFFERS",
  "FUNDING_OBSERVED",
])
