/** The server side of SMTP on a Unix socket, with smtp-server: the operator's mail server delivers here. */
import { SMTPServer, type SMTPServerDataStream, type SMTPServerError } from "smtp-server"
import type { Machine } from "../../base/machine.ts"
import { OWNER_SOCKET_MODE, placeSocket } from "../../base/unix-socket.ts"
import { mailboxKey, normalMailbox } from "../../core/mailbox.ts"

/** Largest message in bytes. */
export const MESSAGE_BYTES_MAX = 256 * 1024
/** Connections at a time. */
export const CONNECTIONS_MAX = 8
/** Milliseconds of silence, and of a whole connection. */
const SILENCE_MS = 20_000
const CONNECTION_MS_MAX = 120_000
const STOP_MS = 2_000

/** STORED: it is on disk. LATER: the sender must try again. */
export type Reception = "STORED" | "LATER"

interface ListenerParts {
  /** The provider's mailbox, the only recipient. */
  readonly mailbox: string
  readonly socketPath: string
  readonly machine: Pick<Machine, "after">
  /** Stores a message. `isFromNobody`: its envelope sender is null. */
  readonly receive: (raw: Uint8Array, isFromNobody: boolean) => Promise<Reception>
  /** A fault of the listener itself or of `receive`. */
  readonly onError: (error: unknown) => void
}

export interface Listener {
  close(): Promise<void>
}

/** Rejects with SocketPlaceError if the place is taken, and with the fault of the operating system if the socket cannot be made. */
export async function listenForMail(parts: ListenerParts): Promise<Listener> {
  const { mailbox, socketPath, machine, receive, onError } = parts
  const own = mailboxKey(mailbox)
  const timers = new Map<string, () => void>()
  const server = new SMTPServer({
    size: MESSAGE_BYTES_MAX,
    rejectOversized: true,
    authOptional: true,
    disabledCommands: ["AUTH", "STARTTLS", "VRFY", "HELP"],
    disableReverseLookup: true,
    // A mailbox of the service's callers is in ASCII.
    hideSMTPUTF8: true,
    maxClients: CONNECTIONS_MAX,
    maxRecipients: 1,
    socketTimeout: SILENCE_MS,
    closeTimeout: STOP_MS,
    logger: false,
    onConnect({ id }, done) {
      timers.set(
        id,
        machine.after(CONNECTION_MS_MAX, () => endConnection(server, id)),
      )
      done()
    },
    onClose({ id }) {
      timers.get(id)?.()
      timers.delete(id)
    },
    onRcptTo({ address }, _session, done) {
      const recipient = normalMailbox(address)
      const isOwn = recipient !== null && mailboxKey(recipient) === own
      done(isOwn ? null : reply(550, "5.1.1 No such mailbox"))
    },
    onData(stream, { envelope }, done) {
      const isFromNobody = envelope.mailFrom === false || envelope.mailFrom.address === ""
      bytesOf(stream)
        .then(async (raw) => {
          if (raw === null) return done(reply(552, "5.3.4 The message is over the limit"))
          const reception = await receive(raw, isFromNobody)
          return reception === "STORED" ? done(null, "2.0.0 Stored") : done(reply(452, "4.3.1 Try again later"))
        })
        .catch((error: unknown) => {
          onError(error)
          done(reply(451, "4.3.0 The message was not stored"))
        })
    },
  })
  // A client that hangs up is no fault of the listener.
  server.on("error", (error: SMTPServerError & { remote?: unknown }) => {
    if (!("remote" in error)) onError(error)
  })
  const { remove } = await placeSocket({
    path: socketPath,
    mode: OWNER_SOCKET_MODE,
    listen: (path) => listening(server, path),
    close: () => closed(server),
  })
  return {
    close: async () => {
      for (const cancel of timers.values()) cancel()
      remove()
      await closed(server)
    },
  }
}

function listening(server: SMTPServer, path: string): Promise<SMTPServer> {
  return new Promise((resolve, reject) => {
    server.server.once("error", reject)
    server.listen({ path }, () => resolve(server))
  })
}

function closed(server: SMTPServer): Promise<void> {
  return new Promise((resolve) => server.close(() => resolve()))
}

function endConnection(server: SMTPServer, id: string): void {
  for (const connection of server.connections) if (connection.session.id === id) connection.close()
}

function reply(responseCode: number, text: string): SMTPServerError {
  return Object.assign(new Error(text), { responseCode })
}

/** Returns null for a message over the limit, of which no more than the limit is kept in memory. */
async function bytesOf(stream: SMTPServerDataStream): Promise<Uint8Array | null> {
  const chunks: Uint8Array[] = []
  let total = 0
  for await (const chunk of stream) {
    total += (chunk as Uint8Array).byteLength
    if (total <= MESSAGE_BYTES_MAX) chunks.push(chunk as Uint8Array)
  }
  return stream.sizeExceeded || total > MESSAGE_BYTES_MAX ? null : Buffer.concat(chunks)
}
