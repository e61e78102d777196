/**
 * One HTTP/1.1 connection that sends exact bytes: paths that no client would write, and headers that `fetch` refuses. It returns the answer
 * of each request, and it notices bytes after an answer.
 */
import { connect, type Socket } from "node:net"
import { gunzipSync } from "node:zlib"

export interface RawAnswer {
  readonly status: number
  readonly headers: Headers
  /** Without a content coding. */
  readonly body: Buffer
  /** The body as it came. */
  readonly coded: Buffer
}

/** A request without an answer after this time is a fault. */
const ANSWER_MS_MAX = 20_000
const HEAD_END = Buffer.from("\r\n\r\n")

interface Pending {
  readonly method: string
  settle(answer: RawAnswer | Error): void
}

export class RawClient {
  #socket: Socket | null = null
  #received = Buffer.alloc(0)
  #pending: Pending | null = null
  /** Bytes that belong to no request. */
  stray = ""

  constructor(
    readonly host: string,
    readonly port: number,
  ) {}

  /** Rejects if the connection ends or the time passes before the whole answer arrived. */
  exchange(method: string, bytes: Buffer): Promise<RawAnswer> {
    const socket = this.#open()
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => this.#settle(new Error("no answer in time")), ANSWER_MS_MAX)
      this.#pending = {
        method,
        settle: (answer) => {
          clearTimeout(timer)
          if (answer instanceof Error) {
            this.close()
            reject(answer)
          } else {
            if (answer.headers.get("connection")?.toLowerCase() === "close") this.close()
            resolve(answer)
          }
        },
      }
      socket.write(bytes)
    })
  }

  close(): void {
    this.#socket?.destroy()
    this.#socket = null
    this.#received = Buffer.alloc(0)
  }

  #open(): Socket {
    if (this.#socket !== null) return this.#socket
    const socket = connect(this.port, this.host)
    socket.setNoDelay(true)
    socket.on("data", (bytes: Buffer) => {
      if (socket === this.#socket) this.#take(bytes)
    })
    const end = (fault: Error) => {
      if (socket !== this.#socket) return
      this.#socket = null
      this.#received = Buffer.alloc(0)
      this.#settle(fault)
    }
    socket.on("error", end)
    socket.on("close", () => end(new Error("the connection ended without a whole answer")))
    this.#socket = socket
    return socket
  }

  #settle(answer: RawAnswer | Error): void {
    const pending = this.#pending
    this.#pending = null
    pending?.settle(answer)
  }

  #take(bytes: Buffer): void {
    this.#received = Buffer.concat([this.#received, bytes])
    if (this.#pending === null) {
      this.stray += this.#received.toString("latin1")
      this.#received = Buffer.alloc(0)
      return
    }
    const read = readAnswer(this.#received, this.#pending.method)
    if (read === null) return
    this.#received = this.#received.subarray(read.length)
    if (read.answer.status < 200) {
      // An interim answer comes before the answer.
      this.#take(Buffer.alloc(0))
      return
    }
    this.stray += this.#received.toString("latin1")
    this.#received = Buffer.alloc(0)
    this.#settle(read.answer)
  }
}

/** Returns null while the answer is not complete. `length` counts its bytes on the wire. */
function readAnswer(bytes: Buffer, method: string): { readonly answer: RawAnswer; readonly length: number } | null {
  const end = bytes.indexOf(HEAD_END)
  if (end < 0) return null
  const [statusLine = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n")
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(statusLine)?.[1])
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon), line.slice(colon + 1).trim()]
    }),
  )
  const start = end + HEAD_END.length
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) {
    return { answer: answerOf(status, headers, Buffer.alloc(0)), length: start }
  }
  if (headers.get("transfer-encoding") === "chunked") return readChunks(bytes, start, status, headers)
  const length = Number(headers.get("content-length") ?? "0")
  if (bytes.length < start + length) return null
  const body = Buffer.from(bytes.subarray(start, start + length))
  return { answer: answerOf(status, headers, body), length: start + length }
}

function answerOf(status: number, headers: Headers, coded: Buffer): RawAnswer {
  const isCoded = headers.get("content-encoding") === "gzip" && coded.length > 0
  return { status, headers, body: isCoded ? gunzipSync(coded) : coded, coded }
}

function readChunks(bytes: Buffer, start: number, status: number, headers: Headers) {
  const parts: Buffer[] = []
  for (let at = start; ; ) {
    const lineEnd = bytes.indexOf("\r\n", at)
    if (lineEnd < 0) return null
    const size = Number.parseInt(bytes.toString("latin1", at, lineEnd), 16)
    const next = lineEnd + 2 + size + 2
    if (bytes.length < next) return null
    if (size === 0) return { answer: answerOf(status, headers, Buffer.concat(parts)), length: next }
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size))
    at = next
  }
}
