/** How many settlements the relayer's ether still pays for. */
import type { Address } from "viem"
import { planGas } from "./gas.ts"
import type { Payments } from "./payments.ts"

/** Above any price: asks for the cost of a settlement, not whether it is worth it. */
const ANY_PRICE = 2n ** 128n

interface RelayerFunds {
  readonly balanceWei: bigint
  /** At the present gas price and the highest cost of a settlement; so at least this many. */
  readonly paymentsLeft: bigint
}

/** Throws RpcUnavailable. */
export async function relayerFunds(
  payments: Pick<Payments, "chain" | "gasPolicy">,
  address: Address,
): Promise<RelayerFunds> {
  const [balanceWei, plan] = await Promise.all([
    payments.chain.primary.etherBalance(address),
    planGas(payments, address, null, ANY_PRICE),
  ])
  return { balanceWei, paymentsLeft: plan.kind === "ready" ? balanceWei / plan.worstCostWei : 0n }
}
