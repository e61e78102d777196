/** Sends one message to the operator's SMTP server with nodemailer. */
import SMTPConnection from "nodemailer/lib/smtp-connection"
import type { Machine } from "../../base/machine.ts"
import type { SmtpTarget } from "./mail-settings.ts"

interface Envelope {
  /** Null: the null sender, so that nothing bounces. */
  readonly from: string | null
  readonly to: string
}

/** `code` is made of the SMTP reply code and the command, never of a text of the server. */
type SendResult =
  | { readonly outcome: "SENT" }
  /** The server refused the message or its recipient for good. */
  | { readonly outcome: "REFUSED"; readonly code: string }
  /** It may be sent later. After DATA without a reply the server may have it: the next attempt has the same Message-ID. */
  | { readonly outcome: "NOT_SENT"; readonly code: string }

/** Milliseconds. One attempt ends after all of them together at the latest. */
const CONNECT_MS = 10_000
const SILENCE_MS = 30_000
export const ATTEMPT_MS_MAX = 60_000

/** A part of nodemailer's errors. */
interface SmtpFault {
  readonly code?: string | undefined
  readonly command?: string | undefined
  readonly responseCode?: number | undefined
}

/** Never rejects: each fault is a result. `signal` cuts the attempt. */
export async function sendMail(
  target: SmtpTarget,
  { from, to }: Envelope,
  raw: string,
  { after, signal }: Pick<Machine, "after"> & { readonly signal?: AbortSignal },
): Promise<SendResult> {
  const { credentials } = target
  const connection = new SMTPConnection({
    host: target.host,
    port: target.port,
    secure: target.isTls,
    requireTLS: target.needsStartTls,
    // Without it the name of this machine would be sent.
    name: (from ?? to).slice((from ?? to).lastIndexOf("@") + 1),
    connectionTimeout: CONNECT_MS,
    greetingTimeout: CONNECT_MS,
    dnsTimeout: CONNECT_MS,
    socketTimeout: SILENCE_MS,
    socketCloseTimeout: 0,
    logger: false,
  })
  const ended = Promise.withResolvers<SendResult>()
  const fail = (fault: SmtpFault | null | undefined) => ended.resolve(resultOf(fault ?? {}))
  const cancel = after(ATTEMPT_MS_MAX, () => fail({ code: "ETIMEDOUT" }))
  const cut = () => fail({ code: "SERVICE_STOPS" })
  if (signal?.aborted) cut()
  signal?.addEventListener("abort", cut, { once: true })
  const send = () => {
    connection.send({ from: from ?? false, to: [to] }, raw, (fault) =>
      fault ? fail(fault) : ended.resolve({ outcome: "SENT" }),
    )
  }
  connection.on("error", fail)
  connection.on("end", () => fail({ code: "ECONNECTION" }))
  connection.connect((fault) => {
    if (fault) return fail(fault)
    if (credentials === null) return send()
    connection.login({ credentials }, (refused) => (refused ? fail(refused) : send()))
  })
  try {
    const result = await ended.promise
    if (result.outcome === "SENT") connection.quit()
    return result
  } finally {
    cancel()
    signal?.removeEventListener("abort", cut)
    connection.close()
  }
}

const ABOUT_THE_MESSAGE = ["MAIL FROM", "RCPT TO", "DATA"]

/** A refused sign-in is the operator's to repair, so it is no end of a message. */
function resultOf({ code = "UNKNOWN", command = "", responseCode = 0 }: SmtpFault): SendResult {
  const verb = command.split(" ")[0] === "AUTH" ? "AUTH" : command.replaceAll(" ", "_")
  const named = [responseCode === 0 ? code : `SMTP_${responseCode}`, verb]
    .filter((part) => /^[A-Z0-9_]{1,40}$/.test(part))
    .join("_AT_")
  const isRefused = responseCode >= 500 && ABOUT_THE_MESSAGE.includes(command)
  return { outcome: isRefused ? "REFUSED" : "NOT_SENT", code: named }
}
