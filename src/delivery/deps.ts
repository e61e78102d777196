import type { RateLimits } from "../http/rate-limit.ts"
import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import type { Payments } from "../payments/payments.ts"
import type { SettleStep } from "../payments/settle.ts"
import type { Lease } from "../store/attempts.ts"
import type { Store } from "../store/unit.ts"
import type { Alarms } from "./alarms.ts"
import type { PaidProduct } from "./sale.ts"

/** What the delivery path works with. */
export interface DeliveryDeps {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
  readonly limiter: RateLimits
  readonly baseUrl: () => string
  /** Null when payments are off. */
  readonly payments: Payments | null
  /** Why nothing of this price may be sold right now, or null. Kept up to date in the background, never asked of a node per request. */
  readonly notReady: (priceAtomic: bigint) => NotReady | null
  readonly alarms: Alarms
  readonly products: ReadonlyMap<string, PaidProduct>
  /** Name of this process among the owners of leases. */
  readonly owner: string
  readonly leaseMs: number
  readonly trace?: (step: SettleStep) => void | Promise<void>
}

export interface NotReady {
  readonly code:
    | "PAYMENTS_OFF"
    | "CHAIN_UNAVAILABLE"
    | "CLOCK_OFF"
    | "RELAYER_UNFUNDED"
    | "GAS_TOO_EXPENSIVE"
    | "DISK_LOW"
  readonly detail: string
}

/** The same with payments on. */
export type PayingDeps = DeliveryDeps & { readonly payments: Payments }

export function leaseOf({ machine, owner, leaseMs }: DeliveryDeps): Lease {
  return { owner, until: new Date(machine.now() + leaseMs).toISOString() }
}
