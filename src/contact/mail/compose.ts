/** The text of every message that the service sends: one JSON document, without a word of the caller. */
import { formatInstant } from "../../core/time.ts"

interface Message {
  /** Names the row of the queue. Each attempt to send it has the same Message-ID, so a mailbox that gets it twice shows it once. */
  readonly id: string
  readonly from: string
  readonly to: string
  /** Subject, and member `type` of the body. */
  readonly type: string
  readonly body: object
  /** True: an answer to a message (RFC 3834). */
  readonly isReply: boolean
  /** Milliseconds. */
  readonly at: number
}

/** Returns the message as it is sent, in ASCII with CR LF. Throws a TypeError for a value that could begin a header of its own: a bug. */
export function composeMessage({ id, from, to, type, body, isReply, at }: Message): string {
  const { encoding, text } = encoded(body)
  const fields: readonly (readonly [name: string, value: string])[] = [
    ["Date", `${new Date(at).toUTCString().slice(0, -3)}+0000`],
    ["From", from],
    ["To", to],
    ["Subject", type],
    ["Message-ID", `<${id}@${from.slice(from.lastIndexOf("@") + 1)}>`],
    ["Auto-Submitted", isReply ? "auto-replied" : "auto-generated"],
    ["List-Unsubscribe", `<${unsubscribeLink(from, to)}>`],
    ["MIME-Version", "1.0"],
    ["Content-Type", "text/plain; charset=utf-8"],
    ["Content-Transfer-Encoding", encoding],
  ]
  for (const [name, value] of fields) {
    if (!/^[\x20-\x7e]{1,900}$/.test(value)) throw new TypeError(`${name} has no safe value`)
  }
  return `${fields.map(([name, value]) => `${name}: ${value}\r\n`).join("")}\r\n${text}`
}

/** A mail program that follows the link sends the opt-out of this mailbox. */
function unsubscribeLink(from: string, to: string): string {
  const stop = JSON.stringify({ action: "STOP", reply_to: to })
  return `mailto:${encodeURIComponent(from).replace("%40", "@")}?subject=STOP&body=${encodeURIComponent(stop)}`
}

/** RFC 5322 allows 998 characters in a line. */
const LINE_CHARACTERS_MAX = 900
const BASE64_LINE = 76

/** Escapes of JSON keep the text in ASCII. Lines that are too long are sent as base64. */
function encoded(body: object): { readonly encoding: "7bit" | "base64"; readonly text: string } {
  const json = JSON.stringify(body, null, 2).replace(
    /[^\x20-\x7e\n]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )
  const lines = json.split("\n")
  if (lines.every((line) => line.length <= LINE_CHARACTERS_MAX)) {
    return { encoding: "7bit", text: `${lines.join("\r\n")}\r\n` }
  }
  const base64 = Buffer.from(json, "latin1").toString("base64")
  const rows = base64.match(new RegExp(`.{1,${BASE64_LINE}}`, "g")) ?? []
  return { encoding: "base64", text: `${rows.join("\r\n")}\r\n` }
}

interface ChallengeBody {
  readonly id: string
  readonly requestDigest: string
  readonly token: string
  /** Milliseconds. */
  readonly issuedAt: number
  readonly expiresAt: number
}

export function challengeType(channel: string): string {
  return `svc.${channel}.email-challenge.v1`
}

/** The body of a challenge message. */
export function challengeBody(channel: string, { id, requestDigest, token, issuedAt, expiresAt }: ChallengeBody) {
  return {
    type: challengeType(channel),
    challenge_id: id,
    request_digest: requestDigest,
    email_verification_token: token,
    issued_at: formatInstant(issuedAt),
    expires_at: formatInstant(expiresAt),
    proves: "MAILBOX_CONTROL_ONLY",
    opt_out: { action: "STOP" },
  }
}
