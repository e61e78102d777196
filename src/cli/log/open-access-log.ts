/** Opens the access log of a server. Its lines never wait for the file, and no request waits for its line. */
import { existsSync, realpathSync } from "node:fs"
import { dirname, join, sep } from "node:path"
import { type AccessLog, createAccessLog, missingAccessLine } from "../../base/access-log.ts"
import type { Config } from "../../base/config.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { bugFields, type Log } from "../../base/log.ts"
import { realMachine } from "../../base/machine.ts"
import { errnoOf } from "../../base/system-fault.ts"
import { HOUR } from "../../core/time.ts"
import { AccessFile, AccessFileError, accessFileFault } from "./access-file.ts"
import { LAST_LINES_MS, LogOutput } from "./output.ts"

const MB = 1024 * 1024
/** `kill -9` loses at most the lines of this time. */
const GATHER_MS = 100

export interface OpenAccessLog {
  readonly log: AccessLog
  /** Writes the last lines, or gives up after a second. */
  readonly close: () => Promise<void>
}

interface AccessSettings extends Pick<Config, "access_log_max_mb" | "disk_free_min_mb"> {
  readonly access_log: string
}

/** Returns why nothing can ever be written, or null. `data`: path of the data directory; null if none was named. Makes no file. */
export function accessLogFault({ access_log: path }: Pick<Config, "access_log">, data: string | null) {
  if (path === null) return null
  const fault = isInside(path, data)
    ? "lies in the data directory, whose files belong to the service"
    : accessFileFault(path)
  return fault === null ? null : `access_log = ${path} ${fault}; name a file in another folder`
}

/** Throws CommandError (6) if the file can never be written. */
export function openAccessLog(config: AccessSettings, data: string, log: Log): OpenAccessLog {
  const { access_log: path, access_log_max_mb: maxMb, disk_free_min_mb: freeMb } = config
  const fault = accessLogFault(config, data)
  if (fault !== null) throw new CommandError(EXIT.CONFIG, fault)
  // As for free calls that write: a disk with so little space keeps it for what is sold.
  const file = new AccessFile(path, { bytesMax: maxMb * MB, freeBytesMin: 2 * freeMb * MB })
  const tellFault = faultTeller(log)
  const take = (lines: string) =>
    file.append(lines).catch((error: unknown) => {
      tellFault(error)
      throw error
    })
  const output = new LogOutput(take, (lines) => missingAccessLine(realMachine.now(), lines))
  const access = createAccessLog(
    (lines) => output.write(lines),
    realMachine.now,
    (flush) => setTimeout(flush, GATHER_MS),
  )
  return {
    log: access,
    close: async () => {
      access.flush()
      if (await output.settled(LAST_LINES_MS)) await file.close()
    },
  }
}

/** Logs why lines are missing, at most once an hour. */
function faultTeller(log: Log): (error: unknown) => void {
  let nextAt = 0
  return (error) => {
    const why = error instanceof AccessFileError ? error.message : errnoOf(error)
    if (why === null) {
      log.error("bug", bugFields(error))
      return
    }
    const now = realMachine.monotonic()
    if (now < nextAt) return
    nextAt = now + HOUR
    log.warn("access_log_failed", { why })
  }
}

function isInside(path: string, data: string | null): boolean {
  const folder = dirname(path)
  if (data === null || !existsSync(data) || !existsSync(folder)) return false
  return join(realpathSync(folder), sep).startsWith(join(realpathSync(data), sep))
}
