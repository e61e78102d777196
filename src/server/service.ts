/** All parts of a running service, built once. The route map (`app.ts`) and the workers receive only these parts. */
import { getBuyerSigningModule } from "../../schemas/acp/operations.ts"
import type { StatedEnvironment } from "../../schemas/environment.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import type { AccessLog } from "../base/access-log.ts"
import { VERSION } from "../base/build-facts.ts"
import type { Config } from "../base/config.ts"
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import { type Check, Readiness, readinessWorker } from "../base/readiness.ts"
import { periodic, type Worker } from "../base/worker.ts"
import type { ContactDeps } from "../contact/deps.ts"
import { contactByMail } from "../contact/mail/contact-by-mail.ts"
import type { MailSettings } from "../contact/mail/mail-settings.ts"
import type { LogKey } from "../core/sign-checkpoint.ts"
import { type OpenedDelivery, openDelivery, PAYMENTS_OPENING } from "../delivery/open-delivery.ts"
import { Generations } from "../discovery/generation.ts"
import { quoteExtensions } from "../discovery/quote-extensions.ts"
import { failureLimit } from "../http/failure-limit.ts"
import { freeWrites } from "../http/free-writes.ts"
import { IgnoredForwards } from "../http/ignored-forwards.ts"
import type { ProcessCounts } from "../http/process-counts.ts"
import { RateLimiter, unlimited } from "../http/rate-limit.ts"
import { ServedOperations } from "../http/served.ts"
import type { Shell, ShellSocket } from "../http/shell.ts"
import { jobRailOf } from "../jobs/job-rail.ts"
import type { JobSettings } from "../jobs/job-settings.ts"
import type { JobRail } from "../jobs/open-jobs.ts"
import type { KeyRing } from "../keys/key-ring.ts"
import type { Network } from "../payments/networks/network.ts"
import type { Payments } from "../payments/payments.ts"
import { Checkpoints } from "../products/agent-id/log-checkpoint.ts"
import { reviewer } from "../products/answer-review.ts"
import type { ProductSlice } from "../products/common/product-route.ts"
import type { ReviewOf } from "../products/common/review-of.ts"
import { productSlices, sliceOf } from "../products/product-slices.ts"
import { jobProduct } from "../products/us/payment-decision/job-product.ts"
import type { RegisterBoard } from "../sources/boards/register-board.ts"
import type { SourceBoard } from "../sources/boards/source-board.ts"
import type { ListedEntries } from "../sources/details/entry-book.ts"
import type { RestClient } from "../sources/publishers/uk-companies-house/rest-client.ts"
import { screenWallet } from "../sources/screening/screen.ts"
import type { SuppressionBook } from "../sources/screening/suppress.ts"
import type { Store } from "../store/engine/unit.ts"
import { spaceForFreeWrites } from "../store/free-writes/free-disk.ts"
import { type EarlierOrigin, earlierOrigins, fixedLogOrigin, hostOfOrigin } from "../store/log/log-origin.ts"

export interface ServiceCore {
  readonly config: Config
  /** The chain that the service sells on. */
  readonly network: Network
  /** Public origin, and the `audience` of documents signed for this service: `base_url`, or the listening address. */
  readonly baseUrl: string
  readonly machine: Machine
  readonly log: Log
  /** Absent if nothing listens. */
  readonly socket?: ShellSocket
  /** Absent if nobody reads metrics. */
  readonly counts?: ProcessCounts
  /** Absent if it is off. */
  readonly access?: AccessLog
}

/** Where a service meets the outside: records, keys, lists and money. The sandbox gives synthetic ones. */
interface ServiceParts extends ServiceCore {
  readonly environment: StatedEnvironment
  readonly store: Store
  /** Whether processes on other machines may use the store. */
  readonly isShared: boolean
  /** 32 bytes: the HMAC key of quotes. */
  readonly quoteKey: Uint8Array
  /** 32 bytes: the HMAC key of authorization tokens. */
  readonly tokenKey: Uint8Array
  /** Its file system needs room for what is sold. */
  readonly directory: string
  readonly keys: KeyRing
  readonly sources: SourceBoard
  /** The lists that the UK products screen. */
  readonly gbSources: SourceBoard
  readonly registers: RegisterBoard
  readonly suppressions: () => SuppressionBook
  /** The details of listed entries; absent if the lists have none. */
  readonly entries?: ListedEntries
  /** The live register of UK companies, or null. */
  readonly live: RestClient | null
  /** Whether the service fetches from publishers itself. */
  readonly fetching: boolean
  /** What must hold before anything is sold. */
  readonly checks: readonly Check[]
  /** Null when payments are off. */
  readonly openPayments: (() => Promise<Payments>) | null
  /** Null when no on-chain jobs are served. */
  readonly jobs: JobSettings | null
  /** Null when no e-mail is sent. */
  readonly mail: MailSettings | null
  /** Loops of the parts above. */
  readonly workers: readonly Worker[]
  /** Called once, after every worker has stopped. */
  close(): Promise<void>
}

