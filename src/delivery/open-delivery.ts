/**
 * Builds the delivery path of a running service and its background loops. Payments open later, once the service listens, because loading
 * their modules and the relayer's key takes most of the start time.
 */

import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import type { Check, Readiness, Reason } from "../base/readiness.ts"
import { periodic, type Worker } from "../base/worker.ts"
import { encodeBase64url } from "../core/base64url.ts"
import { SECOND } from "../core/time.ts"
import type { FailureLimit } from "../http/failure-limit.ts"
import type { RateLimits } from "../http/rate-limit.ts"
import type { Payments } from "../payments/payments.ts"
import type { PaymentReadiness } from "../payments/readiness.ts"
import type { SettleStep } from "../payments/settle.ts"
import type { Store } from "../store/engine/unit.ts"
import { freeBytes, MEGABYTE } from "../store/free-writes/free-disk.ts"
import { restoreCheck } from "./after-restore.ts"
import { Alarms } from "./alarms.ts"
import type { DeliveryDeps, PayingDeps } from "./deps.ts"
import type { PaidProduct } from "./sale.ts"
import { settlementCheck } from "./settlement-check.ts"

interface DeliveryParts {
  readonly store: Store
  readonly machine: Machine
  readonly log: Log
  readonly limiter: RateLimits
  readonly failures: FailureLimit
  readonly baseUrl: () => string
  /** Called once; must not use the network. Null when payments are off. */
  readonly openPayments: (() => Promise<Payments>) | null
  readonly quoteKey: DeliveryDeps["quoteKey"]
  /** Receives the checks of sales and payments. */
  readonly readiness: Readiness
  readonly products: readonly PaidProduct[]
  /** See {@link DeliveryDeps.extensionsOf}. Absent if quotes have none. */
  readonly extensionsOf?: DeliveryDeps["extensionsOf"]
  readonly leaseSeconds: number
  /** The data directory. Its file system needs room for the decisions sold. */
  readonly directory: string
  readonly diskFreeMinMb: number
  readonly trace?: (step: SettleStep) => void | Promise<void>
}

const RESUME_EVERY_MS = 1 * SECOND
/** Each watched attempt costs about five node queries a round. */
const WATCH_EVERY_MS = 10 * SECOND
/** One read of the database, unless a restore is recent. */
const SCAN_EVERY_MS = 10 * SECOND

export interface OpenedDelivery {
  readonly deps: DeliveryDeps
  readonly workers: readonly Worker[]
}

interface Opened {
  readonly payments: Payments
  readonly readiness: PaymentReadiness
}

export function openDelivery(parts: DeliveryParts): OpenedDelivery {
  const { openPayments, readiness, machine, log } = parts
  let opened: Opened | null = null
  let opening: Promise<void> | null = null

  async function open(how: () => Promise<Payments>): Promise<void> {
    const [payments, { paymentReadiness }] = await Promise.all([how(), import("../payments/readiness.ts")])
    const prices = parts.products.map(({ priceAtomic }) => priceAtomic)
    opened = { payments, readiness: paymentReadiness(payments, { machine, log, prices }) }
    readiness.add(...opened.readiness.checks)
    // Until this check ends, readiness has no chain check and returns PAYMENTS_OPENING.
    void readiness.runAgain()
  }

  const deps: DeliveryDeps = {
    store: parts.store,
    machine,
    log,
    limiter: parts.limiter,
    failures: parts.failures,
    baseUrl: parts.baseUrl,
    get payments() {
      return opened?.payments ?? null
    },
    opened: async () => {
      if (openPayments === null) return
      opening ??= open(openPayments)
      await opening
    },
    notReady: (priceAtomic) => {
      const reasons = readiness.reasons()
      return reasons.length > 0 || opened === null ? reasons : opened.readiness.reasonsAgainst(priceAtomic)
    },
    quoteKey: parts.quoteKey,
    alarms: new Alarms(log, machine),
    products: new Map(parts.products.map((product) => [product.id, product])),
    extensionsOf: parts.extensionsOf ?? (() => undefined),
    owner: encodeBase64url(machine.random(16)),
    leaseMs: parts.leaseSeconds * SECOND,
    strayLeases: new Set(),
    ...(parts.trace && { trace: parts.trace }),
  }
  readiness.add(diskCheck(parts.directory, parts.diskFreeMinMb))
  if (openPayments === null) return { deps, workers: [] }

  readiness.add(
    { name: "payments", reasons: () => (opened === null ? [PAYMENTS_OPENING] : []) },
    settlementCheck(parts),
    restoreCheck(parts),
  )
  const round = (work: (paying: PayingDeps) => Promise<void>) => async () => {
    await deps.opened()
    const { payments } = deps
    if (payments !== null) await work({ ...deps, payments })
  }
  const resume = round(async (paying) => (await import("./reconcile.ts")).resumeAbandoned(paying))
  const maintain = round(async (paying) => (await import("./reconcile.ts")).maintainRelayers(paying))
  const scan = round(async (paying) => (await import("./restore-scan.ts")).scanAfterRestore(paying))
  const watch = round(async (paying) => (await import("./reconcile.ts")).watchOutcomes(paying))
  return {
    deps,
    workers: [
      periodic("reconciler", RESUME_EVERY_MS, resume, { machine, log }),
      periodic("relayers", RESUME_EVERY_MS, maintain, { machine, log }),
      periodic("restore", SCAN_EVERY_MS, scan, { machine, log }),
      periodic("outcomes", WATCH_EVERY_MS, watch, { machine, log }),
    ],
  }
}

/** Also the reason before the first check. */
export const PAYMENTS_OPENING: Reason = {
  code: "PAYMENTS_OPENING",
  detail: "Payments are starting, and their network is not verified yet.",
}

/** Every sold decision must be stored, so the service stops selling when the disk is this full (rulings 59). `minimumMb` in MiB. */
function diskCheck(directory: string, minimumMb: number): Check {
  return {
    name: "disk",
    reasons: () => (freeBytes(directory) < minimumMb * MEGABYTE ? [DISK_LOW] : []),
  }
}

const DISK_LOW: Reason = {
  code: "DISK_LOW",
  detail: "The server has too little free disk to keep an acquired decision.",
}
