/** Builds the delivery path of a running service, with the two background loops it needs: readiness and reconciliation. */
import { statfsSync } from "node:fs"
import { encodeBase64url } from "../core/base64url.ts"
import { SECOND } from "../core/time.ts"
import type { RateLimits } from "../http/rate-limit.ts"
import type { Log } from "../log.ts"
import type { Machine } from "../machine.ts"
import type { Payments } from "../payments/payments.ts"
import { type ChainReadiness, chainReadiness } from "../payments/readiness.ts"
import type { SettleStep } from "../payments/settle.ts"
import type { Store } from "../store/unit.ts"
import { periodic, type Worker } from "../worker.ts"
import { Alarms } from "./alarms.ts"
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
  let readiness: ChainReadiness | (NotReady & { readonly ready: false }) = { ready: true, priceMinAtomic: 0n }
  const deps: DeliveryDeps = {
    store: parts.store,
    machine,
    log,
    limiter: parts.limiter,
    baseUrl: parts.baseUrl,
    payments,
    notReady: (priceAtomic) => {
      if (!readiness.ready) return readiness
      return priceAtomic < readiness.priceMinAtomic ? GAS_TOO_EXPENSIVE : null
    },
    alarms: new Alarms(log, machine),
    products: new Map(parts.products.map((product) => [product.id, product])),
    owner: encodeBase64url(machine.random(16)),
    leaseMs: parts.leaseSeconds * SECOND,
    ...(parts.trace && { trace: parts.trace }),
  }
  if (payments === null) return { deps, workers: [] }
  const paying: PayingDeps = { ...deps, payments }
  /** Why products cannot be sold, and how many of them, for the log. */
  const unsold = () => {
    const reasons = parts.products.flatMap(({ priceAtomic }) => deps.notReady(priceAtomic)?.code ?? [])
    return reasons.length === 0 ? null : `${reasons[0]} (${reasons.length} of ${parts.products.length} products)`
  }

  async function look(): Promise<void> {
    const before = unsold()
    readiness =
      diskProblem(parts.directory, parts.diskFreeMinMb) ?? (await chainReadiness(paying.payments, machine.now()))
    const now = unsold()
    if (now !== before) log.warn("readiness_changed", { not_ready: now })
  }
  await look()
  return {
    deps,
    workers: [
      periodic("readiness", READINESS_EVERY_MS, look, { machine, log }),
      periodic("reconciler", RESUME_EVERY_MS, () => resumeAbandoned(paying), { machine, log }),
      periodic("outcomes", WATCH_EVERY_MS, () => watchOutcomes(paying), { machine, log }),
    ],
  }
}

const GAS_TOO_EXPENSIVE: NotReady = {
  code: "GAS_TOO_EXPENSIVE",
  detail: "Gas for a settlement would cost more than a quarter of the price.",
}

/** What is sold must be kept: a disk this full takes no more (rulings 59). */
function diskProblem(directory: string, minimumMb: number): (NotReady & { readonly ready: false }) | null {
  const { bavail, bsize } = statfsSync(directory)
  const freeMb = (bavail * bsize) / MEGABYTE
  return freeMb < minimumMb
    ? { ready: false, code: "DISK_LOW", detail: "The server has too little free disk to keep an acquired decision." }
    : null
}
