/** What a received message causes: nothing, an opt-out, a challenge, the final answer of contact, or a fault message. */
import type { DecisionContact } from "../../../schemas/us/decision-contact.ts"
import { ServiceError } from "../../base/errors.ts"
import { digestOf } from "../../core/digest.ts"
import { normalMailbox } from "../../core/mailbox.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { without } from "../../core/without.ts"
import { liftContactStop, recordProvedStop } from "../../store/contact/contact-stops.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { consumeToken } from "../../store/mail/email-challenges.ts"
import { admitAnswer, type NewMail, queueMail } from "../../store/mail/mail-out.ts"
import { newChallenge, recipientOf, tokenHashOf } from "./challenge.ts"
import { composeMessage } from "./compose.ts"
import { faultMembers, readContactBody } from "./contact-body.ts"
import type { MailDeps } from "./deps.ts"
import { readHeaderBlock } from "./header-block.ts"
import { readJsonPart } from "./read-json-part.ts"
import { judgeSender } from "./sender.ts"

/** How long an answer is tried, in milliseconds. */
const ANSWER_KEPT_MS = DAY

export interface Message {
  readonly id: string
  readonly raw: Uint8Array
  /** RFC 3339. */
  readonly receivedAt: string
}

/** `effect` runs in the unit that ends the message. `code` is counted and logged. */
interface Handling {
  readonly state: "DONE" | "DROPPED"
  readonly code: string
  readonly effect: () => Unit<void>
}

const nothing: Handling["effect"] = function* () {}
const dropped = (code: string): Handling => ({ state: "DROPPED", code, effect: nothing })

/** Reads the message and returns what to do. `at` in milliseconds. Nothing is written. */
export async function handleMessage(deps: MailDeps, message: Message, at: number): Promise<Handling> {
  const fields = readHeaderBlock(message.raw)
  if (typeof fields === "string") return dropped(fields)
  const sender = judgeSender(fields, deps.settings)
  if ("dropped" in sender) return dropped(sender.dropped)
  const { mailbox } = sender
  try {
    return await answerTo(deps, message, mailbox, at)
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error
    return { state: "DONE", code: error.code, effect: faultMail(deps, { id: message.id, mailbox, error, at }) }
  }
}

async function answerTo(deps: MailDeps, message: Message, mailbox: string, at: number): Promise<Handling> {
  const body = readContactBody(await readJsonPart(message.raw))
  if (!isOfSender(body, mailbox)) throw notTheSender()
  if ("action" in body) {
    // The opt-out counts from its arrival.
    return {
      state: "DONE",
      code: "STOPPED",
      *effect() {
        yield* recordProvedStop(mailbox, message.receivedAt)
      },
    }
  }
  const writer = deps.freeWrites.writer(null, at)
  const { email_verification_token: token } = body
  const draft = without(body, "reply_to", "email_verification_token")
  const requestDigest = digestOf(draft)
  // A draft that the service does not cover is a fault also before the mailbox is proved.
  const answer = await deps.answer(draft, at)
  // CHOICE: a contact message after an opt-out wants mail again. One that arrived before it does not.
  const lift = () => liftContactStop(mailbox, message.receivedAt)
  if (token === undefined) {
    const challenge = newChallenge(deps, { mailbox, requestDigest, causeId: message.id, writer })
    return {
      state: "DONE",
      code: "CHALLENGED",
      *effect() {
        yield* lift()
        yield* challenge()
      },
    }
  }
  const proof = { tokenHash: tokenHashOf(token), mailbox, requestDigest, now: formatInstant(at) }
  const reply = mailTo(deps, { id: message.id, kind: "REPLY", mailbox, type: answer.type, body: answer, at })
  const refused = faultMail(deps, { id: message.id, mailbox, error: tokenNotAccepted(), at })
  return {
    state: "DONE",
    code: "TOKEN_PRESENTED",
    *effect() {
      yield* lift()
      if (yield* consumeToken(proof)) yield* queueMail(reply)
      else yield* refused()
    },
  }
}

/** Whether the message is a well-formed opt-out of its sender. */
export async function isOptOut(raw: Uint8Array, mailbox: string): Promise<boolean> {
  try {
    const body = readContactBody(await readJsonPart(raw))
    return "action" in body && isOfSender(body, mailbox)
  } catch (error) {
    if (error instanceof ServiceError) return false
    throw error
  }
}

function isOfSender({ reply_to }: DecisionContact, mailbox: string): boolean {
  return reply_to !== undefined && normalMailbox(reply_to) === mailbox
}

interface AnswerMail extends Pick<NewMail, "id" | "kind" | "mailbox"> {
  readonly type: string
  readonly body: object
  readonly at: number
}

function mailTo({ settings }: Pick<MailDeps, "settings">, { id, kind, mailbox, type, body, at }: AnswerMail): NewMail {
  return {
    id,
    kind,
    ...recipientOf(mailbox),
    nullSender: true,
    raw: composeMessage({ id, from: settings.mailbox, to: mailbox, type, body, isReply: true, at }),
    createdAt: formatInstant(at),
    giveUpAt: formatInstant(at + ANSWER_KEPT_MS),
  }
}

/** The fault of a received message. The reply names it to the sender. */
interface MailFault extends Pick<NewMail, "id" | "mailbox"> {
  readonly error: ServiceError
  /** Milliseconds. */
  readonly at: number
}

/** A short message with code and places. It counts for the limits of the day, so an answering machine gets few. */
export function faultMail(
  deps: Pick<MailDeps, "settings" | "freeWrites">,
  { id, mailbox, error, at }: MailFault,
): () => Unit<void> {
  const type = `svc.${deps.settings.channel}.contact-fault.v1`
  const body = { type, ...faultMembers(error), opt_out: { action: "STOP" } }
  const mail = mailTo(deps, { id, kind: "FAULT", mailbox, type, body, at })
  const writer = deps.freeWrites.writer(null, at)
  return function* () {
    if ((yield* admitAnswer(mail, writer)) === null) yield* queueMail(mail)
  }
}

function notTheSender(): ServiceError {
  return new ServiceError("MAILBOX_INVALID", "reply_to must be the mailbox that the message is from.", {
    errors: [{ pointer: "/reply_to", code: "NOT_THE_SENDER", expected: "the mailbox that the message is from" }],
  })
}

function tokenNotAccepted(): ServiceError {
  return new ServiceError("EMAIL_TOKEN_NOT_ACCEPTED", "Ask for a new challenge.")
}
