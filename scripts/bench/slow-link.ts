/**
 * A way to a port of this machine on which each byte travels for a while, as between two machines of one data centre. A process of its own:
 * `bun scripts/bench/slow-link.ts PORT MICROSECONDS`. Prints the port on which it listens. Timers of JavaScript are a millisecond coarse, so it
 * watches the clock while something travels.
 */
import { connect, createServer, type Socket } from "node:net"

interface Piece {
  readonly at: number
  readonly bytes: Uint8Array
  readonly sink: Socket
}

const [port, microseconds] = process.argv.slice(2).map(Number)
const delayMs = (microseconds ?? 0) / 1_000
const travelling: Piece[] = []
const nothing = new Int32Array(new SharedArrayBuffer(4))
let isWatching = false

function watch(): void {
  const now = performance.now()
  while (travelling[0] && travelling[0].at <= now) {
    const { sink, bytes } = travelling.shift() as Piece
    if (!sink.destroyed) sink.write(bytes)
  }
  isWatching = travelling.length > 0
  if (!isWatching) return
  // Leaves the core to the server and to the service.
  if ((travelling[0] as Piece).at - now > 0.1) Atomics.wait(nothing, 0, 0, 0.02)
  setImmediate(watch)
}

function pass(source: Socket, sink: Socket): void {
  source.setNoDelay(true)
  source.on("data", (bytes: Uint8Array) => {
    travelling.push({ at: performance.now() + delayMs, bytes, sink })
    if (!isWatching) watch()
  })
  source.on("close", () => sink.destroy())
  source.on("error", () => {})
}

const server = createServer((near) => {
  const far = connect(port ?? 0, "127.0.0.1")
  pass(near, far)
  pass(far, near)
})
server.listen(0, "127.0.0.1", () => {
  const address = server.address()
  if (address === null || typeof address === "string") throw new Error("no port")
  process.stdout.write(`${address.port}\n`)
})
