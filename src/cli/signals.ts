import type { Log } from "../log.ts"

/**
 * Resolves with the first SIGTERM or SIGINT. The same again ends the process at once, by that signal's own default, so that the
 * caller sees how it died. SIGUSR1 lowers the log level to debug and leaves the service running.
 */
export function stopSignal(log: Log): Promise<string> {
  process.on("SIGUSR1", () => {
    log.level = "debug"
    log.debug("log_level_lowered")
  })
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
