/** A real SMTP server on loopback that keeps what it accepts, and refuses or fails as a test says. */
import { SMTPServer } from "smtp-server"

export interface SunkMail {
  /** Empty: the null sender. */
  readonly from: string
  readonly to: readonly string[]
  readonly raw: string
}

export interface SmtpSink extends AsyncDisposable {
  readonly port: number
  readonly mails: SunkMail[]
  /** Reply code for each recipient; null accepts. */
  refuse: number | null
  /** Called when a whole message arrived, before the reply to it. */
  onMessage: (mail: SunkMail) => void | Promise<void>
  /** True: the connection is cut instead of the reply to a whole message. */
  cut: boolean
  /** Number of connections so far. */
  connections: number
}

export async function smtpSink(credentials: { user: string; pass: string } | null = null): Promise<SmtpSink> {
  const mails: SunkMail[] = []
  const server = new SMTPServer({
    authOptional: credentials === null,
    allowInsecureAuth: true,
    hideSTARTTLS: true,
    disableReverseLookup: true,
    logger: false,
    onConnect(_session, done) {
      sink.connections++
      done()
    },
    onAuth({ username, password }, _session, done) {
      const isRight = username === credentials?.user && password === credentials?.pass
      done(isRight ? null : Object.assign(new Error("no"), { responseCode: 535 }), { user: username })
    },
    onRcptTo(_address, _session, done) {
      done(sink.refuse === null ? null : Object.assign(new Error("refused"), { responseCode: sink.refuse }))
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = []
      stream.on("data", (chunk: Buffer) => chunks.push(chunk))
      stream.on("end", async () => {
        const { mailFrom, rcptTo } = session.envelope
        const mail = {
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString(),
        }
        mails.push(mail)
        await sink.onMessage(mail)
        if (!sink.cut) return done(null, "kept")
        for (const connection of server.connections) connection.close()
      })
    },
  })
  // A client that is killed in the middle of a message.
  server.on("error", () => {})
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  const sink: SmtpSink = {
    port: address.port,
    mails,
    refuse: null,
    onMessage: () => {},
    cut: false,
    connections: 0,
    [Symbol.asyncDispose]: () => new Promise((resolve) => server.close(() => resolve())),
  }
  return sink
}
