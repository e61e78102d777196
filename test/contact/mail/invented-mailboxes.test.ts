/** Asking for mail to invented mailboxes does not use up the messages of others. */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { CHANNEL_PATH, INTENT } from "../contact-service.ts"
import { type MailService, mailService } from "./mail-service.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const from = (address: string) => ({ "x-forwarded-for": address })

let service: MailService
beforeAll(async () => {
  service = await mailService()
})
afterAll(() => service[Symbol.asyncDispose]())

test("500 mailboxes invented at one address leave a message for a mailbox that another address names", async () => {
  const answers = await Promise.all(
    Array.from({ length: 500 }, (_, at) =>
      service.post(CHANNEL_PATH, { intent: INTENT, reply_to: `agent@invented-${at}.example` }, from("203.0.113.1")),
    ),
  )
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([202, 429]))
  const answer = await service.post(
    CHANNEL_PATH,
    { intent: INTENT, reply_to: "real@host.example" },
    from("198.51.100.7"),
  )
  await service.quiet()
  expect([answer.status, service.sink.mails.filter(({ to }) => to.includes("real@host.example")).length]).toEqual([
    202, 1,
  ])
})
