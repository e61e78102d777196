/**
 * Whether a payment could be settled now: asked of the node in the background, so that a quote costs no question. What cannot be
 * settled is not quoted.
 */
import { SECOND } from "../core/time.ts"
import { CLOCK_SKEW_SECONDS_MAX } from "./environment.ts"
import { planGas } from "./gas.ts"
import type { Payments } from "./payments.ts"
import { RpcUnavailable } from "./rpc.ts"

export type ChainReadiness = null | {
  readonly code: "CHAIN_UNAVAILABLE" | "CLOCK_OFF" | "RELAYER_UNFUNDED" | "GAS_TOO_EXPENSIVE"
  readonly detail: string
}

/** Null when a plain transfer of `priceAtomic` could be settled now. `now` in milliseconds. */
export async function chainReadiness(payments: Payments, priceAtomic: bigint, now: number): Promise<ChainReadiness> {
  const { chain, environment, settler, gasPolicy } = payments
  try {
    const head = await chain.primary.block("latest")
    if (environment === "live" && Math.abs(head.timestamp - now / SECOND) > CLOCK_SKEW_SECONDS_MAX) {
      return { code: "CLOCK_OFF", detail: "The server's clock and the chain head differ by more than 30 seconds." }
    }
    if (settler.kind !== "self") return null
    const plan = await planGas(chain, settler.relayer.address, null, priceAtomic, gasPolicy)
    if (plan.kind !== "not_now") return null
    const detail =
      plan.code === "RELAYER_UNFUNDED"
        ? "The relayer cannot pay the gas of a settlement."
        : "Gas for a settlement would cost more than a quarter of the price."
    return { code: plan.code, detail }
  } catch (error) {
    if (!(error instanceof RpcUnavailable)) throw error
    return { code: "CHAIN_UNAVAILABLE", detail: "The payment network's node does not answer." }
  }
}
