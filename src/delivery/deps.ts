import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import type { Reason } from "../base/readiness.ts"
import type { FailureLimit } from "../http/failure-limit.ts"
import type { RateLimits } from "../http/rate-limit.ts"
import type { Authorization } from "../payments/authorization.ts"
import type { Payments } from "../payments/payments.ts"
import type { SettleStep } from "../payments/settle.ts"
import type { Store } from "../store/engine/unit.ts"
import type { Lease } from "../store/lease.ts"
import type { StrayLeases } from "../store/stray-leases.ts"
import type { Alarms } from "./alarms.ts"
import type { PaidProduct } from "./sale.ts"

/** What the delivery path depends on. */
export interface DeliveryDeps {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
  readonly limiter: RateLimits
  readonly failures: FailureLimit
  readonly baseUrl: () => string
  /** Null when payments are off, and until {@link DeliveryDeps.opened} resolves. */
  readonly payments: Payments | null
  /**
   * Opens payments if nothing has begun to. Resolves when they are open, or off. Takes some tens of milliseconds and uses no network. When
   * it rejects, the process ends.
   */
  readonly opened: () => Promise<void>
  /**
   * Why the service may not sell at this price now; empty when it may. A background loop keeps it current, so a request queries no node.
   */
  readonly notReady: (priceAtomic: bigint) => readonly Reason[]
  /** The HMAC key that binds a quote to its terms and its body. */
  readonly quoteKey: Uint8Array
  readonly alarms: Alarms
  readonly products: ReadonlyMap<string, PaidProduct>
  /** Returns the JSON of the x402 extensions of a product's quotes, printed once for each product. Undefined if they have none. */
  readonly extensionsOf: (product: string) => string | undefined
  /** Names this process as the owner of its leases. */
  readonly owner: string
  readonly leaseMs: number
  /** Of attempts. */
  readonly strayLeases: StrayLeases
  readonly trace?: (step: SettleStep) => void | Promise<void>
}

/** DeliveryDeps with payments on. */
export type PayingDeps = DeliveryDeps & { readonly payments: Payments }

export function leaseOf({ machine, owner, leaseMs }: DeliveryDeps): Lease {
  return { owner, until: new Date(machine.now() + leaseMs).toISOString() }
}

/** The key by which the store finds the attempt of an authorization. */
export function attemptIdentity({ payments }: PayingDeps, { from: payer, nonce }: Authorization) {
  const { chainId, address: asset } = payments.chain.asset
  return { chainId, asset, payer, nonce }
}
