/** Stores a message before it answers the sender. It stores only the id of a message that holds a secret or bank data. */

import type { ServiceError } from "../../base/errors.ts"
import { digestBytes } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { sha256 } from "../../core/sha256.ts"
import { formatInstant } from "../../core/time.ts"
import { recordProvedStop } from "../../store/contact/contact-stops.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { type ReceivedMail, receiveMail } from "../../store/mail/mail-in.ts"
import type { Recipient } from "../../store/mail/mail-out.ts"
import { recipientOf } from "./challenge.ts"
import type { MailDeps } from "./deps.ts"
import { faultMail, isOptOut, type Message } from "./handle-message.ts"
import { readHeaderBlock, valuesOf } from "./header-block.ts"
import { refusalOfUnread } from "./refuse-unread.ts"
import { judgeSender } from "./sender.ts"
import type { Reception } from "./smtp-listener.ts"

/** A message that comes twice with the same Message-ID and the same bytes has the same id. */
function messageId(raw: Uint8Array): string {
  const fields = readHeaderBlock(raw)
  const named = typeof fields === "string" ? "" : (valuesOf(fields, "message-id")[0] ?? "")
  const key = sha256(Buffer.from(`${named}\n${digestBytes(raw)}`, "latin1"))
  return formatId("eml", key.slice(0, ID_RANDOM_BYTES))
}

export async function receiveMessage(
  deps: Pick<MailDeps, "store" | "machine" | "log" | "trace" | "settings" | "freeWrites">,
  raw: Uint8Array,
  isFromNobody: boolean,
): Promise<Reception> {
  const { store, machine, log, trace } = deps
  const at = machine.now()
  const sender = senderOf(deps, raw, isFromNobody)
  const refused = "dropped" in sender ? null : await refusalOfUnread(raw)
  const dropped = "dropped" in sender ? sender.dropped : (refused?.code ?? null)
  const row = { id: messageId(raw), raw, receivedAt: formatInstant(at), dropped, sender: sender.recipient }
  const stored = await store.run(function* () {
    const received = yield* receiveMail(row, deps.freeWrites.writer(null, at))
    if (refused && received === "STORED") yield* tellSender(deps, row, refused, at)
    return received
  })
  trace?.("received")
  if (stored === "FULL") return postpone(deps, row)
  if (dropped !== null) log.info("mail_dropped", { code: dropped })
  return "STORED"
}

/**
 * CHOICE: an opt-out that has no place among the messages that wait is recorded at once, whatever its domain used up: it needs no answer, and
 * its table has a fixed size. Every other message comes again.
 */
async function postpone(
  { store, log }: Pick<MailDeps, "store" | "log">,
  { raw, receivedAt, sender }: ReceivedMail,
): Promise<Reception> {
  if (sender === null || !(await isOptOut(raw, sender.mailbox))) {
    log.warn("mail_put_off", { code: "TOO_MANY_WAITING" })
    return "LATER"
  }
  await store.run(() => recordProvedStop(sender.mailbox, receivedAt))
  log.info("mail_handled", { code: "STOPPED" })
  return "STORED"
}

type Sender = { readonly recipient: Recipient } | { readonly recipient: null; readonly dropped: string }

/** The authenticated sender, or why the message is dropped. */
function senderOf({ settings }: Pick<MailDeps, "settings">, raw: Uint8Array, isFromNobody: boolean): Sender {
  if (isFromNobody) return { recipient: null, dropped: "NULL_SENDER" }
  const fields = readHeaderBlock(raw)
  if (typeof fields === "string") return { recipient: null, dropped: fields }
  const sender = judgeSender(fields, settings)
  return "dropped" in sender ? { recipient: null, dropped: sender.dropped } : { recipient: recipientOf(sender.mailbox) }
}

/** Queues the fault message to a sender who is authenticated. */
function* tellSender(
  deps: Pick<MailDeps, "settings" | "freeWrites">,
  message: Message,
  refused: ServiceError,
  at: number,
): Unit<void> {
  const fields = readHeaderBlock(message.raw)
  const sender = typeof fields === "string" ? null : judgeSender(fields, deps.settings)
  if (sender && "mailbox" in sender) {
    yield* faultMail(deps, { id: message.id, mailbox: sender.mailbox, error: refused, at })()
  }
}
