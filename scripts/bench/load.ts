/**
 * Puts one HTTP/1.1 server under load: a fixed number of keep-alive loopback connections with one request in flight on each. Uses raw
 * sockets and prepared bytes, because `fetch` costs more than most measured operations.
 */
import type { Socket } from "bun"

export interface Load {
  readonly requests: readonly Uint8Array[]
  /** Repeats the list when it is used up. Otherwise the row ends there, for servers that would recognise a repeated request. */
  readonly repeat: boolean
  /** Every answer must have this status, because a fast refusal is not a valid result. */
  readonly status: number
  readonly connections: number
  readonly milliseconds: number
}

export interface Measured {
  readonly answers: number
  readonly perSecond: number
  /** Milliseconds of each answer. */
  readonly times: readonly number[]
}

interface Connection {
  sentAt: number
  /** The part of an answer received so far. */
  received: Buffer | null
  /** This side closed the connection; no answer was outstanding. */
  isDone: boolean
}

const ANSWERS_MAX = 500_000
/** A server that stops answering ends the row after this time. */
const STALLED_MS = 10_000

/** Rejects on an answer with another status, a broken connection or a stalled server. */
export async function drive(origin: string, load: Load): Promise<Measured> {
  const { hostname, port } = new URL(origin)
  const times: number[] = []
  const last = load.repeat ? ANSWERS_MAX : Math.min(load.requests.length, ANSWERS_MAX)
  const started = performance.now()
  let sent = 0
  let open = load.connections
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const sockets: Socket<Connection>[] = []

  function send(socket: Socket<Connection>): void {
    const request = load.requests[sent % load.requests.length]
    if (request === undefined || sent >= last || performance.now() - started >= load.milliseconds) {
      open--
      socket.data.isDone = true
      socket.end()
      if (open === 0) resolve()
      return
    }
    sent++
    socket.data.sentAt = performance.now()
    if (socket.write(request) !== request.byteLength) reject(new Error("a request did not fit the socket's buffer"))
  }

  function receive(socket: Socket<Connection>, chunk: Buffer): void {
    const { data } = socket
    const bytes = data.received === null ? chunk : Buffer.concat([data.received, chunk])
    const answer = wholeAnswer(bytes)
    if (answer === null) {
      data.received = bytes === chunk ? Buffer.from(chunk) : bytes
      return
    }
    times.push(performance.now() - data.sentAt)
    data.received = null
    if (answer === load.status) send(socket)
    else reject(new Error(`answered ${answer} instead of ${load.status}: ${bytes.toString("latin1").slice(0, 2000)}`))
  }

  const timer = setTimeout(() => reject(new Error("the server stalled")), load.milliseconds + STALLED_MS)
  try {
    for (let n = 0; n < load.connections; n++) {
      sockets.push(
        await Bun.connect<Connection>({
          hostname,
          port: Number(port),
          data: { sentAt: 0, received: null, isDone: false },
          socket: {
            data: receive,
            error: (_, error) => reject(error),
            close: ({ data }) => {
              if (!data.isDone) reject(new Error("the server closed a connection"))
            },
          },
        }),
      )
    }
    for (const socket of sockets) send(socket)
    await promise
  } finally {
    clearTimeout(timer)
    for (const socket of sockets) socket.terminate()
  }
  return { answers: times.length, perSecond: times.length / ((performance.now() - started) / 1000), times }
}

/** Returns the status once head and body are complete, otherwise null. Every measured server sends a Content-Length. */
function wholeAnswer(bytes: Buffer): number | null {
  const end = bytes.indexOf("\r\n\r\n")
  if (end < 0) return null
  const head = bytes.toString("latin1", 0, end)
  const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
  if (length === undefined) throw new Error(`an answer without Content-Length: ${head}`)
  return bytes.length < end + 4 + Number(length) ? null : Number(head.slice(9, 12))
}

const utf8 = new TextEncoder()

export function get(path: string): Uint8Array {
  return utf8.encode(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
}

export function post(path: string, json: string, headers: Readonly<Record<string, string>> = {}): Uint8Array {
  const body = utf8.encode(json)
  const all = {
    Host: "localhost",
    "Content-Type": "application/json",
    "Content-Length": String(body.length),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([utf8.encode(`POST ${path} HTTP/1.1\r\n${lines.join("")}\r\n`), body])
}