export interface Service extends ServiceCore {
  readonly environment: StatedEnvironment
  readonly store: Store
  readonly keys: KeyRing
  /** Returns the current key of the log. Another process may have rotated it since the last call. */
  readonly logKey: () => LogKey
  /** First line of every checkpoint. */
  readonly logOrigin: string
  readonly earlierOrigins: readonly EarlierOrigin[]
  readonly checkpoints: Checkpoints
  readonly shell: Shell & Required<Pick<Shell, "served" | "freeWrites">>
  readonly sources: SourceBoard
  /** The lists that the UK products screen. */
  readonly gbSources: SourceBoard
  readonly registers: RegisterBoard
  readonly suppressions: () => SuppressionBook
  /** True if the service accepts no payment from this wallet (rulings 42). */
  readonly isRestrictedWallet: (address: string) => boolean
  /** What a person still has to do about a delivered answer. */
  readonly reviewOf: ReviewOf
  /** Every product, as it is sold. */
  readonly slices: readonly ProductSlice[]
  readonly delivery: OpenedDelivery["deps"]
  /** Null when no on-chain jobs are served. */
  readonly jobRail: JobRail | null
  readonly contact: ContactDeps
  readonly readiness: Readiness
  /** The discovery documents. The first request, or the first round of the worker, prints them. */
  readonly documents: Generations
  readonly workers: readonly Worker[]
  /**
   * Opens payments, which no read needs. Call it once the service listens. Nothing is quoted until it has resolved and a check of the chain
   * has run after it. Rejects with {@link ConfigError}.
   */
  open(): Promise<void>
  /** Stops the workers, then closes the database. */
  close(): Promise<void>
}

/** Polling interval for keys that another process rotated. A new key also renews the discovery documents. */
const KEY_REFRESH_MS = 1000
/** Interval for removing expired records. */
const PURGE_MS = 60_000
/** The same while a round leaves some, so that removing keeps up with what expires. */
const PURGE_BEHIND_MS = 1_000
/** Interval for listing what was sold. */
const SOLD_LIST_MS = 1_000
/** The same while answers of earlier releases are left. Sales run in between. */
const SOLD_LIST_BEHIND_MS = 50

/** Starts nothing: the caller starts the workers. */
export async function assembleService(parts: ServiceParts): Promise<Service> {
  const { config, machine, log, store, keys, sources } = parts
  const shell = shellOf(parts)
  const isRestrictedWallet = (address: string) => screenWallet(sources.index(), address) !== null
  const slices = slicesOf(parts)
  const readiness = new Readiness({ machine, log, ...(parts.openPayments && { first: PAYMENTS_OPENING }) })
  readiness.add(...parts.checks)
  const delivery = deliveryOf(parts, { shell, slices, readiness })
  const jobRail =
    parts.jobs &&
    (await jobRailOf(parts.jobs, {
      delivery: delivery.deps,
      sold: jobProduct({ store, sold: sliceOf(slices, PAYMENT_DECISION_PRODUCT), isRestrictedWallet }),
      keys,
      writer: (at) => shell.freeWrites.writer(null, at),
    }))
  const logOrigin = await logOriginOf(parts)
  const documents = documentsOf(parts, shell)
  const mailPath = await contactByMail(
    {
      shell,
      store,
      acpChannel: config.acp_channel,
      takesPayments: config.payments !== "off",
      jobOffering: () => jobRail?.state() ?? null,
      signingModuleDigest: () => documents.digestOf(getBuyerSigningModule.id),
    },
    parts.mail && { settings: parts.mail, machine, log, owner: delivery.deps.owner },
  )
  const logKey = () => keys.logKey()
  // All background loops of the service, in start order. They are stopped in reverse order.
  const workers: Worker[] = [
    readinessWorker(readiness, { machine, log }),
    keyWorker(parts, documents),
    ...parts.workers,
    purgeWorker(parts, delivery.deps.owner),
    soldListWorker(parts, delivery.deps.products),
    ...delivery.workers,
    ...(jobRail?.workers ?? []),
    ...mailPath.workers,
  ]
  return {
    ...givenParts(parts),
    logKey,
    logOrigin,
    earlierOrigins: await store.read(earlierOrigins),
    checkpoints: new Checkpoints(logOrigin, logKey),
    shell,
    slices,
    isRestrictedWallet,
    reviewOf: reviewer({
      indexes: { US: () => sources.index(), GB: () => parts.gbSources.index() },
      suppressions: parts.suppressions,
    }),
    delivery: delivery.deps,
    jobRail,
    contact: mailPath.contact,
    readiness,
    documents,
    workers,
    open: delivery.deps.opened,
    close: async () => {
      for (const worker of [...workers].reverse()) await worker.stop()
      await parts.close()
    },
  }
}

