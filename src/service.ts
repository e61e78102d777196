/** All parts of a running service, built once. The route map (`app.ts`) and the workers receive only these parts. */

import { addressList } from "./address-list.ts"
import { VERSION } from "./build-facts.ts"
import type { AnswerSlice } from "./business-answers/answer-route.ts"
import { answerSlices } from "./catalogue/answer-products.ts"
import { openCompaniesHouse } from "./companies-house.ts"
import type { Config } from "./config.ts"
import { disabledSources, requireServable } from "./config-rules.ts"
import type { LogKey } from "./core/sign-checkpoint.ts"
import type { DataDirectory, Environment } from "./data/data-directory.ts"
import { SizeRecorder } from "./data/log-size-record.ts"
import { type OpenedDelivery, openDelivery, PAYMENTS_OPENING } from "./delivery/open-delivery.ts"
import type { PaidProduct } from "./delivery/sale.ts"
import { Generations } from "./discovery/generation.ts"
import { quoteExtensions } from "./discovery/quote-extensions.ts"
import { RateLimiter, unlimited } from "./http/rate-limit.ts"
import { ServedOperations } from "./http/served.ts"
import type { Shell, ShellSocket } from "./http/shell.ts"
import { keyFilePath } from "./keys/key-file.ts"
import { keysIn, recoveryKeys } from "./keys/key-places.ts"
import { KeyRing } from "./keys/key-ring.ts"
import { enrolOwnIdentities } from "./keys/own-identity.ts"
import type { Log } from "./log.ts"
import { isLoopbackName } from "./loopback.ts"
import type { Machine } from "./machine.ts"
import { ownStateChecks } from "./own-state-checks.ts"
import { isSingleNode, singleNodeReasons } from "./payments/single-node.ts"
import { Checkpoints } from "./products/agent-id/log-checkpoint.ts"
import { purgeExpired } from "./products/agent-mode/purge-expired.ts"
import { paymentDecision } from "./products/us/payment-decision/product.ts"
import { Readiness } from "./readiness.ts"
import { requestDocuments } from "./request-documents.ts"
import { paymentsOf, sellingSettings } from "./selling-settings.ts"
import { openBoard } from "./sources/lists/open-board.ts"
import type { SourceBoard } from "./sources/lists/source-board.ts"
import { openSuppressions } from "./sources/lists/suppression-book.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES, SOURCE_IDS } from "./sources/records/party.ts"
import { isRegisterId } from "./sources/records/register-id.ts"
import { REGISTER_ADAPTERS } from "./sources/register-registry.ts"
import { openRegisterBoard } from "./sources/registers/open-register-board.ts"
import type { RegisterBoard } from "./sources/registers/register-board.ts"
import { type ScheduleParts, scheduler } from "./sources/schedule/scheduler.ts"
import { KEY_USES } from "./store/identity/service-keys.ts"
import { type EarlierOrigin, earlierOrigins, fixedLogOrigin, hostOfOrigin } from "./store/log/log-origin.ts"
import type { SqliteStore } from "./store/sqlite-store.ts"
import { periodic, type Worker } from "./worker.ts"

export interface ServiceInput {
  readonly dataDirectory: DataDirectory
  readonly config: Config
  /** Public origin, and the `audience` of documents signed for this service: `base_url`, or the listening address. */
  readonly baseUrl: string
  readonly machine: Machine
  readonly log: Log
  /** Runs one round of one source in a separate process. Without it the service queries no publisher, whatever `sources_fetch` says. */
  readonly fetchSource?: ScheduleParts["fetch"]
  /** Absent if nothing listens. */
  readonly socket?: ShellSocket
}

