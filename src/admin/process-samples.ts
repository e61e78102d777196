import { COMMIT, VERSION } from "../base/build-facts.ts"
import type { Log } from "../base/log.ts"
import type { EventLoopLag } from "./event-loop-lag.ts"
import { type Sample, sample } from "./exposition.ts"

interface ProcessParts {
  readonly environment: string
  readonly instanceId: string
  readonly log: Pick<Log, "raised">
  readonly lag: EventLoopLag
  /** Milliseconds since the epoch. */
  readonly startedAt: number
}

export function processSamples({ environment, instanceId, log, lag, startedAt }: ProcessParts): readonly Sample[] {
  const { user, system } = process.cpuUsage()
  return [
    sample("bizauth_build_info", { version: VERSION, commit: COMMIT, environment }, 1),
    sample("bizauth_instance_info", { instance_id: instanceId, version: VERSION }, 1),
    sample("bizauth_log_lines_total", { level: "warn" }, log.raised.warn),
    sample("bizauth_log_lines_total", { level: "error" }, log.raised.error),
    sample("bizauth_event_loop_lag_seconds", {}, { histogram: lag.histogram, perSecond: 1000 }),
    sample("process_start_time_seconds", {}, startedAt / 1000),
    sample("process_cpu_seconds_total", {}, (user + system) / 1_000_000),
    sample("process_resident_memory_bytes", {}, process.memoryUsage.rss()),
  ]
}
