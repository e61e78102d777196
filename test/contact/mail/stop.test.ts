/** STOP by mail and over HTTP: before, between and after. */
import { afterAll, beforeAll, expect } from "bun:test"
import { MINUTE, SECOND } from "../../../src/core/time.ts"
import { findContactStop, STOPS_UNPROVED_MAX } from "../../../src/store/contact/contact-stops.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { until } from "../../fixtures/until.ts"
import { CHANNEL_PATH, INTENT } from "../contact-service.ts"
import { jsonOf, type MailService, mailService } from "./mail-service.ts"
import { written } from "./send-in.ts"

const test = slowTests(import.meta.path)

let service: MailService
beforeAll(async () => {
  service = await mailService()
})
afterAll(() => service[Symbol.asyncDispose]())

const ask = (reply_to: string) => service.post(CHANNEL_PATH, { intent: INTENT, reply_to })
const stop = (reply_to: string) => service.post(CHANNEL_PATH, { action: "STOP", reply_to })
const stoppedAt = (mailbox: string) => service.service.store.read(() => findContactStop(mailbox))
const mailsTo = (mailbox: string) => service.sink.mails.filter(({ to }) => to.includes(mailbox))
const later = (ms: number) => service.clock.set(service.clock.now() + ms)
const stateOf = async (mailbox: string) => {
  const mails = await service.database.rows<{ state: string }>("SELECT state FROM mail_out WHERE mailbox = ?", mailbox)
  return mails.map(({ state }) => state)
}

test("before: no message goes out", async () => {
  await stop("before@host.example")
  expect((await ask("Before@host.example")).status).toBe(202)
  await service.quiet()
  expect(mailsTo("Before@host.example")).toEqual([])
})

test("between queueing and sending: the queued message ends", async () => {
  const mailbox = "between@host.example"
  service.sink.refuse = 450
  await ask(mailbox)
  await until("one attempt", () => service.logged.some(({ event }) => event === "mail_not_sent"))
  await stop(mailbox)
  service.sink.refuse = null
  later(10 * SECOND)
  await service.quiet()
  expect([mailsTo(mailbox), await stateOf(mailbox)]).toEqual([[], ["STOPPED"]])
})

test("after: the token that was sent still gives the reply over HTTP", async () => {
  const mailbox = "after@host.example"
  await ask(mailbox)
  await service.quiet()
  const [mail] = mailsTo(mailbox)
  await stop(mailbox)
  const email_verification_token = mail && jsonOf(mail)["email_verification_token"]
  const answer = await service.post(CHANNEL_PATH, { intent: INTENT, reply_to: mailbox, email_verification_token })
  expect(answer.status).toBe(200)
})

test("by mail: recorded without a reply; a later contact message lifts it, and a later STOP counts again", async () => {
  const from = "mail@host.example"
  expect(await service.mailIn({ from, body: { action: "STOP", reply_to: from } })).toBe("STOPPED")
  expect(await stoppedAt(from)).not.toBeNull()
  await service.quiet()
  expect(mailsTo(from)).toEqual([])
  await ask(from)
  await service.quiet()
  expect(mailsTo(from)).toEqual([])

  later(MINUTE)
  expect(await service.mailIn({ from, body: { intent: INTENT, reply_to: from } })).toBe("CHALLENGED")
  await service.quiet()
  expect([await stoppedAt(from), mailsTo(from).length]).toEqual([null, 1])

  later(MINUTE)
  expect(await service.mailIn({ from, body: { action: "STOP", reply_to: from } })).toBe("STOPPED")
  expect(await stoppedAt(from)).toBe(new Date(service.clock.now()).toISOString())
  await ask(from)
  await service.quiet()
  expect(mailsTo(from).length).toBe(1)
})

test("STOP over HTTP is lifted by an authenticated message, not by a spoofed or a faulty one", async () => {
  const from = "http@host.example"
  await stop(from)
  later(MINUTE)
  expect(await service.mailIn({ from, body: { intent: INTENT, reply_to: from }, above: [] })).toBe(
    "NO_AUTHENTICATION_RESULTS",
  )
  expect(await service.mailIn({ from, body: { intent: "OTHER", reply_to: from } })).toBe("INTENT_UNSUPPORTED")
  await service.quiet()
  expect([(await stoppedAt(from)) === null, mailsTo(from)]).toEqual([false, []])
  expect(await service.mailIn({ from, body: { intent: INTENT, reply_to: from } })).toBe("CHALLENGED")
  await service.quiet()
  expect([await stoppedAt(from), mailsTo(from).length]).toEqual([null, 1])
})

test("a contact message that arrived before STOP does not lift it", async () => {
  const from = "late@host.example"
  await stop(from)
  const raw = Buffer.from(written({ from, body: { intent: INTENT, reply_to: from } }))
  const before = new Date(service.clock.now() - 1).toISOString()
  await service.database.write(
    "INSERT INTO mail_in (id, raw, received_at, state, attempts, look_at) VALUES ('eml_late', ?1, ?2, 'RECEIVED', 0, ?2)",
    raw,
    before,
  )
  await service.quiet()
  expect([(await stoppedAt(from)) === null, mailsTo(from), await stateOf(from)]).toEqual([false, [], ["STOPPED"]])
})

test("nobody opts another mailbox out by mail", async () => {
  const from = "attacker@host.example"
  const body = { action: "STOP", reply_to: "victim@host.example" }
  expect(await service.mailIn({ from, body })).toBe("MAILBOX_INVALID")
  expect(await service.mailIn({ from: "victim@host.example", body, above: [] })).toBe("NO_AUTHENTICATION_RESULTS")
  expect(await stoppedAt("victim@host.example")).toBeNull()
})

test("a full table of opt-outs over HTTP does not end contact by mail", async () => {
  await service.database.write(
    `INSERT INTO contact_stop (mailbox, domain, stopped_at, source)
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
       SELECT 'invented-' || i || '@x.example', 'x.example', '', 'UNPROVED' FROM n`,
    STOPS_UNPROVED_MAX,
  )
  await service.database.write(
    "UPDATE contact_stop_count SET stops = stops + ? WHERE source = 'UNPROVED'",
    STOPS_UNPROVED_MAX,
  )
  expect((await stop("one-more@host.example")).status).toBe(200)
  expect((await ask("full@host.example")).status).toBe(202)
  await service.quiet()
  expect([mailsTo("full@host.example").length, await stateOf("full@host.example")]).toEqual([1, ["SENT"]])
  expect(await stoppedAt("one-more@host.example")).not.toBeNull()
})
