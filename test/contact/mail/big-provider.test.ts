/** A flood of one large mail domain takes nothing from a mailbox of it that writes itself, proves itself or leaves. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { DAY, MINUTE } from "../../../src/core/time.ts"
import { findContactStop } from "../../../src/store/contact/contact-stops.ts"
import { SHARED_CAPS } from "../../../src/store/free-writes/shared-caps.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { CHANNEL_PATH, INTENT } from "../contact-service.ts"
import { jsonOf, type MailService, mailService } from "./mail-service.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const BIG = "big.example"
let service: MailService
let day = Date.UTC(2026, 10, 23)
beforeAll(async () => {
  service = await mailService()
})
afterAll(() => service[Symbol.asyncDispose]())
beforeEach(() => {
  day += DAY
  service.clock.set(day)
})

const ask = (reply_to: string, address: string, more: object = {}) =>
  service.post(CHANNEL_PATH, { intent: INTENT, reply_to, ...more }, { "x-forwarded-for": address })
const mailsTo = (mailbox: string) => service.sink.mails.filter(({ to }) => to.includes(mailbox))

/** 200 addresses name two hundred mailboxes of the domain. */
async function flood(): Promise<void> {
  const before = service.sink.mails.length
  await Promise.all(Array.from({ length: 200 }, (_, at) => ask(`flood-${at}@${BIG}`, `203.0.113.${at}`)))
  await service.quiet()
  expect(service.sink.mails.length - before).toBe(SHARED_CAPS.MAILS_TO_DOMAIN.max)
  const more = `one-more-${day}@${BIG}`
  await ask(more, "198.51.100.1")
  await service.quiet()
  expect(mailsTo(more)).toEqual([])
}

test("200 addresses use up the messages to a domain: a mailbox of it that writes gets its challenge and its reply", async () => {
  await flood()
  for (const from of ["first", "second", "third", "fourth"].map((name) => `${name}@${BIG}`)) {
    expect(await service.mailIn({ from, body: { intent: INTENT, reply_to: from } })).toBe("CHALLENGED")
    await service.quiet()
    const [challenge] = mailsTo(from)
    if (!challenge) throw new Error(`no challenge came to ${from}`)
    const { email_verification_token } = jsonOf(challenge)
    const proof = { intent: INTENT, reply_to: from, email_verification_token }
    expect(await service.mailIn({ from, body: proof })).toBe("TOKEN_PRESENTED")
    await service.quiet()
    expect(mailsTo(from).length).toBe(2)
  }
})

test("a mailbox of it whose three messages strangers used up still writes itself", async () => {
  const from = `named@${BIG}`
  for (let at = 0; at < 4; at++) {
    await ask(from, `203.0.113.${at}`)
    await service.quiet()
  }
  expect(mailsTo(from).length).toBe(3)
  expect(await service.mailIn({ from, body: { intent: INTENT, reply_to: from } })).toBe("CHALLENGED")
  await service.quiet()
  expect(mailsTo(from).length).toBe(4)
})

test("it also leaves, by mail and over HTTP, and contact over HTTP is complete without a mailbox", async () => {
  await flood()
  service.clock.set(day + MINUTE)
  const leaver = `leaver@${BIG}`
  expect(await service.mailIn({ from: leaver, body: { action: "STOP", reply_to: leaver } })).toBe("STOPPED")
  const other = `other@${BIG}`
  const stop = { action: "STOP", reply_to: other }
  expect((await service.post(CHANNEL_PATH, stop, { "x-forwarded-for": "198.51.100.9" })).status).toBe(200)
  for (const mailbox of [leaver, other]) {
    expect(await service.service.store.read(() => findContactStop(mailbox))).not.toBeNull()
  }
  const direct = await service.post(CHANNEL_PATH, { intent: INTENT }, { "x-forwarded-for": "198.51.100.9" })
  expect(direct.status).toBe(200)
})

test("one mailbox that writes 12 times gets three messages, and leaves the others of its domain theirs", async () => {
  const from = `loud@${BIG}`
  for (let at = 0; at < 12; at++) await service.mailIn({ from, body: { intent: INTENT, reply_to: from } })
  await service.quiet()
  expect(mailsTo(from).length).toBe(3)
  const quiet = `quiet@${BIG}`
  await service.mailIn({ from: quiet, body: { intent: INTENT, reply_to: quiet } })
  await service.quiet()
  expect(mailsTo(quiet).length).toBe(1)
})
