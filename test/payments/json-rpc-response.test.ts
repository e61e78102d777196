/** How much of a response is read, and for how long. */
import { afterAll, afterEach, describe, expect, test } from "bun:test"
import { createServer, type Socket } from "node:net"
import { gzipSync } from "node:zlib"
import { BASE } from "../../src/payments/networks/base.ts"
import { openChain } from "../../src/payments/rpc.ts"
import { answerTo, type Body, balances, type Received, startNode } from "./answering-node.ts"

const node = startNode()
afterEach(() => node.reset())
afterAll(() => node.stop())
const open = (rpcUrl = node.url, timeoutMs = 60_000) => openChain({ rpcUrl, network: BASE, timeoutMs }).primary

/** A node that writes raw bytes, as no HTTP server would. */
async function startRawNode(write: (socket: Socket) => void) {
  const server = createServer((socket) => {
    socket.on("error", () => undefined)
    socket.once("data", () => write(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const address = server.address()
  if (address === null || typeof address === "string") throw new TypeError("no port")
  return { url: `http://127.0.0.1:${address.port}`, stop: () => void server.close() }
}

describe("a response", () => {
  const LONG = 20 * 1024 * 1024
  const MEGABYTE = "1".repeat(0x100000)
  const HEAD = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n"

  /** Writes megabytes in chunks until it may not. Returns how many were taken. */
  function endless(socket: Socket): { megabytes: number } {
    const taken = { megabytes: 0 }
    const more = () => {
      if (taken.megabytes++ > 100) socket.destroy()
      if (!socket.destroyed) socket.write(`100000\r\n${MEGABYTE}\r\n`, more)
    }
    more()
    return taken
  }

  test.each([
    ["in chunks", `${HEAD}transfer-encoding: chunked\r\n\r\n`],
    ["in chunks, with a short stated length", `${HEAD}content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n`],
  ])("without end is not read to its end: %s", async (_, head) => {
    let taken = { megabytes: 0 }
    const raw = await startRawNode((socket) => {
      socket.write(head)
      taken = endless(socket)
    })
    expect(await balances(open(raw.url), 1)).toEqual(["unavailable"])
    raw.stop()
    expect(taken.megabytes).toBeLessThan(60)
  })

  test("of a long stated length, or that is long when unpacked, is not read", async () => {
    const long = (body: Body) => JSON.stringify({ ...answerTo(body as Received), more: "1".repeat(LONG) })
    node.respond = (body) => new Response(long(body))
    expect(await balances(open(), 1)).toEqual(["unavailable"])
    node.respond = (body) => new Response(gzipSync(long(body)), { headers: { "content-encoding": "gzip" } })
    expect(await balances(open(), 1)).toEqual(["unavailable"])
    node.respond = (body) =>
      new Response(gzipSync(JSON.stringify(answerTo(body as Received))), { headers: { "content-encoding": "gzip" } })
    expect(await balances(open(), 1)).toEqual([1n])
  })

  test("of 15 MB is read", async () => {
    node.respond = (body) => Response.json({ ...answerTo(body as Received), more: "1".repeat(15 * 1024 * 1024) })
    expect(await balances(open(), 1)).toEqual([1n])
  })

  test.each([
    ["cut off", `${HEAD}content-length: 500\r\n\r\n[{"id":1,`, true],
    ["that stops", `${HEAD}content-length: 500\r\n\r\n[{"id":1,`, false],
    ["of chunks that stop", `${HEAD}transfer-encoding: chunked\r\n\r\n3\r\n[{"\r\n`, false],
  ])("%s in its middle is none", async (_, bytes, isClosed) => {
    const raw = await startRawNode((socket) => {
      socket.write(bytes)
      if (isClosed) socket.end()
    })
    const started = performance.now()
    expect(await balances(open(raw.url, 500), 1, 2)).toEqual(["unavailable", "unavailable"])
    raw.stop()
    expect(performance.now() - started).toBeLessThan(30_000)
  })
})
