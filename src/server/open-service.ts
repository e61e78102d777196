/** Opens a service on a data directory: its own keys, the imported lists, the configured payments. */

import { periodic, type Worker } from "../base/worker.ts"
import { SECOND } from "../core/time.ts"
import type { BackupPlan } from "../data/backup/backup-plan.ts"
import { type ScheduleParts as BackupScheduleParts, backupSchedule } from "../data/backup/backup-schedule.ts"
import type { DataDirectory, Environment } from "../data/data-directory.ts"
import { SizeRecorder } from "../data/log-size-record.ts"
import { OwnInstance, unlessAway } from "../data/own-instance.ts"
import { ownStateChecks } from "../data/own-state-checks.ts"
import { keyFilePath } from "../keys/key-file.ts"
import { keysIn, recoveryKeys } from "../keys/key-places.ts"
import { KeyRing } from "../keys/key-ring.ts"
import { enrolOwnIdentities } from "../keys/own-identity.ts"
import { loadPayments } from "../payments/load-payments.ts"
import type { Network } from "../payments/networks/network.ts"
import { SERVED_NETWORK } from "../payments/networks/networks.ts"
import { isSingleNode, singleNodeReasons } from "../payments/single-node.ts"
import { buildDetailsInThread } from "../sources/boards/build-in-thread.ts"
import { openBoard } from "../sources/boards/open-board.ts"
import { openRegisterBoard } from "../sources/boards/open-register-board.ts"
import { openSuppressions } from "../sources/boards/suppression-book.ts"
import { EntryBook } from "../sources/details/entry-book.ts"
import { type ScheduleParts, scheduler } from "../sources/fetch/schedule/scheduler.ts"
import { readOutdatedLists } from "../sources/import/outdated-lists.ts"
import { KNOWN_SOURCES } from "../sources/known-sources.ts"
import { sharedOf } from "../sources/machines/shared-database.ts"
import { openCompaniesHouse } from "../sources/publishers/uk-companies-house/open-companies-house.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES } from "../sources/records/party.ts"
import { isRegisterId } from "../sources/records/register-id.ts"
import { REGISTER_ADAPTERS } from "../sources/register-registry.ts"
import { KEY_USES } from "../store/identity/service-keys.ts"
import { disabledSources, isProxyUnnamed, requireServable } from "./config-rules.ts"
import { assembleService, type Service, type ServiceCore } from "./service.ts"

export interface ServiceInput extends Omit<ServiceCore, "network"> {
  /** Default: the network that every released program sells on. */
  readonly network?: Network
  readonly dataDirectory: DataDirectory
  /** Makes one backup in a separate process. Without it the service makes none, whatever `backup_every` says. */
  readonly backUp?: BackupScheduleParts["backUp"]
  /** Runs one round of one source in a separate process. Without it the service queries no publisher, whatever `sources_fetch` says. */
  readonly fetchSource?: ScheduleParts["fetch"]
}

/** A service with the data directory that it was opened on. */
export interface OpenedService extends Service {
  readonly dataDirectory: DataDirectory
  readonly environment: Environment
  readonly logSize: Pick<SizeRecorder, "lagMs">
  readonly instance: Pick<OwnInstance, "id">
  /** What the publishers print about listed entries. */
  readonly entries: EntryBook
}

interface Fetching {
  /** Ids of the sources that the operator disabled. */
  readonly disabled: readonly string[]
  /** Undefined if the service queries no publisher. */
  readonly fetch: ScheduleParts["fetch"] | undefined
}

/** Interval for writing the size of the log next to the database, if it grew. */
const LOG_SIZE_MS = 1000
const KEY_EXPIRY_WARNING_DAYS = 30

