/** Builds contact by e-mail of a running service: the path for contact, the listener and the two loops. */

import { bugFields } from "../../base/log.ts"
import { systemFault } from "../../base/system-fault.ts"
import { SocketPlaceError } from "../../base/unix-socket.ts"
import { periodic, type Worker } from "../../base/worker.ts"
import { SECOND } from "../../core/time.ts"
import type { EmailPath } from "../email-path.ts"
import { emailPath } from "./challenge.ts"
import type { MailDeps } from "./deps.ts"
import { receiveMessage } from "./receive.ts"
import { handleRound, sendRound } from "./rounds.ts"
import { type Listener, listenForMail } from "./smtp-listener.ts"

/** Milliseconds from the end of a round of a worker to the next. */
export const ROUND_MS = SECOND
/** How long a stop waits for an attempt to send. A message that is cut then may be sent a second time. */
const STOP_MS = 5 * SECOND
/** Pause before the socket is made again after a fault. */
const LISTEN_AGAIN_MS = 15 * SECOND

interface MailPath {
  readonly path: EmailPath
  readonly workers: readonly Worker[]
}

export function openMail(parts: Omit<MailDeps, "signal" | "strayIn" | "strayOut" | "unrecorded">): MailPath {
  const { machine, log } = parts
  const stopped = new AbortController()
  const own = { strayIn: new Set<string>(), strayOut: new Set<string>(), unrecorded: new Map() }
  const deps: MailDeps = { ...parts, ...own, signal: stopped.signal }
  const untilNone = (round: (deps: MailDeps) => Promise<number>) => async () => {
    while (!stopped.signal.aborted && (await round(deps)) > 0);
  }
  const sending = periodic("mail to send", ROUND_MS, untilNone(sendRound), { machine, log })
  const stopSending = async () => {
    const cancel = machine.after(STOP_MS, () => stopped.abort())
    await sending.stop()
    cancel()
  }
  return {
    path: emailPath(deps),
    workers: [
      listener(deps),
      periodic("received mail", ROUND_MS, untilNone(handleRound), { machine, log }),
      { ...sending, stop: stopSending },
    ],
  }
}

/** Keeps the socket open while the service runs. */
function listener(deps: MailDeps): Worker {
  const { machine, log, settings } = deps
  let open: Listener | null = null
  /** The one that was logged last: a place that stays taken is tried for ever. */
  let logged: string | null = null
  const listenOnce = async () => {
    open ??= await opened()
  }
  async function opened(): Promise<Listener | null> {
    try {
      return await listenForMail({
        mailbox: settings.mailbox,
        socketPath: settings.socketPath,
        machine,
        receive: (raw, isFromNobody) => receiveMessage(deps, raw, isFromNobody),
        onError: (error) => log.error("mail_listener_failed", bugFields(error)),
      })
    } catch (error) {
      const fault = error instanceof SocketPlaceError ? `mail_in_socket: ${error.message}` : systemFault(error)
      if (fault === null) throw error
      if (fault !== logged) log.error("mail_socket_failed", { fault })
      logged = fault
      return null
    }
  }
  const again = periodic("mail socket", LISTEN_AGAIN_MS, listenOnce, { machine, log })
  let first: Promise<void> = Promise.resolve()
  return {
    name: "mail socket",
    start: () => {
      first = listenOnce().catch((error) => log.error("worker_failed", { worker: "mail socket", ...bugFields(error) }))
      again.start()
    },
    stop: async () => {
      await first
      await again.stop()
      await open?.close()
    },
  }
}
