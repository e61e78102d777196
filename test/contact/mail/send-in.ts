/** Hands a message to the service as the operator's mail server does: SMTP over the Unix socket. */
import net from "node:net"
import SMTPConnection from "nodemailer/lib/smtp-connection"

export const AUTHSERV = "mx.provider.example"
export const PROVIDER = "desk@provider.example"

export interface WrittenMail {
  readonly from: string
  /** Written as one value of From. */
  readonly fromField?: string
  readonly body: unknown
  /** Whole header lines above From. Default: a genuine pass. */
  readonly above?: readonly string[]
  readonly below?: readonly string[]
  readonly messageId?: string
}

let count = 0

export function passFor(from: string): string {
  return `Authentication-Results: ${AUTHSERV}; dmarc=pass (p=reject) header.from=${from.slice(from.lastIndexOf("@") + 1)}`
}

/** The whole message as the mail server would hand it over. */
export function written({ from, fromField = from, body, above = [passFor(from)], below = [], messageId }: WrittenMail) {
  const text = typeof body === "string" ? body : JSON.stringify(body, null, 1)
  return [
    ...above,
    "Received: from outside by mx.provider.example",
    `From: ${fromField}`,
    `To: ${PROVIDER}`,
    `Message-ID: ${messageId ?? `<${++count}@sender.example>`}`,
    "Subject: contact",
    ...below,
    "MIME-Version: 1.0",
    "Content-Type: text/plain; charset=utf-8",
    "",
    ...text.split("\n"),
    "",
  ].join("\r\n")
}

/** Returns 250 or the reply code of the refusal; 0 if the connection failed. */
export function sendIn(
  socketPath: string,
  raw: string | Buffer,
  { from = "sender@host.example", to = PROVIDER }: { from?: string | false; to?: string } = {},
): Promise<number> {
  return new Promise((resolve) => {
    const socket = net.connect(socketPath)
    socket.on("error", () => resolve(0))
    socket.on("connect", () => {
      const client = new SMTPConnection({ connection: socket, ignoreTLS: true, logger: false })
      client.on("error", (fault) => resolve((fault as { responseCode?: number }).responseCode ?? 0))
      client.on("end", () => resolve(0))
      client.connect(() => {
        client.send({ from, to: [to] }, raw, (fault) => {
          resolve(fault ? (fault.responseCode ?? 0) : 250)
          client.quit()
        })
      })
    })
  })
}
