/**
 * Whether a payment could be settled now. Nodes and facilitator are queried in the background, so a quote needs no query. The service
 * quotes only what it could settle.
 */
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { inBrackets } from "../base/network-fault.ts"
import type { Check, Reason } from "../base/readiness.ts"
import { planGas, priceMinAtomic } from "./gas.ts"
import type { FacilitatorAnswer } from "./hosted-settler.ts"
import { nodeCheck, unavailable } from "./node-check.ts"
import type { Payments } from "./payments.ts"
import { RpcUnavailable } from "./rpc.ts"

/** Above any price: asks for the cost of a settlement, not whether it is worth it. */
const ANY_PRICE = 2n ** 128n

export interface PaymentReadiness {
  readonly checks: readonly Check[]
  /** Why a settlement at this price (millionths of a dollar) is not worth its cost, as of the last check. */
  reasonsAgainst(priceAtomic: bigint): readonly Reason[]
}

interface PaymentReadinessParts {
  readonly machine: Pick<Machine, "now">
  readonly log: Log
  /** Prices of all products, in millionths of a dollar. */
  readonly prices: readonly bigint[]
}

export function paymentReadiness(payments: Payments, parts: PaymentReadinessParts): PaymentReadiness {
  const { chain, environment, settler, gasPolicy } = payments
  const { log, prices } = parts
  const judged = { ...parts, environment, network: chain.network }
  let least = 0n

  async function relayer(address: `0x${string}`): Promise<readonly Reason[]> {
    try {
      const plan = await planGas(payments, address, null, ANY_PRICE)
      if (plan.kind !== "ready") return [RELAYER_UNFUNDED]
      const before = unsold(prices, least)
      least = priceMinAtomic(plan.worstCostWei, gasPolicy)
      const now = unsold(prices, least)
      if (now !== before) log.warn("gas_too_expensive", { products: now, of: prices.length })
      return now > 0 && now === prices.length ? [GAS_TOO_EXPENSIVE] : []
    } catch (error) {
      if (!(error instanceof RpcUnavailable)) throw error
      return [unavailable("primary", error)]
    }
  }

  return {
    checks: [
      nodeCheck(judged, chain.primary),
      ...(chain.second ? [nodeCheck(judged, chain.second)] : []),
      settler.kind === "self"
        ? { name: "relayer", reasons: () => relayer(settler.relayer.address) }
        : {
            name: "facilitator",
            reasons: async () => facilitator(await settler.hosted.answers()),
          },
    ],
    reasonsAgainst: (priceAtomic) => (priceAtomic < least ? [GAS_TOO_EXPENSIVE] : []),
  }
}

function unsold(prices: readonly bigint[], least: bigint): number {
  return prices.filter((price) => price < least).length
}

const GAS_TOO_EXPENSIVE: Reason = {
  code: "GAS_TOO_EXPENSIVE",
  detail: "Gas for a settlement would cost more than a quarter of the price.",
}
const RELAYER_UNFUNDED: Reason = {
  code: "RELAYER_UNFUNDED",
  detail: "The relayer cannot pay the gas of a settlement.",
}

function facilitator(answer: FacilitatorAnswer): readonly Reason[] {
  if (answer.isThere) return []
  const detail = `The facilitator that settles payments does not answer${inBrackets(answer.code)}.`
  return [{ code: "FACILITATOR_UNAVAILABLE", detail }]
}
