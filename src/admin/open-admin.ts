/** The admin listener of a server (rulings 85), and the loops that keep what may be slow to read. */

import type { ListenAddress } from "../base/listen-address.ts"
import type { Log } from "../base/log.ts"
import type { Worker } from "../base/worker.ts"
import { ProcessCounts } from "../http/process-counts.ts"
import type { OpenedService } from "../server/open-service.ts"
import { BackupPoll } from "./backup-poll.ts"
import { EventLoopLag } from "./event-loop-lag.ts"
import { fileSamples } from "./file-samples.ts"
import { allowedValues } from "./label-values.ts"
import { listenAdmin } from "./listen-admin.ts"
import { MetricsPage } from "./metrics-page.ts"
import { processSamples } from "./process-samples.ts"
import { readinessSamples } from "./readiness-samples.ts"
import { RelayerPoll } from "./relayer-poll.ts"
import { requestSamples } from "./request-samples.ts"
import { reviewSamples } from "./review-samples.ts"
import { salesSamples } from "./sales-samples.ts"
import { shareSamples } from "./share-samples.ts"
import { sourceSamples } from "./source-samples.ts"

interface AdminParts {
  readonly address: ListenAddress
  /** SHA-256 of the token that a reader must send; null if none is needed. */
  readonly tokenDigest: Buffer | null
  readonly log: Log
  /** Start of the process, in milliseconds. */
  readonly startedAt: number
}

export interface AdminServer {
  /** `http://HOST:PORT/metrics` with the port that was bound, or `unix:PATH`. */
  readonly name: string
  /** The public listener and the service add to them. */
  readonly counts: ProcessCounts
  /** From this call on, readers get the metrics of the service. `inFlight` returns its requests in flight. */
  open(service: OpenedService, inFlight: () => number): void
  /** Call it before the service is closed. */
  stop(): Promise<void>
}

/** Throws what {@link listenAdmin} throws. */
export async function openAdmin({ startedAt, ...parts }: AdminParts): Promise<AdminServer> {
  const counts = new ProcessCounts()
  const listener = await listenAdmin(parts)
  let workers: readonly Worker[] = []
  return {
    name: listener.name,
    counts,
    open(service, inFlight) {
      const metrics = metricsOf({ service, counts, inFlight, startedAt })
      workers = metrics.workers
      for (const worker of workers) worker.start()
      listener.open(() => metrics.page.print())
    },
    stop: async () => {
      await listener.stop()
      for (const worker of workers) await worker.stop()
    },
  }
}

interface MetricsOf {
  readonly service: OpenedService
  readonly counts: ProcessCounts
  readonly inFlight: () => number
  readonly startedAt: number
}

/** Starts nothing. */
function metricsOf({ service, counts, inFlight, startedAt }: MetricsOf): {
  readonly page: MetricsPage
  readonly workers: readonly Worker[]
} {
  const { machine, log, environment, store, logSize, config, readiness, dataDirectory, keys, instance } = service
  const lag = new EventLoopLag(machine)
  const relayer = new RelayerPoll({ machine, log, payments: () => service.delivery.payments })
  const backups = config.backup_dir === null ? null : new BackupPoll({ folder: config.backup_dir, machine, log })
  const sales = { store, machine, uncharged: counts.uncharged, logSize }
  const page = new MetricsPage({
    log,
    allowed: () => allowedValues(counts.operations.keys(), instance.id),
    collect: {
      sales: async () => [...(await salesSamples(sales)), ...relayer.samples()],
      readiness: () => readinessSamples(readiness),
      sources: () => sourceSamples(service),
      requests: () => requestSamples(counts, inFlight()),
      files: () =>
        fileSamples({
          paths: dataDirectory.paths,
          server: dataDirectory.engine.serverCounts(),
          clock: dataDirectory.engine.serverClock(),
          keys,
          backups,
        }),
      shares: () =>
        shareSamples({
          store,
          machine,
          directory: dataDirectory.paths.directory,
          diskFreeMinMb: config.disk_free_min_mb,
        }),
      reviews: () => reviewSamples({ store, machine, targetHours: config.review_target }),
      process: () => processSamples({ environment, instanceId: instance.id, log, lag, startedAt }),
    },
  })
  return { page, workers: [lag.worker(), relayer.worker(), ...(backups ? [backups.worker()] : [])] }
}
