import { type Static, Type } from "@sinclair/typebox"
import { AtomicAmount, closed, EvmAddress } from "../common.ts"
import { text } from "../text.ts"
import { ACP_CHAIN_ID } from "./terms.ts"

/** An EVM address in the one form in which addresses are compared (rulings 7). */
export const LowerCaseAddress = Type.String({ pattern: "^0x[0-9a-f]{40}$" })
export const OfferingId = text(1, 160, { description: "Id of the offering in the provider listing" })
export const JobId = Type.String({
  pattern: "^[1-9][0-9]{0,77}$",
  description: "Number of the job on the chain, in decimal digits without a leading zero",
})

/** The supplier's own job, if the payment to decide is the funding of one. */
export const TargetJob = closed({
  chain_id: Type.Literal(ACP_CHAIN_ID),
  escrow_contract: EvmAddress,
  on_chain_job_id: JobId,
  client_address: EvmAddress,
  provider_address: EvmAddress,
  budget_atomic: AtomicAmount,
})
export type TargetJob = Static<typeof TargetJob>
