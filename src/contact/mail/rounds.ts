/** The two rounds of mail: received messages are handled, queued ones are sent. Several processes may run them on one database. */

import { concurrently } from "../../base/concurrently.ts"
import { bugFields } from "../../base/log.ts"
import { formatInstant, HOUR, SECOND } from "../../core/time.ts"
import { StoreUnavailable } from "../../store/engine/store-error.ts"
import { dropReceivedMail, endReceivedMail, type MailInRow, takeReceivedMail } from "../../store/mail/mail-in.ts"
import {
  beginHandover,
  dropMail,
  endMail,
  MAILS_AT_ONCE,
  type MailOutRow,
  postponeMail,
  takeDueMail,
} from "../../store/mail/mail-out.ts"
import { takeAfterStray, turn } from "../../store/stray-leases.ts"
import { MAIL_HANDOVER_MS, MAIL_LEASE_MS, type MailDeps } from "./deps.ts"
import { handleMessage } from "./handle-message.ts"
import { ATTEMPT_MS_MAX, sendMail } from "./smtp-client.ts"

/** No poll is planned later than this after now. */
const POLL_MS_MAX = 2 * HOUR
/** A message whose handling ended with a bug, or killed the process, is dropped after so many tries. */
const HANDLING_TRIES = 5
const FIRST_PAUSE_MS = 5 * SECOND
const PAUSE_MS_MAX = HOUR

/** Handles the messages that are due. Returns how many. */
export async function handleRound(deps: MailDeps): Promise<number> {
  const { store, owner, strayIn } = deps
  const [lease, now, horizon] = leaseNow(deps)
  const taken = await takeAfterStray(store, strayIn, {
    drop: (id) => dropReceivedMail(id, owner, now),
    take: () => takeReceivedMail(lease, now, horizon),
  })
  if (taken.length > 0) deps.trace?.("read")
  for (const row of taken) await turn(strayIn, row.id, () => handle(deps, row))
  return taken.length
}

async function handle(deps: MailDeps, { id, raw, receivedAt, attempts }: MailInRow): Promise<void> {
  const { store, machine, log, owner } = deps
  if (raw === null) throw new Error("a message in work has no text")
  if (attempts > HANDLING_TRIES) {
    log.error("mail_dropped", { code: "HANDLING_FAILED" })
    await store.run(() => endReceivedMail(id, owner, "DROPPED", "HANDLING_FAILED"))
    return
  }
  try {
    const { state, code, effect } = await handleMessage(deps, { id, raw, receivedAt }, machine.now())
    const isDone = await store.run(function* () {
      const isHeld = yield* endReceivedMail(id, owner, state, code)
      if (isHeld) yield* effect()
      return isHeld
    })
    deps.trace?.("handled")
    if (isDone) log.info(state === "DROPPED" ? "mail_dropped" : "mail_handled", { code })
  } catch (error) {
    log.error("mail_not_handled", { attempts, ...bugFields(error) })
    if (error instanceof StoreUnavailable) throw error
    // The lease ends by itself, and the message is tried again.
  }
}

/** Sends the messages that are due. Returns how many were tried. */
export async function sendRound(deps: MailDeps): Promise<number> {
  const { store, owner, strayOut } = deps
  for (const id of [...deps.unrecorded.keys()]) await record(deps, id)
  const [lease, now, horizon] = leaseNow(deps)
  const taken = await takeAfterStray(store, strayOut, {
    drop: (id) => dropMail(id, owner, now),
    take: () => takeDueMail(lease, now, horizon),
  })
  if (taken.length > 0) deps.trace?.("taken")
  await concurrently(taken, MAILS_AT_ONCE, (row) => turn(strayOut, row.id, () => send(deps, row)))
  return taken.length
}

async function send(deps: MailDeps, row: MailOutRow): Promise<void> {
  const { store, machine, log, owner, settings, strayOut } = deps
  const { id, kind, mailbox, raw, nullSender, attempts, giveUpAt } = row
  if (raw === null) throw new Error("a queued message has no text")
  // An attempt must end within the lease: afterwards another process may send the message.
  const begun = machine.now()
  const times = { covered: formatInstant(begun + ATTEMPT_MS_MAX), until: formatInstant(begun + MAIL_HANDOVER_MS) }
  if (!(await store.run(() => beginHandover(id, owner, times)))) {
    // Due at once: the next poll ends it, or sends it under a new lease.
    await store.run(() => postponeMail(id, owner, formatInstant(machine.now()), "NOT_TRIED"))
    return
  }
  // From here on the message may be sent. After a fault a second copy waits until the lease ends.
  strayOut.delete(id)
  deps.trace?.("sending")
  const envelope = { from: nullSender === 1 ? null : settings.mailbox, to: mailbox }
  const timing = { after: machine.after, ...(deps.signal && { signal: deps.signal }) }
  const result = await sendMail(settings.smtp, envelope, raw, timing)
  if (result.outcome === "SENT") deps.trace?.("sent")
  const now = machine.now()
  const next = formatInstant(now + pauseAfter(attempts))
  deps.unrecorded.set(id, () => {
    if (result.outcome === "SENT") return endMail(id, owner, "SENT", null)
    if (result.outcome === "REFUSED") return endMail(id, owner, "FAILED", result.code)
    if (next >= giveUpAt) return endMail(id, owner, "EXPIRED", result.code)
    return postponeMail(id, owner, next, result.code)
  })
  await record(deps, id)
  deps.trace?.("settled")
  if (result.outcome === "SENT") log.info("mail_sent", { kind })
  else log.warn("mail_not_sent", { kind, attempts, code: result.code })
}

/** Milliseconds: 5 s, 15 s, 45 s … and at most an hour. */
export function pauseAfter(attempts: number): number {
  return Math.min(PAUSE_MS_MAX, FIRST_PAUSE_MS * 3 ** (attempts - 1))
}

/**
 * A process that loses the database after the SMTP server took a message records that when the database is back. It changes nothing if its lease
 * has ended meanwhile: another process may have sent the message again.
 */
async function record({ store, unrecorded }: MailDeps, id: string): Promise<void> {
  const unit = unrecorded.get(id)
  if (unit) await store.run(unit)
  unrecorded.delete(id)
}

function leaseNow({ machine, owner }: MailDeps) {
  const now = machine.now()
  const lease = { owner, until: formatInstant(now + MAIL_LEASE_MS) }
  return [lease, formatInstant(now), formatInstant(now + POLL_MS_MAX)] as const
}
