import { resolve } from "node:path"
import type { Config, ResolvedConfig } from "../base/config.ts"
import { EXIT } from "../base/exit.ts"
import { bugFields, createLog, droppedLine, type Log } from "../base/log.ts"
import { realMachine } from "../base/machine.ts"
import { handedOverSecrets } from "../base/secret-setting.ts"
import { systemFault } from "../base/system-fault.ts"
import { formatInstant } from "../core/time.ts"
import { backupInChild } from "../data/backup/backup-schedule.ts"
import { requireNewestLogToServe } from "../data/log-size-record.ts"
import { forgetRunning, recordRunning } from "../data/running-settings.ts"
import type { Listener } from "../http/listen.ts"
import { routes } from "../server/app.ts"
import { type OpenedService, openService } from "../server/open-service.ts"
import type { Service } from "../server/service.ts"
import { fetchInChild } from "../sources/fetch/schedule/fetch-child.ts"
import { flagsOf, ownProgram } from "./agent/own-program.ts"
import { bind } from "./bind.ts"
import { type BesideServers, bindBeside } from "./bind-beside.ts"
import { type Command, type Input, progressOn } from "./command.ts"
import { requireNoProxy } from "./environment-variables.ts"
import {
  asConfigRefusal,
  asDataRefusal,
  CONFIG_FLAGS,
  needData,
  openData,
  placeFlags,
  readSettings,
  SETTING_FLAGS,
} from "./inputs.ts"
import { humanLines, takesColours } from "./log/human-lines.ts"
import type { OpenAccessLog } from "./log/open-access-log.ts"
import { LAST_LINES_MS, LogOutput } from "./log/output.ts"
import type { Progress } from "./progress.ts"
import { openSdNotify } from "./sd-notify.ts"
import { type CheckCommand, servingSummary } from "./serve-summary.ts"
import { outliveSignals, stopSignal } from "./signals.ts"

export const command: Command = {
  name: "serve",
  summary: "run the service",
  operands: "",
  flags: {
    ...CONFIG_FLAGS,
    verbose: { help: "log at level debug, whatever log_level says", short: "v" },
  },
  examples: ["serve --data ./data"],
  async run(input) {
    needData(input)
    requireNoProxy(input.environment)
    const { config, texts } = readSettings(input)
    const output = new LogOutput(input.errTaken, (lines) => droppedLine(realMachine.now(), "stderr", lines))
    const isColoured = takesColours(input.environment)
    const isForPeople = input.drawsLines && !input.on("json")
    const write = (lines: string) => {
      progress.clear()
      output.write(isForPeople ? humanLines(lines, { isColoured }) : lines)
    }
    const level = input.on("verbose") ? "debug" : config.log_level
    // `kill -9` may lose the request lines of one turn of the event loop, and text that nobody has read from a full pipe.
    const log = createLog(level, write, realMachine.now, setImmediate)
    const onTerminal = { ...input, drawsLines: isForPeople }
    const progress = progressOn(onTerminal, true, (fields) => log.info("progress", fields))
    process.on("exit", log.flush)
    outliveSignals(log)
    const access = await openAccess(config, needData(input), log)
    const beside = await bindBeside(config, log).catch((error: unknown) => {
      throw asConfigRefusal(error)
    })
    const listener = await bind(config, { log, counts: beside.admin?.counts, access: access?.log }).catch(
      async (error: unknown) => {
        await beside.stop()
        throw asConfigRefusal(error)
      },
    )
    const parts = { input, config, listener, beside, access, log, progress }
    const { service, stopped, directory } = await start(parts).catch(async (error: unknown) => {
      progress.end()
      await Promise.all([listener.stop(0), beside.stop()])
      throw asConfigRefusal(error)
    })
    progress.end()
    const systemd = await openSdNotify({ ...input, pid: process.pid, machine: realMachine, log })
    systemd?.ready(`listening ${listener.origin}`)
    // Not awaited: an unread pipe would block the stop.
    const line = input.on("json")
      ? JSON.stringify({ version: 1, listening: listener.origin })
      : `listening ${listener.origin}`
    input.outTaken(`${line}\n`).catch(() => {
      output.write(droppedLine(realMachine.now(), "stdout", 1))
    })
    const handedOver = handedOverSecrets(config)
    const origins = { origin: listener.origin, desk: beside.desk?.origin ?? null }
    const settings = runningSettings({ directory, texts, handedOver, ...origins }, log)
    await openLate(service, settings.record).catch(async (error: unknown) => {
      await Promise.all([listener.stop(0), beside.stop()])
      await service.close()
      throw asConfigRefusal(error)
    })
    if (isForPeople) {
      const summary = servingSummary(service, listener.origin, realMachine.now(), flagsForCheck(input))
      await printUnless(stopped, summary, { log, write: (text) => output.write(text) })
    }
    log.info("stopping", { signal: await stopped })
    systemd?.stopping()
    const drained = await listener.stop(config.shutdown_seconds * 1000)
    if (!drained) log.warn("requests_cut")
    await beside.stop()
    await service.close()
    await access?.close()
    settings.forget()
    log.info("stopped")
    await output.settled(LAST_LINES_MS)
    // A write to stderr or stdout without a reader would keep the process alive.
    process.exit(EXIT.DONE)
  },
}

