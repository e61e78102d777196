/**
 * Whether a payment could be settled now: asked of the node in the background, so that a quote costs no question. What cannot be
 * settled is not quoted.
 */
import { SECOND } from "../core/time.ts"
import { CLOCK_SKEW_SECONDS_MAX } from "./environment.ts"
import { planGas, priceMinAtomic } from "./gas.ts"
import type { Payments } from "./payments.ts"
import { RpcUnavailable } from "./rpc.ts"

export type ChainReadiness =
  /** A plain transfer could be settled now, for a product that costs at least this (millionths of a dollar). */
  | { readonly ready: true; readonly priceMinAtomic: bigint }
  | {
      readonly ready: false
      readonly code: "CHAIN_UNAVAILABLE" | "CLOCK_OFF" | "RELAYER_UNFUNDED"
      readonly detail: string
    }

/** Above any price: asks what a settlement costs, not whether it is worth it. */
const ANY_PRICE = 2n ** 128n

/** `now` in milliseconds. */
export async function chainReadiness(payments: Payments, now: number): Promise<ChainReadiness> {
  const { chain, environment, settler, gasPolicy } = payments
  try {
    const head = await chain.primary.block("latest")
    if (environment === "live" && Math.abs(head.timestamp - now / SECOND) > CLOCK_SKEW_SECONDS_MAX) {
      const detail = "The server's clock and the chain head differ by more than 30 seconds."
      return { ready: false, code: "CLOCK_OFF", detail }
    }
    if (settler.kind !== "self") return { ready: true, priceMinAtomic: 0n }
    const plan = await planGas(chain, settler.relayer.address, null, ANY_PRICE, gasPolicy)
    if (plan.kind === "ready") return { ready: true, priceMinAtomic: priceMinAtomic(plan.worstCostWei, gasPolicy) }
    return { ready: false, code: "RELAYER_UNFUNDED", detail: "The relayer cannot pay the gas of a settlement." }
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    return { ready: false, code: "CHAIN_UNAVAILABLE", detail: "The payment network's node does not answer." }
  }
}
