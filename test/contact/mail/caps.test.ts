/** Limits of a day, and the reply that does not tell them. */
import { afterAll, beforeAll, beforeEach, expect, setDefaultTimeout } from "bun:test"
import { DAY } from "../../../src/core/time.ts"
import { SHARED_CAPS } from "../../../src/store/free-writes/shared-caps.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { CHANNEL_PATH, INTENT } from "../contact-service.ts"
import { type MailService, mailService } from "./mail-service.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

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

const ask = (reply_to: string, address?: string) =>
  service.post(CHANNEL_PATH, { intent: INTENT, reply_to }, address === undefined ? {} : { "x-forwarded-for": address })
const stop = (reply_to: string) => service.post(CHANNEL_PATH, { action: "STOP", reply_to })

async function sentAfter(asking: () => Promise<void>): Promise<number> {
  const before = service.sink.mails.length
  await asking()
  await service.quiet()
  return service.sink.mails.length - before
}

test(`a mailbox gets ${SHARED_CAPS.MAILS_TO_DOMAIN.ofMailbox} messages a UTC day, in any case of its letters`, async () => {
  const sent = await sentAfter(async () => {
    for (const mailbox of ["a@one.example", "A@one.example", "a@ONE.example", "a@one.example", "A@One.Example"]) {
      expect((await ask(mailbox)).status).toBe(202)
      await service.quiet()
    }
  })
  expect(sent).toBe(3)
  service.clock.set(day + DAY - 1)
  expect(await sentAfter(async () => void (await ask("a@one.example")))).toBe(0)
  service.clock.set(day + DAY)
  expect(await sentAfter(async () => void (await ask("a@one.example")))).toBe(1)
  day += DAY
})

test(`a domain gets ${SHARED_CAPS.MAILS_TO_DOMAIN.max}`, async () => {
  const sent = await sentAfter(async () => {
    await Promise.all(Array.from({ length: 25 }, (_, at) => ask(`agent-${at}@many.example`)))
  })
  expect(sent).toBe(20)
})

test("one address gets three messages to the mailboxes of one domain, and others get theirs", async () => {
  const sent = await sentAfter(async () => {
    for (let at = 0; at < 5; at++) expect((await ask(`agent-${at}@split.example`, "203.0.113.1")).status).toBe(202)
  })
  expect(sent).toBe(3)
  expect(await sentAfter(async () => void (await ask("agent@split.example", "203.0.113.2")))).toBe(1)
})

test(`all together get ${SHARED_CAPS.MAILS_OVER_HTTP.max} over HTTP; received messages have their own`, async () => {
  const statuses: number[] = []
  const sent = await sentAfter(async () => {
    const answers = await Promise.all(Array.from({ length: 520 }, (_, at) => ask(`agent@domain-${at}.example`)))
    statuses.push(...answers.map(({ status }) => status))
  })
  expect([sent, statuses.filter((status) => status === 429).length]).toEqual([500, 20])
  const from = "faulty@first.example"
  expect(await sentAfter(async () => void (await service.mailIn({ from, body: "no json" })))).toBe(1)
})

test("a mailbox gets three fault messages a day, however many it sends", async () => {
  const from = "faulty@fourth.example"
  const sent = await sentAfter(async () => {
    for (let at = 0; at < 5; at++) expect(await service.mailIn({ from, body: "{}" })).toBe("SCHEMA_INVALID")
  })
  expect(sent).toBe(3)
})

test("unknown, known, suppressed and capped mailboxes get the same bytes and header fields", async () => {
  await stop("suppressed@same.example")
  await ask("known@same.example")
  for (let at = 0; at < 4; at++) await ask("capped@same.example")
  const replies = await Promise.all(
    ["unknown", "known", "suppressed", "capped"].map(async (name) => {
      const answer = await ask(`${name}@same.example`)
      const fields = [...answer.headers].filter(([field]) => field !== "x-request-id" && field !== "date")
      return JSON.stringify([answer.status, fields, await answer.text()])
    }),
  )
  expect(new Set(replies).size).toBe(1)
  expect(replies[0]).toContain("EMAIL_CHALLENGE_REQUESTED")
})

test("a suppressed mailbox causes the same rows as another one", async () => {
  await stop("quiet@rows.example")
  await ask("quiet@rows.example")
  await ask("loud@rows.example")
  await service.quiet()
  const kept = await service.database.rows<{ mailbox: string; state: string; raw: null }>(
    "SELECT mailbox, state, raw FROM mail_out WHERE mailbox LIKE '%@rows.example' ORDER BY mailbox",
  )
  expect(kept).toEqual([
    { mailbox: "loud@rows.example", state: "SENT", raw: null },
    { mailbox: "quiet@rows.example", state: "STOPPED", raw: null },
  ])
  expect(await service.database.count("email_challenge", "mailbox LIKE '%@rows.example'")).toBe(2)
})