/** The parts that a running service shows as they were given. */
function givenParts(parts: ServiceParts) {
  const { config, network, baseUrl, machine, log, socket, environment } = parts
  const { store, keys, sources, gbSources, registers, suppressions } = parts
  return {
    config,
    network,
    baseUrl,
    machine,
    log,
    ...(socket && { socket }),
    environment,
    store,
    keys,
    sources,
    gbSources,
    registers,
    suppressions,
  }
}

function shellOf(parts: ServiceParts): Service["shell"] {
  const { config, machine, log } = parts
  return {
    machine,
    log,
    limiter: config.rate_limits ? new RateLimiter(machine) : unlimited,
    trustedProxies: config.trusted_proxies,
    ignoredForwards: new IgnoredForwards(log, machine),
    freeWrites: freeWrites(spaceForFreeWrites(parts.directory, config.disk_free_min_mb, machine)),
    baseUrl: () => parts.baseUrl,
    network: parts.network.asset.network,
    served: new ServedOperations(),
    ...(parts.socket && { socket: parts.socket }),
    ...(parts.counts && { counts: parts.counts }),
    ...(parts.access && { access: parts.access }),
  }
}

function slicesOf(parts: ServiceParts): readonly ProductSlice[] {
  const { machine, environment, tokenKey, keys, sources, registers, suppressions, fetching, entries = null } = parts
  return productSlices({
    machine,
    signer: () => keys.current(),
    baseUrl: () => parts.baseUrl,
    environment,
    tokenKey,
    entries,
    us: { sources, registers, suppressions, fetching },
    gb: { machine, list: parts.gbSources, live: parts.live, registers, suppressions, fetching },
  })
}

function deliveryOf(
  parts: ServiceParts,
  { shell, slices, readiness }: Pick<Service, "shell" | "slices" | "readiness">,
): OpenedDelivery {
  const { config, store, machine, log, openPayments, quoteKey, directory, isShared } = parts
  const { limiter, freeWrites } = shell
  const hasSpace = () => freeWrites.writer(null, machine.now()).hasSpace
  return openDelivery({
    store,
    machine,
    log,
    limiter,
    failures: failureLimit({ limiter, store, machine, isShared, hasSpace }),
    baseUrl: () => parts.baseUrl,
    openPayments,
    quoteKey,
    readiness,
    products: slices.map(({ paid }) => paid),
    extensionsOf: quoteExtensions(() => shell.served.rows()),
    leaseSeconds: config.lease_seconds,
    directory,
    diskFreeMinMb: config.disk_free_min_mb,
  })
}

/** Fixes the origin of the log at the first start. Warns if the service has another host since. */
async function logOriginOf({ config, baseUrl, store, log }: ServiceParts): Promise<string> {
  const { host } = new URL(baseUrl)
  const logOrigin = await store.run(() => fixedLogOrigin(host))
  // Without a base URL the service only has its listening address, and that is not a host name to compare.
  if (config.base_url !== null && hostOfOrigin(logOrigin) !== host) {
    log.warn("log_origin_differs", {
      base_url: baseUrl,
      log_origin: logOrigin,
      change_it: "bizauth log new-origin",
    })
  }
  return logOrigin
}

function documentsOf({ config, baseUrl, network, machine, keys }: ServiceParts, shell: Service["shell"]): Generations {
  return new Generations({
    load: async () => (await import("../discovery/documents.ts")).DOCUMENTS,
    operations: () => shell.served.rows(),
    baseUrl,
    issuerName: config.issuer_name,
    network: network.asset.network,
    version: VERSION,
    signer: () => keys.current(),
    keySince: () => keys.since(),
    now: machine.now,
  })
}

function keyWorker({ keys, machine, log }: ServiceParts, documents: Generations): Worker {
  const renewKeys = async () => {
    if (await keys.refresh()) {
      for (const { use, keyId } of keys.missing()) log.error("signing_key_missing", { use, key_id: keyId })
    }
    // An expired key signs nothing. The documents that it signed before are served until the operator rotates it.
    if (keys.state() === "READY") await documents.renew()
  }
  return periodic("signing keys", KEY_REFRESH_MS, renewKeys, { machine, log })
}

function purgeWorker({ store, machine, log }: ServiceParts, owner: string): Worker {
  let wait = PURGE_MS
  const purge = async () => {
    wait = PURGE_MS
    const { purgeInTurn } = await import("../agent-mode/purge-expired.ts")
    if (await purgeInTurn({ store, now: () => machine.now(), owner })) wait = PURGE_BEHIND_MS
  }
  return periodic("expired records", () => wait, purge, { machine, log })
}

function soldListWorker({ store, machine, log }: ServiceParts, products: OpenedDelivery["deps"]["products"]): Worker {
  let wait = SOLD_LIST_MS
  const list = async () => {
    wait = SOLD_LIST_MS
    const { listSold } = await import("../delivery/sold-list.ts")
    const { openNextCases } = await import("../review/open-cases.ts")
    const isListBehind = await listSold({ store, products })
    if ((await openNextCases(store)) || isListBehind) wait = SOLD_LIST_BEHIND_MS
  }
  return periodic("sold answers", () => wait, list, { machine, log })
}
