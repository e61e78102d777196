/** A token proves one mailbox for one body, once, for fifteen minutes. No wrong one changes anything. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { expectProblem } from "../../fixtures/problems.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { CHANNEL_PATH, DECISION_PATH, INTENT } from "../contact-service.ts"
import { jsonOf, type MailService, mailService } from "./mail-service.ts"

const test = slowTests(import.meta.path)

let service: MailService
beforeAll(async () => {
  service = await mailService()
})
afterAll(() => service[Symbol.asyncDispose]())

const draft = { intent: INTENT }
let count = 0
const freshMailbox = () => `agent@host-${++count}.example`

async function tokenFor(reply_to: string, body: object = draft): Promise<string> {
  const before = service.sink.mails.length
  expect((await service.post(CHANNEL_PATH, { ...body, reply_to })).status).toBe(202)
  await service.quiet()
  const [mail] = service.sink.mails.slice(before)
  if (!mail) throw new Error("no challenge")
  return String(jsonOf(mail)["email_verification_token"])
}

const present = (reply_to: string, token: string, body: object = draft, path: string = CHANNEL_PATH) =>
  service.post(path, { ...body, reply_to, email_verification_token: token })

async function expectRefused(answer: Response): Promise<string> {
  const { detail } = await expectProblem(answer, 409, "EMAIL_TOKEN_NOT_ACCEPTED")
  return detail
}

const stateOf = (mailbox: string) =>
  service.database.rows("SELECT state FROM email_challenge WHERE mailbox = ? ORDER BY issued_at", mailbox)

describe("a bad token", () => {
  test("used, of another mailbox, of another body, and invented: one refusal, and the right one still counts", async () => {
    const [mine, other] = [freshMailbox(), freshMailbox()]
    const token = await tokenFor(mine)
    const details = [
      await expectRefused(await present(other, token)),
      await expectRefused(await present(mine.toUpperCase().replace("AGENT@HOST", "AGENT@host"), token)),
      await expectRefused(await present(mine, token, { ...draft, draft_request: {} })),
      await expectRefused(await present(mine, "x".repeat(43))),
      await expectRefused(await present(mine, `${token} `)),
    ]
    expect((await present(mine, token)).status).toBe(200)
    details.push(await expectRefused(await present(mine, token)))
    expect(new Set(details).size).toBe(1)
    expect(await stateOf(mine)).toEqual([{ state: "CONSUMED" }])
  })

  test("a thousand wrong ones burn nothing", async () => {
    const mailbox = freshMailbox()
    const token = await tokenFor(mailbox)
    for (let round = 0; round < 10; round++) {
      const answers = await Promise.all(
        Array.from({ length: 100 }, (_, at) => present(mailbox, `${round}-${at}-`.padEnd(43, "w"))),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([409]))
    }
    expect((await present(mailbox, token)).status).toBe(200)
  })

  test("an expired one: a moment before the end counts, the end does not", async () => {
    const start = service.clock.now()
    const [early, late] = [freshMailbox(), freshMailbox()]
    const [inTime, expired] = [await tokenFor(early), await tokenFor(late)]
    service.clock.set(start + 900_000 - 1)
    expect((await present(early, inTime)).status).toBe(200)
    service.clock.set(start + 900_000)
    await expectRefused(await present(late, expired))
    service.clock.set(start)
  })

  test("a superseded one", async () => {
    const mailbox = freshMailbox()
    const [first, second] = [await tokenFor(mailbox), await tokenFor(mailbox)]
    await expectRefused(await present(mailbox, first))
    expect((await present(mailbox, second)).status).toBe(200)
  })
})

test("a hundred at once with one token: one answer", async () => {
  const mailbox = freshMailbox()
  const token = await tokenFor(mailbox)
  const answers = await Promise.all(Array.from({ length: 100 }, () => present(mailbox, token)))
  const counts = Map.groupBy(answers, ({ status }) => status)
  expect([counts.get(200)?.length, counts.get(409)?.length]).toEqual([1, 99])
})

test("the token of one route proves the mailbox on the other, because the body is the same", async () => {
  const mailbox = freshMailbox()
  expect((await present(mailbox, await tokenFor(mailbox), draft, DECISION_PATH)).status).toBe(200)
})

test("two bodies of one mailbox have two open challenges", async () => {
  const mailbox = freshMailbox()
  const other = { ...draft, draft_request: { amount: "1" } }
  const [first, second] = [await tokenFor(mailbox), await tokenFor(mailbox, other)]
  expect((await present(mailbox, first)).status).toBe(200)
  expect((await present(mailbox, second, other)).status).toBe(200)
})

test("the database has no token", async () => {
  const token = await tokenFor(freshMailbox())
  const found = await Promise.all(
    ["email_challenge", "mail_out"].map((table) => service.database.rows(`SELECT * FROM ${table}`)),
  )
  expect(found.map(({ length }) => length > 0)).toEqual([true, true])
  expect(JSON.stringify(found)).not.toContain(token)
})
