/**
 * What a service tells systemd: sd_notify(3). A message is a datagram to the Unix socket that NOTIFY_SOCKET names. Only `bun:ffi` can send one,
 * because `node:dgram` knows no Unix sockets, so it is loaded only where the variable is set.
 */
import type { Log } from "../base/log.ts"
import { every, type Machine } from "../base/machine.ts"
import type { Datagrams } from "./unix-datagram.ts"

interface Notices {
  /** The process listens. From now on the watchdog is fed, as often as systemd asks for it. */
  ready(status: string): void
  stopping(): void
}

interface Parts {
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly pid: number
  readonly machine: Pick<Machine, "after">
  readonly log: Log
}

const MICROSECONDS = 1_000
/** Of a path or an abstract name in `sockaddr_un`. */
const NAME_BYTES_MAX = 107

/** Null if no service manager waits for messages. A socket that cannot be used is logged, because the service itself works without it. */
export async function openSdNotify(parts: Parts): Promise<Notices | null> {
  const { environment, log } = parts
  const name = environment["NOTIFY_SOCKET"]
  if (name === undefined || name === "") return null
  const fault = nameFault(name)
  if (fault !== null) {
    log.error("service_manager_unreachable", { why: fault })
    return null
  }
  try {
    const { openDatagrams } = await import("./unix-datagram.ts")
    return noticesOver(openDatagrams(name), parts)
  } catch (error) {
    log.error("service_manager_unreachable", { why: error instanceof Error ? error.message : "unknown" })
    return null
  }
}

function nameFault(name: string): string | null {
  if (!/^[/@]/.test(name)) return "NOTIFY_SOCKET is neither an absolute path nor an abstract name, which begins with @"
  return Buffer.byteLength(name) > NAME_BYTES_MAX ? `NOTIFY_SOCKET has more than ${NAME_BYTES_MAX} bytes` : null
}

function noticesOver(datagrams: Datagrams, { environment, pid, machine, log }: Parts): Notices {
  let isReached = true
  const tell = (text: string) => {
    const isTaken = datagrams.send(text)
    if (!isTaken && isReached)
      log.error("service_manager_unreachable", { why: "nobody takes messages at NOTIFY_SOCKET" })
    isReached = isTaken
  }
  return {
    ready: (status) => {
      tell(`READY=1\nSTATUS=${status}`)
      const everyMs = watchdogMs(environment, pid)
      // A timer of the event loop, so that a loop that hangs misses it.
      if (everyMs !== null) every(machine, everyMs, () => tell("WATCHDOG=1"))
    },
    stopping: () => tell("STOPPING=1"),
  }
}

/** Half of the time after which systemd ends a silent process; null without a watchdog for this process. */
function watchdogMs(environment: Parts["environment"], pid: number): number | null {
  const [time, forPid] = [Number(environment["WATCHDOG_USEC"]), environment["WATCHDOG_PID"]]
  if (!Number.isSafeInteger(time) || time <= 0) return null
  return forPid === undefined || forPid === "" || Number(forPid) === pid ? time / MICROSECONDS / 2 : null
}
