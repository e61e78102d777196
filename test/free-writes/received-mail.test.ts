/** Received messages: one domain does not fill what waits, and an opt-out arrives while the disk is kept for sales. */
import { afterEach, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { receiveMessage } from "../../src/contact/mail/receive.ts"
import { freeWrites } from "../../src/http/free-writes.ts"
import { findContactStop } from "../../src/store/contact/contact-stops.ts"
import { MAIL_WAITING_MAX } from "../../src/store/mail/mail-in.ts"
import { INTENT } from "../contact/contact-service.ts"
import { type MailBench, mailBench } from "../contact/mail/mail-bench.ts"
import { written } from "../contact/mail/send-in.ts"
import { changedCaps } from "../fixtures/free-writes.ts"
import { newDatabase } from "../fixtures/new-store.ts"
import { clockAt } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import type { TestDatabase } from "../fixtures/test-database.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const START = Date.UTC(2026, 10, 23)
let database: TestDatabase
let bench: MailBench
beforeEach(async () => {
  database = await newDatabase()
  bench = await mailBench(database, { smtpPort: 9, machine: clockAt(START) })
})
afterEach(async () => {
  await bench.close()
  await database.close()
})

let serial = 0
const message = (from: string, body: object) =>
  Buffer.from(`${written({ from, body: { ...body, reply_to: from } })}\r\n${" ".repeat(++serial)}`)
const receive = (raw: Uint8Array, given: Partial<MailBench["deps"]> = {}) =>
  receiveMessage({ ...bench.deps, ...given }, raw, false)
const stopOf = (mailbox: string) => bench.deps.store.read(() => findContactStop(mailbox))

test("with its whole share of a day, one domain leaves places for another one, and for what leaves", async () => {
  const receptions: string[] = []
  for (let n = 0; n < MAIL_WAITING_MAX + 50; n++)
    receptions.push(await receive(message(`a${n}@flood.example`, { intent: INTENT })))
  expect(new Set(receptions)).toEqual(new Set(["STORED", "LATER"]))
  expect(await receive(message("b@other.example", { intent: INTENT }))).toBe("STORED")
  expect(await receive(message("c@flood.example", { intent: INTENT }))).toBe("LATER")
  expect(await receive(message("leaver@flood.example", { action: "STOP" }))).toBe("STORED")
  expect(await stopOf("leaver@flood.example")).not.toBeNull()
})

test("when the cap of received messages is used up, an opt-out is recorded at once and takes no row", async () => {
  const caps = changedCaps({ MAILS_RECEIVED: { max: 1 } })
  const given = { freeWrites: freeWrites(() => true, caps) }
  expect(await receive(message("first@host.example", { intent: INTENT }), given)).toBe("STORED")
  expect(await receive(message("second@host.example", { intent: INTENT }), given)).toBe("LATER")
  expect(await receive(message("leaver@host.example", { action: "STOP" }), given)).toBe("STORED")
  expect(await stopOf("leaver@host.example")).not.toBeNull()
  expect(await database.count("mail_in")).toBe(1)
})

test("nobody opts another mailbox out of it so: neither without authentication nor for another mailbox", async () => {
  const given = { freeWrites: freeWrites(() => false) }
  const body = { action: "STOP", reply_to: "victim@host.example" }
  const spoofed = Buffer.from(written({ from: "victim@host.example", body, above: [] }))
  expect(await receive(spoofed, given)).toBe("STORED")
  expect(await receive(Buffer.from(written({ from: "attacker@host.example", body })), given)).toBe("LATER")
  expect(await stopOf("victim@host.example")).toBeNull()
})

test("below the floor an opt-out by mail counts, however long its message is; another message is put off", async () => {
  const given = { freeWrites: freeWrites(() => false) }
  expect(await receive(message("leaver@host.example", { action: "STOP" }), given)).toBe("STORED")
  const long = Buffer.from(
    `${written({ from: "long@host.example", body: { action: "STOP", reply_to: "long@host.example" } })}\r\n${" ".repeat(30_000)}`,
  )
  expect(await receive(long, given)).toBe("STORED")
  expect(await receive(message("caller@host.example", { intent: INTENT }), given)).toBe("LATER")
  expect([await stopOf("leaver@host.example"), await stopOf("long@host.example")]).not.toContain(null)
  expect(await database.count("mail_in")).toBe(0)
})

test("a message of nobody that is authenticated is dropped without a place, and below the floor without a row", async () => {
  const raw = Buffer.from(
    written({ from: "x@host.example", body: { intent: INTENT, reply_to: "x@host.example" }, above: [] }),
  )
  expect(await receive(raw, { freeWrites: freeWrites(() => false) })).toBe("STORED")
  expect(await database.count("mail_in")).toBe(0)
  expect(await receive(raw)).toBe("STORED")
  expect(await database.rows("SELECT state, reason FROM mail_in")).toEqual([
    { state: "DROPPED", reason: "NO_AUTHENTICATION_RESULTS" },
  ])
})