/** Throws {@link ConfigError} if configuration and data directory do not fit together. */
export async function openService(input: ServiceInput): Promise<OpenedService> {
  const { dataDirectory, config, baseUrl, machine, log, network = SERVED_NETWORK } = input
  const { engine, store, paths, environment, tokenKey } = dataDirectory
  const { payments, jobs, mail, backups, companiesHouseKey } = requireServable(config, environment, network)
  const live = openCompaniesHouse(config, companiesHouseKey, { store, machine, log })
  const fetching = { disabled: disabledSources(config), fetch: config.sources_fetch ? input.fetchSource : undefined }
  const keys = await openKeys(input)
  if (isProxyUnnamed(config, environment)) log.warn("trusted_proxies_empty", { listen: config.listen.text })
  const instance = new OwnInstance({ engine, machine })
  const lists = await openLists(input, fetching, instance.id)
  const logSize = new SizeRecorder(dataDirectory, machine)
  if (payments !== null && isSingleNode(payments)) {
    log.warn("single_node", { accepted_by: payments.singleNodeAcceptedBy })
  }
  const service = await assembleService({
    config,
    network,
    baseUrl,
    machine,
    log,
    ...(input.socket && { socket: input.socket }),
    ...(input.counts && { counts: input.counts }),
    ...(input.access && { access: input.access }),
    environment,
    store,
    isShared: engine.isShared,
    quoteKey: dataDirectory.quoteKey,
    tokenKey,
    directory: paths.directory,
    keys,
    sources: lists.us.board,
    gbSources: lists.gb.board,
    registers: lists.registers.board,
    suppressions: lists.judged.suppressions,
    entries: lists.entries,
    live,
    fetching: fetching.fetch !== undefined,
    checks: [
      ...ownStateChecks({ engine, keys, hmacKeys: dataDirectory, instance, log }),
      ...(payments === null ? [] : [{ name: "nodes", reasons: () => singleNodeReasons(payments) }]),
    ],
    openPayments: payments && (() => loadPayments(payments, machine)),
    jobs,
    mail,
    workers: [
      ...engine.workers({ machine, log }),
      // In a file the checks of readiness do it: no other machine waits for this process.
      ...(engine.isShared ? [instance.worker({ machine, log })] : []),
      periodic("log size", LOG_SIZE_MS, () => logSize.round(), { machine, log }),
      lists.us.worker,
      lists.gb.worker,
      lists.registers.worker,
      ...fetchWorkers(input, fetching),
      lists.judged.worker,
      ...backupWorkers(input, backups),
    ],
    close: () =>
      unlessAway(() => logSize.round())
        .finally(() => lists.entries.stop())
        .finally(() => instance.end())
        .finally(() => store.close()),
  })
  return { ...service, dataDirectory, environment, logSize, instance, entries: lists.entries }
}

/** The service's own keys. Enrols the identities that the service lacks, and warns of keys that end soon. */
async function openKeys({ dataDirectory, config, machine, log }: ServiceInput): Promise<KeyRing> {
  const { engine, store, paths } = dataDirectory
  const own = { store, keysDirectory: paths.keys, issuerId: config.issuer_id, machine }
  // A shared database lacks none: opening it has refused one that does.
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
    othersVersion: () => engine.othersVersion(),
  })
  for (const use of KEY_USES) {
    const daysLeft = keys.daysLeft(use)
    if (daysLeft < KEY_EXPIRY_WARNING_DAYS) log.warn("signing_key_expires", { use, days_left: daysLeft })
  }
  return keys
}

/** The imported lists and registers, and the operator's suppressions, each with the worker that keeps it current. */
async function openLists(
  { dataDirectory, config, machine, log }: ServiceInput,
  { disabled, fetch }: Fetching,
  instanceId: string,
) {
  const { engine, store, paths } = dataDirectory
  const fetching = fetch !== undefined
  const shared = sharedOf(engine, machine)
  const lists = {
    store,
    snapshotsDirectory: paths.snapshots,
    machine,
    disabled: disabled.filter((id) => !isRegisterId(id)),
    fetching,
    sharing: shared && { shared, instanceId, skewMs: config.max_snapshot_skew * SECOND },
    log,
  }
  await readOutdatedLists({ store, machine, root: paths.snapshots, shared, log })
  const entries = new EntryBook({
    ...{ store, root: paths.snapshots, log },
    build: (task, signal) => buildDetailsInThread(task, { signal }),
  })
  const [us, gb, registers, judged] = await Promise.all([
    openBoard({ ...lists, details: entries, name: "US", sources: REQUIRED_US_SOURCES }),
    openBoard({ ...lists, details: entries, name: "GB", sources: REQUIRED_GB_SOURCES }),
    openRegisterBoard({
      store,
      root: paths.snapshots,
      shared,
      machine,
      log,
      adapters: REGISTER_ADAPTERS,
      disabled,
      fetching,
    }),
    openSuppressions({ store, machine, log }),
  ])
  return { us, gb, registers, judged, entries }
}

function fetchWorkers({ dataDirectory, machine, log }: ServiceInput, { disabled, fetch }: Fetching): readonly Worker[] {
  if (!fetch) return []
  const sources = KNOWN_SOURCES.filter(({ id }) => !disabled.includes(id))
  return [scheduler({ store: dataDirectory.store, machine, log, sources, fetch })]
}

function backupWorkers({ machine, log, backUp }: ServiceInput, plan: BackupPlan | null): readonly Worker[] {
  return backUp && plan !== null && plan.everyHours > 0 ? [backupSchedule({ plan, machine, log, backUp })] : []
}