/** Null if `access_log` is off. Throws CommandError (6) if it can never be written. */
async function openAccess(config: Config, data: string, log: Log): Promise<OpenAccessLog | null> {
  if (config.access_log === null) return null
  const { openAccessLog } = await import("./log/open-access-log.ts")
  return openAccessLog({ ...config, access_log: config.access_log }, data, log)
}

interface SummaryOutput {
  readonly log: Log
  readonly write: (text: string) => void
}

/** The server serves already, so a failure here is only logged. A node that does not answer delays the summary, but not the stop. */
async function printUnless(
  stopped: Promise<unknown>,
  summary: Promise<string>,
  { log, write }: SummaryOutput,
): Promise<void> {
  try {
    const text = await Promise.race([summary, stopped.then(() => null)])
    if (text !== null) write(`\n${text}\n`)
  } catch (error) {
    log.error("summary_not_printed", bugFields(error))
  }
}

/** `check` reads settings from the same flags, and a person may type it in another folder. */
function flagsForCheck(input: Input): CheckCommand {
  return {
    flags: placeFlags(input, (path) => resolve(path)),
    lacksSettings: Object.keys(input.values).some((name) => name in SETTING_FLAGS),
  }
}

/** Begins background work and opens payments slightly later, so that the first requests, which are reads, do not wait for them. */
async function openLate(service: Service, record: () => void): Promise<void> {
  await realMachine.sleep(OPEN_AFTER_MS)
  record()
  for (const worker of service.workers) worker.start()
  await service.open()
}

const OPEN_AFTER_MS = 50

interface Serving {
  readonly directory: string
  readonly texts: ResolvedConfig["texts"]
  readonly handedOver: readonly string[]
  /** `http://HOST:PORT` with the port that was bound. */
  readonly origin: string
  /** Where reviewers open the desk; null if it is off. */
  readonly desk: string | null
}

/** Only `check` needs the record, so a disk that does not take it is no reason to stop. */
function runningSettings({ directory, ...running }: Serving, log: Log) {
  const unlessFault = (write: () => void) => {
    try {
      write()
    } catch (error) {
      const why = systemFault(error)
      if (why === null) throw error
      log.warn("running_settings_not_written", { why })
    }
  }
  return {
    record: () => unlessFault(() => recordRunning(directory, { ...running, at: formatInstant(realMachine.now()) })),
    forget: () => unlessFault(() => forgetRunning(directory)),
  }
}

interface Start {
  readonly input: Input
  readonly config: Config
  readonly listener: Listener
  readonly beside: BesideServers
  /** Null if `access_log` is off. */
  readonly access: OpenAccessLog | null
  readonly log: Log
  readonly progress: Progress
}

interface Started {
  readonly service: OpenedService
  /** The data directory. */
  readonly directory: string
  /** See {@link stopSignal}. */
  readonly stopped: Promise<string>
}

async function start({ input, config, listener, beside, access, log, progress }: Start): Promise<Started> {
  const dataDirectory = await openData(input, {
    databaseFile: config.database_file,
    migrate: true,
    work: progress,
    onMigrationWait: (others) =>
      log.warn("migration_waits", {
        used_by: others.join(", "),
        why: "another process uses the older schema of this database; stop it, and this one goes on",
      }),
    // Memory may be ahead of the disk. Only a restart, which reads the disk again, is safe.
    onFatal: (error) => {
      log.error("commit_failed", bugFields(error))
      process.exit(EXIT.BUG)
    },
  })
  await requireNewestLogToServe(dataDirectory).catch((error: unknown) => {
    throw asDataRefusal(error)
  })
  for (const name of dataDirectory.applied) log.info("migrated", { name, copy: dataDirectory.copy })
  for (const notice of dataDirectory.notices) log.warn("data_directory", { notice })
  const baseUrl = config.base_url ?? listener.origin
  const { socket } = listener
  const program = { program: ownProgram(), flags: flagsOf(input.values), environment: input.environment }
  progress.step({ what: "opening keys, lists and registers" })
  const service = await openService({
    dataDirectory,
    config,
    baseUrl,
    machine: realMachine,
    log,
    socket,
    ...(beside.admin && { counts: beside.admin.counts }),
    ...(access && { access: access.log }),
    backUp: (signal) => backupInChild(program, signal),
    fetchSource: (due, signal) => fetchInChild(due, program, signal),
  })
  // Until now a signal ends the process at once. From now on it has work that a stop must end.
  const stopped = stopSignal(log)
  listener.open(routes(service).compile().fetch, baseUrl)
  beside.open(service, () => listener.pending())
  const { directory } = dataDirectory.paths
  log.info("started", {
    data: directory,
    environment: service.environment,
    base_url: baseUrl,
    payments: config.payments,
    key_id: service.keys.current().keyId,
    ...(beside.admin && { admin: beside.admin.name }),
    ...(beside.desk && { desk: beside.desk.origin }),
  })
  return { service, stopped, directory }
}
