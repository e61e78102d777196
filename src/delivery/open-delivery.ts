/** Builds the delivery path of a running service, with the two background loops it needs: readiness and reconciliation. */
import { statfsSync } from "node:fs"
import { encodeBase64url } from "../core/base64url.ts"
import { SECOND } from "../core/time.ts"
import type { RateLimits } from "../http/rate-limit.ts"
import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import type { Payments } from "../payments/payments.ts"
import { chainReadiness } from "../payments/readiness.ts"
import type { SettleStep } from "../payments/settle.ts"
import type { Store } from "../store/unit.ts"
import { periodic, type Worker } from "../worker.ts"
import type { DeliveryDeps, NotReady, PayingDeps } from "./deps.ts"
import { resumeAbandoned, watchOutcomes } from "./reconcile.ts"
import type { PaidProduct } from "./sale.ts"

export interface DeliveryParts {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
  readonly limiter: RateLimits
  readonly baseUrl: () => string
  readonly payments: Payments | null
  readonly products: readonly PaidProduct[]
  readonly leaseSeconds: number
  /** The data directory, whose file system must have room for what is sold. */
  readonly directory: string
  readonly diskFreeMinMb: number
  readonly trace?: (step: SettleStep) => void | Promise<void>
}

const READINESS_EVERY_MS = 5 * SECOND
const RESUME_EVERY_MS = 1 * SECOND
/** Each watched attempt costs a handful of questions to the node a round. */
const WATCH_EVERY_MS = 10 * SECOND
const MEGABYTE = 1024 * 1024

export interface OpenedDelivery {
  readonly deps: DeliveryDeps
  readonly workers: readonly Worker[]
}

export async function openDelivery(parts: DeliveryParts): Promise<OpenedDelivery> {
  const { payments, machine, log } = parts
  let notReady: NotReady | null = null
  const deps: DeliveryDeps = {
    store: parts.store,
    machine,
    log,
    limiter: parts.limiter,
    baseUrl: parts.baseUrl,
    payments,
    notReady: () => notReady,
    products: new Map(parts.products.map((product) => [product.id, product])),
    owner: encodeBase64url(machine.random(16)),
    leaseMs: parts.leaseSeconds * SECOND,
    ...(parts.trace && { trace: parts.trace }),
  }
  if (payments === null) return { deps, workers: [] }
  const paying: PayingDeps = { ...deps, payments }
  const cheapest = parts.products.reduce(
    (least, { priceAtomic }) => (priceAtomic < least ? priceAtomic : least),
    790_000n,
  )

  async function look(): Promise<void> {
    const before = notReady?.code ?? null
    notReady =
      diskProblem(parts.directory, parts.diskFreeMinMb) ??
      (await chainReadiness(paying.payments, cheapest, machine.now()))
    if ((notReady?.code ?? null) !== before) log.warn("readiness_changed", { not_ready: notReady?.code ?? null })
  }
  await look()
  return {
    deps,
    workers: [
      periodic("readiness", READINESS_EVERY_MS, look, log),
      periodic("reconciler", RESUME_EVERY_MS, () => resumeAbandoned(paying), log),
      periodic("outcomes", WATCH_EVERY_MS, () => watchOutcomes(paying), log),
    ],
  }
}

/** What is sold must be kept: a disk this full takes no more (rulings 59). */
function diskProblem(directory: string, minimumMb: number): NotReady | null {
  const { bavail, bsize } = statfsSync(directory)
  const freeMb = (bavail * bsize) / MEGABYTE
  return freeMb < minimumMb
    ? { code: "DISK_LOW", detail: "The server has too little free disk to keep an acquired decision." }
    : null
}
