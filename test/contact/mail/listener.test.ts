/** The listener: one mailbox, a size, a number of connections, a private socket, and 250 only for what is on disk. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { existsSync, readdirSync, statSync } from "node:fs"
import net from "node:net"
import { dirname, join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { SocketPlaceError } from "../../../src/base/unix-socket.ts"
import { CONNECTIONS_MAX, listenForMail, MESSAGE_BYTES_MAX } from "../../../src/contact/mail/smtp-listener.ts"
import { MAIL_WAITING_MAX } from "../../../src/store/mail/mail-in.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { until } from "../../fixtures/until.ts"
import { INTENT } from "../contact-service.ts"
import { type MailService, mailService } from "./mail-service.ts"
import { PROVIDER, passFor, sendIn, written } from "./send-in.ts"

const test = slowTests(import.meta.path)

let service: MailService
beforeAll(async () => {
  service = await mailService()
})
afterAll(() => service[Symbol.asyncDispose]())

const from = "agent@host.example"
const raw = (id: string) => written({ from, body: { action: "STOP", reply_to: from }, messageId: `<${id}@x.example>` })
const into = (text: string | Buffer, envelope = {}) => sendIn(service.socketPath, text, envelope)
const stored = () => service.database.count("mail_in")

test("its socket is this user's alone", () => {
  expect((statSync(service.socketPath).mode & 0o777).toString(8)).toBe("600")
  // No folder in which the socket was made.
  expect(readdirSync(dirname(service.socketPath)).filter((name) => name.startsWith("."))).toEqual([])
})

test("550 for another recipient, and for several", async () => {
  const before = await stored()
  for (const to of ["other@provider.example", "desk@other.example", `"desk"@provider.example`]) {
    expect(await into(raw("other"), { to })).toBe(550)
  }
  expect(await stored()).toBe(before)
})

test("a message of the largest size is stored; one byte more gets 552", async () => {
  const empty = `${raw("large")}X`
  const filled = (bytes: number) => `${empty}${"y".repeat(bytes - Buffer.byteLength(empty) - 2)}\r\n`
  const before = await stored()
  expect(await into(filled(MESSAGE_BYTES_MAX + 1))).toBe(552)
  expect(await stored()).toBe(before)
  expect(await into(filled(MESSAGE_BYTES_MAX))).toBe(250)
  expect(await stored()).toBe(before + 1)
})

test("the same message twice is stored once; the same Message-ID with other bytes is another message", async () => {
  const before = await stored()
  expect([await into(raw("twice")), await into(raw("twice"))]).toEqual([250, 250])
  expect(await stored()).toBe(before + 1)
  expect(await into(`${raw("twice")}.\r\n`)).toBe(250)
  expect(await stored()).toBe(before + 2)
})

test("a bounce is taken and dropped", async () => {
  expect(await into(raw("bounce"), { from: false })).toBe(250)
  expect(await service.database.rows("SELECT raw FROM mail_in WHERE reason = 'NULL_SENDER'")).toEqual([{ raw: null }])
  expect(service.logged.at(-1)).toMatchObject({ event: "mail_dropped", code: "NULL_SENDER" })
})

test("452 while as many messages as may wait do, and an opt-out is taken", async () => {
  const asking = written({ from, body: { intent: INTENT, reply_to: from }, messageId: "<asking@x.example>" })
  const far = "2026-11-23T01:00:00.000Z"
  await service.database.write(
    `INSERT INTO mail_in (id, raw, received_at, state, attempts, look_at)
     WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < ${MAIL_WAITING_MAX})
     SELECT 'fill-' || n, ?1, '2026-11-23T00:00:00.000Z', 'RECEIVED', 0, '${far}' FROM c`,
    Uint8Array.of(0),
  )
  expect([await into(asking), await into(raw("full"))]).toEqual([452, 250])
  await service.database.write("DELETE FROM mail_in WHERE id LIKE 'fill-%'")
  expect(await into(asking)).toBe(250)
})

test("421 for one connection too many, and room again when one ends", async () => {
  const sockets = await Promise.all(Array.from({ length: CONNECTIONS_MAX }, () => connected(service.socketPath)))
  expect(await into(raw("crowd"))).toBe(421)
  for (const socket of sockets) socket.destroy()
  await until("there is room", async () => (await into(raw("crowd"))) === 250)
})

test("STARTTLS and AUTH are not offered", async () => {
  const socket = await connected(service.socketPath)
  let text = ""
  socket.on("data", (chunk) => {
    text += chunk.toString()
  })
  socket.write("EHLO x\r\nAUTH PLAIN AAAA\r\nSTARTTLS\r\nQUIT\r\n")
  await until("the server hangs up", () => socket.destroyed || socket.readableEnded)
  expect(text).not.toMatch(/^250[ -](AUTH|STARTTLS)/m)
  expect(text.match(/^5\d\d/gm)?.length).toBe(2)
})

describe("alone", () => {
  const listening = (socketPath: string, receive: Parameters<typeof listenForMail>[0]["receive"]) =>
    listenForMail({
      mailbox: PROVIDER,
      socketPath,
      machine: realMachine,
      receive,
      onError: (error) => faults.push(error),
    })
  const faults: unknown[] = []

  test("451 when the message cannot be stored", async () => {
    using fresh = freshDirectory()
    const path = join(fresh.path, "s")
    const listener = await listening(path, () => Promise.reject(new Error("disk full")))
    expect(await sendIn(path, raw("disk"))).toBe(451)
    expect(faults).toEqual([new Error("disk full")])
    await listener.close()
    expect(existsSync(path)).toBe(false)
  })

  test("a second listener never takes the path of one that listens, and gets it after its end", async () => {
    using fresh = freshDirectory()
    const path = join(fresh.path, "s")
    const got: number[] = []
    const begin = (name: number) =>
      listening(path, async () => {
        got.push(name)
        return "STORED"
      })
    const first = await begin(1)
    await expect(begin(2)).rejects.toBeInstanceOf(SocketPlaceError)
    expect(await sendIn(path, raw("first"))).toBe(250)
    await first.close()
    const second = await begin(2)
    expect(await sendIn(path, raw("second"))).toBe(250)
    expect(got).toEqual([1, 2])
    await second.close()
    expect(readdirSync(fresh.path)).toEqual([])
  })

  test("a connection that trickles ends after two minutes", async () => {
    using fresh = freshDirectory()
    const path = join(fresh.path, "s")
    const timers: (() => void)[] = []
    const machine = {
      after: (_ms: number, callback: () => void) => {
        timers.push(callback)
        return () => {}
      },
    }
    const onError = () => {}
    const listener = await listenForMail({
      mailbox: PROVIDER,
      socketPath: path,
      machine,
      receive: async () => "STORED",
      onError,
    })
    const socket = await connected(path)
    socket.resume()
    await until("the timer is set", () => timers.length === 1)
    timers[0]?.()
    await until("it ends", () => socket.destroyed || socket.readableEnded)
    await listener.close()
  })

  test("a folder that is not there is a fault of the operating system", async () => {
    await expect(listening("/nonexistent/folder/s", async () => "STORED")).rejects.toMatchObject({ code: "ENOENT" })
  })
})

test("what the answers to hostile messages say is never the caller's text", async () => {
  const marker = "zq7marker"
  const mailbox = `agent@${"hostile"}.example`
  const bodies = [
    `{"${marker}":1}`,
    { intent: INTENT, reply_to: mailbox, [marker]: 1 },
    { intent: INTENT, reply_to: mailbox, draft_request: { [marker]: { kty: "OKP", d: "x" } } },
    { intent: marker, reply_to: mailbox },
    marker,
  ]
  let at = 0
  for (const body of bodies) {
    service.clock.set(service.clock.now() + 86_400_000 / 2)
    await service.mailIn({ from: mailbox, body, above: [passFor(mailbox)], messageId: `<${marker}-${at++}@x.example>` })
    await service.quiet()
  }
  const sent = service.sink.mails.filter(({ to }) => to.includes(mailbox))
  expect(sent.length).toBe(bodies.length)
  expect(JSON.stringify(sent)).not.toContain(marker)
  expect(JSON.stringify(service.logged)).not.toContain(marker)
})

function connected(path: string): Promise<net.Socket> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(path)
    socket.once("error", reject)
    socket.once("data", () => resolve(socket))
  })
}
