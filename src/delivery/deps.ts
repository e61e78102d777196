import type { RateLimits } from "../http/rate-limit.ts"
import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import type { Payments } from "../payments/payments.ts"
import type { SettleStep } from "../payments/settle.ts"
import type { Reason } from "../readiness.ts"
import type { Lease } from "../store/payments/attempts.ts"
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
  /** Null when payments are off, and until {@link DeliveryDeps.opened}. */
  readonly payments: Payments | null
  /**
   * Resolves when payments are open, or off; begins to open them when nothing has. Takes some tens of milliseconds and no network.
   * Rejects when they cannot be opened: then the process ends.
   */
  readonly opened: () => Promise<void>
  /**
   * Why nothing of this price may be sold right now; empty when it may. Kept up to date in the background, never asked of a node per
   * request.
   */
  readonly notReady: (priceAtomic: bigint) => readonly Reason[]
  readonly alarms: Alarms
  readonly products: ReadonlyMap<string, PaidProduct>
  /** Name of this process among the owners of leases. */
  readonly owner: string
  readonly leaseMs: number
  readonly trace?: (step: SettleStep) => void | Promise<void>
}

/** The same with payments on. */
export type PayingDeps = DeliveryDeps & { readonly payments: Payments }

export function leaseOf({ machine, owner, leaseMs }: DeliveryDeps): Lease {
  return { owner, until: new Date(machine.now() + leaseMs).toISOString() }
}