export interface Service extends ServiceInput {
  readonly environment: Environment
  readonly store: SqliteStore
  readonly keys: KeyRing
  /** Returns the current key of the log. Another process may have rotated it since the last call. */
  readonly logKey: () => LogKey
  /** First line of every checkpoint. */
  readonly logOrigin: string
  readonly earlierOrigins: readonly EarlierOrigin[]
  readonly checkpoints: Checkpoints
  readonly shell: Shell & { readonly served: ServedOperations }
  readonly sources: SourceBoard
  /** The lists that the UK products screen. */
  readonly gbSources: SourceBoard
  readonly registers: RegisterBoard
  readonly paymentDecision: PaidProduct
  /** The other eight products. */
  readonly answers: readonly AnswerSlice[]
  readonly delivery: OpenedDelivery["deps"]
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
/** Interval for writing the size of the log next to the database, if it grew. */
const LOG_SIZE_MS = 1000
/** Interval for removing expired records that no insert removed. */
const PURGE_MS = 60_000
const KEY_EXPIRY_WARNING_DAYS = 30

/** Throws {@link ConfigError} if configuration and data directory do not fit together. */
export async function openService(input: ServiceInput): Promise<Service> {
  const { dataDirectory, config, machine, log } = input
  requireServable(config, dataDirectory.environment)
  const selling = sellingSettings(config, dataDirectory.quoteKey)
  const { store, database, paths } = dataDirectory
  const dataVersion = database.query<{ data_version: number }, []>("PRAGMA data_version")
  const own = { store, keysDirectory: paths.keys, issuerId: config.issuer_id, machine }
  for (const { use, agentId, key, recoveryKeyId } of await enrolOwnIdentities(own)) {
    log.warn("own_identity_enrolled", {
      use,
      agent_id: agentId,
      key_id: key.keyId,
      take_offline: keyFilePath(recoveryKeys(paths.keys), recoveryKeyId),
    })
  }
  const keys = await KeyRing.open({
    store,
    heldKey: keysIn(paths.keys),
    issuer: config.issuer_id,
    machine,
    dataVersion: () => dataVersion.get()?.data_version ?? 0,
  })
  for (const use of KEY_USES) {
    const daysLeft = keys.daysLeft(use)
    if (daysLeft < KEY_EXPIRY_WARNING_DAYS) log.warn("signing_key_expires", { use, days_left: daysLeft })
  }
  if (isProxyUnnamed(config, dataDirectory.environment)) log.warn("trusted_proxies_empty", { listen: config.listen })
  const served = new ServedOperations()
  const shell: Service["shell"] = {
    machine,
    log,
    limiter: config.rate_limits === "on" ? new RateLimiter(machine) : unlimited,
    trustedProxies: addressList(config.trusted_proxies),
    baseUrl: () => input.baseUrl,
    served,
    ...(input.socket && { socket: input.socket }),
  }
  const { environment } = dataDirectory
  const disabled = disabledSources(config)
  const fetchSource = config.sources_fetch === "on" ? input.fetchSource : undefined
  const lists = {
    store,
    snapshotsDirectory: paths.snapshots,
    machine,
    disabled: disabled.filter((id) => !isRegisterId(id)),
    fetching: fetchSource !== undefined,
    log,
  }
  const live = openCompaniesHouse(config, { store, machine, log })
  const [sources, ukList, registers, judged] = await Promise.all([
    openBoard({ ...lists, name: "US", sources: REQUIRED_US_SOURCES }),
    openBoard({ ...lists, name: "GB", sources: REQUIRED_GB_SOURCES }),
    openRegisterBoard({
      store,
      root: paths.snapshots,
      machine,
      log,
      adapters: REGISTER_ADAPTERS,
      disabled,
      fetching: fetchSource !== undefined,
    }),
    openSuppressions({ store, machine, log }),
  ])
  const baseUrl = () => input.baseUrl
  const product = paymentDecision({
    machine,
    sources: sources.board,
    registers: registers.board,
    suppressions: judged.suppressions,
    environment,
    signer: () => keys.current(),
    baseUrl,
  })
  const answers = answerSlices({
    machine,
    store,
    signer: () => keys.current(),
    baseUrl,
    environment,
    tokenKey: dataDirectory.tokenKey,
    us: {
      sources: sources.board,
      registers: registers.board,
      suppressions: judged.suppressions,
      fetching: fetchSource !== undefined,
    },
    gb: {
      machine,
      list: ukList.board,
      live,
      registers: registers.board,
      suppressions: judged.suppressions,
      fetching: fetchSource !== undefined,
    },
  })
  const readiness = new Readiness({ machine, log, ...(selling && { first: PAYMENTS_OPENING }) })
  readiness.add(...ownStateChecks({ store, keys, machine, dataDirectory }))
  if (selling !== null) {
    readiness.add({ name: "nodes", look: () => singleNodeReasons(selling) })
    if (isSingleNode(selling)) log.warn("single_node", { accepted_by: selling.singleNodeAcceptedBy || null })
  }
  const delivery = openDelivery({
    store,
    machine,
    log,
    limiter: shell.limiter,
    baseUrl,
    openPayments: selling && (() => paymentsOf(selling, machine)),
    readiness,
    products: [product, ...answers.map(({ paid }) => paid)],
    extensionsOf: quoteExtensions({
      baseUrl: input.baseUrl,
      operations: () => served.rows(),
      examples: () => requestDocuments(input.baseUrl),
    }),
    leaseSeconds: Number(config.lease_seconds),
    directory: paths.directory,
    diskFreeMinMb: Number(config.disk_free_min_mb),
  })
  const { host } = new URL(input.baseUrl)
  const logOrigin = await store.run(() => fixedLogOrigin(host))
  // Without a base URL the service only has its listening address, and that is not a host name to compare.
  if (config.base_url !== "" && hostOfOrigin(logOrigin) !== host) {
    log.warn("log_origin_differs", {
      base_url: input.baseUrl,
      log_origin: logOrigin,
      change_it: "bizauth log new-origin",
    })
  }
  const documents = new Generations({
    load: async () => (await import("./discovery/documents.ts")).DOCUMENTS,
    operations: () => served.rows(),
    baseUrl: input.baseUrl,
    issuerName: config.issuer_name,
    version: VERSION,
    signer: () => keys.current(),
    now: machine.now,
  })
  const renewKeys = async () => {
    await keys.refresh()
    // An expired key signs nothing. The documents that it signed before are served until the operator rotates it.
    if (keys.state() === "READY") await documents.renew()
  }
  const logKey = () => keys.logKey()
  const logSize = new SizeRecorder(dataDirectory, machine)
  const enabled = {
    sources: SOURCE_IDS.filter((id) => !disabled.includes(id)),
    registers: REGISTER_ADAPTERS.filter(({ id }) => !disabled.includes(id)),
  }
  // All background loops of the service, in start order. They are stopped in reverse order.
  const workers: Worker[] = [
    periodic("signing keys", KEY_REFRESH_MS, renewKeys, { machine, log }),
    periodic("log size", LOG_SIZE_MS, () => logSize.round(), { machine, log }),
    sources.worker,
    ukList.worker,
    registers.worker,
    ...(fetchSource ? [scheduler({ store, machine, log, ...enabled, fetch: fetchSource })] : []),
    judged.worker,
    periodic("expired records", PURGE_MS, () => purgeExpired({ store, now: () => machine.now() }), { machine, log }),
    ...delivery.workers,
  ]
  return {
    ...input,
    environment,
    store,
    keys,
    logKey,
    logOrigin,
    earlierOrigins: await store.read(earlierOrigins),
    checkpoints: new Checkpoints(logOrigin, logKey),
    shell,
    sources: sources.board,
    gbSources: ukList.board,
    registers: registers.board,
    paymentDecision: product,
    answers,
    delivery: delivery.deps,
    readiness,
    documents,
    workers,
    open: delivery.deps.opened,
    close: async () => {
      for (const worker of [...workers].reverse()) await worker.stop()
      await logSize.round().finally(() => store.close())
    },
  }
}

/**
 * Returns true if the service listens beyond loopback without a named proxy. Then either clients come without TLS, or an unnamed proxy is
 * the single client that all limits count.
 */
export function isProxyUnnamed({ listen, trusted_proxies }: Config, environment: Environment): boolean {
  return environment === "live" && trusted_proxies === "" && !isLoopback(listen)
}

/** `address` is HOST:PORT. */
export function isLoopback(address: string): boolean {
  return isLoopbackName(address.slice(0, address.lastIndexOf(":")))
}
