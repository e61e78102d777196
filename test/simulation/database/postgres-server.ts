/**
 * A real PostgreSQL that is used without waiting, as a simulated world needs it: a call returns when the server has done its work. Another thread
 * holds the sessions, and this one sleeps meanwhile.
 */
import { MessageChannel, type MessagePort, receiveMessageOnPort, Worker } from "node:worker_threads"
import type { Answered, Outcome, Reply, Request, Sent, ThreadData } from "./postgres-thread.ts"

const THREAD = new URL("./postgres-thread.ts", import.meta.url)
/** The server ends each statement before; ms. */
const REPLY_MS_MAX = 60_000

/** An error with the members that the driver gives it. */
export function driverError(message: string, names: Readonly<Record<string, string>>): Error {
  return Object.assign(new Error(message), names)
}

export class PostgresServer {
  private readonly counter = new Int32Array(new SharedArrayBuffer(4))
  private readonly port: MessagePort
  private readonly receivers = new Map<number, (outcome: Outcome) => void>()
  private sessions = 0

  constructor() {
    const { port1, port2 } = new MessageChannel()
    this.port = port1
    const workerData: ThreadData = { port: port2, replies: this.counter.buffer as SharedArrayBuffer }
    new Worker(THREAD, { workerData, transferList: [port2] }).unref()
    port1.unref()
  }

  /** With the whole schema, until {@link dropDatabase}. Returns its URL. One at a time. */
  newDatabase(): string {
    return this.call({ kind: "NEW_DATABASE" }) as string
  }

  dropDatabase(): void {
    this.receivers.clear()
    this.call({ kind: "DROP_DATABASE" })
  }

  /** Opens a session. `receive` gets the outcome of each statement, in their order. Throws the driver's error. */
  open(receive: (outcome: Outcome) => void): number {
    const session = ++this.sessions
    this.call({ kind: "OPEN", session })
    this.receivers.set(session, receive)
    return session
  }

  send(session: number, statements: readonly Sent[]): void {
    this.call({ kind: "SEND", session, statements })
  }

  /** Cancels the statement at which the session is. */
  cancel(session: number): void {
    this.call({ kind: "CANCEL", session })
  }

  /** Ends a session and rolls its transaction back. */
  end(session: number): void {
    this.receivers.delete(session)
    this.call({ kind: "END", session })
  }

  /** Of committed rows, on a session of its own. */
  rows<Row>(text: string, values: readonly unknown[] = []): Row[] {
    return this.call({ kind: "ROWS", text, values }) as Row[]
  }

  private call(request: Request): unknown {
    const before = Atomics.load(this.counter, 0)
    this.port.postMessage(request)
    const { value, error, answered } = this.reply(before, request)
    for (const one of answered) this.deliver(one)
    if (error === null) return value
    const { message, names } = JSON.parse(error)
    throw driverError(message, names)
  }

  private reply(before: number, { kind }: Request): Reply {
    for (;;) {
      const received = receiveMessageOnPort(this.port)
      if (received) return received.message as Reply
      if (Atomics.wait(this.counter, 0, before, REPLY_MS_MAX) === "timed-out") {
        throw new Error(`the thread of PostgreSQL does not answer ${kind}`)
      }
    }
  }

  private deliver({ session, outcome }: Answered): void {
    this.receivers.get(session)?.(outcome)
  }
}

let shared: PostgresServer | null = null

/** All worlds of this process use it, one after the other. */
export function postgresServer(): PostgresServer {
  shared ??= new PostgresServer()
  return shared
}
