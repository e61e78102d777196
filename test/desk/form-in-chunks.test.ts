/** A form that states no length is read up to the limit of its page, whoever sends it. */
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { connect } from "node:net"
import type { Reviewer } from "../fixtures/desk.ts"
import { type JudgedDesk, openJudgedDesk } from "../fixtures/judged-desk.ts"

setDefaultTimeout(120_000)

let own: JudgedDesk
let ann: Reviewer
beforeAll(async () => {
  own = await openJudgedDesk()
  ann = await own.desk.reviewer("Ann")
})
afterAll(() => own[Symbol.asyncDispose]())

/** The first line of what the desk answers to a form of 1 MiB whose end is never sent. */
function answerTo(path: string, cookie: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const socket = connect(own.desk.port, "127.0.0.1")
  socket.once("data", (bytes) => resolve(bytes.toString().split("\r\n", 1)[0] ?? ""))
  // The desk may close before it has taken all chunks.
  socket.on("error", () => {})
  const timer = setTimeout(() => reject(new Error("no answer")), 5_000)
  const { host } = new URL(own.desk.origin)
  const type = "content-type: application/x-www-form-urlencoded"
  const head = [`POST ${path} HTTP/1.1`, `host: ${host}`, `origin: ${own.desk.origin}`, type, `cookie: ${cookie}`]
  socket.write(`${head.join("\r\n")}\r\ntransfer-encoding: chunked\r\n\r\n`)
  for (let sent = 0; sent < 16; sent++) socket.write(`10000\r\n${"a".repeat(65_536)}\r\n`)
  return promise.finally(() => {
    clearTimeout(timer)
    socket.destroy()
  })
}

test.each([
  ["/enter", () => ""],
  ["/cases/1/close", () => `__Host-desk=${ann.session}`],
])("a form to %s without a length ends where it is too large", async (path, cookie) => {
  expect(await answerTo(path, cookie())).toBe("HTTP/1.1 413 Payload Too Large")
  expect((await ann.get("/")).status).toBe(200)
})
