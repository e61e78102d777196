import type { Log } from "../base/log.ts"

/**
 * From now on only SIGTERM, SIGINT and signals that cannot be caught end the process. SIGUSR1 lowers the log level to debug. CHOICE:
 * SIGHUP, SIGUSR2 and SIGALRM only write a log line: settings are read at the start, and a closed terminal must not end a service.
 */
export function outliveSignals(log: Log): void {
  process.on("SIGUSR1", () => {
    log.level = "debug"
    log.debug("log_level_lowered")
  })
  for (const signal of ["SIGHUP", "SIGUSR2", "SIGALRM"] as const) {
    process.on(signal, () => log.info("signal_ignored", { signal }))
  }
}

/**
 * Resolves with the first SIGTERM or SIGINT. A second one ends the process at once with the signal's default action, so that the parent
 * process sees the signal.
 */
export function stopSignal(log: Log): Promise<string> {
  return new Promise((resolve) => {
    let stopping = false
    for (const signal of ["SIGTERM", "SIGINT"] as const) {
      const receive = () => {
        if (stopping) {
          log.flush()
          process.removeListener(signal, receive)
          process.kill(process.pid, signal)
          return
        }
        stopping = true
        resolve(signal)
      }
      process.on(signal, receive)
    }
  })
}
