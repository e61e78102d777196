/** Contact by e-mail from the first message to the final answer, over HTTP and by mail. */
import { afterAll, beforeAll, expect } from "bun:test"
import { digestOf } from "../../../src/core/digest.ts"
import { BASE_URL } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { CHANNEL_PATH, INTENT } from "../contact-service.ts"
import { jsonOf, type MailService, mailService } from "./mail-service.ts"
import { PROVIDER } from "./send-in.ts"

const test = slowTests(import.meta.path)

let service: MailService
beforeAll(async () => {
  service = await mailService()
})
afterAll(() => service[Symbol.asyncDispose]())

const draft = { intent: INTENT, draft_request: { amount: "100.00" } }
const lastTo = (mailbox: string) => service.sink.mails.filter(({ to }) => to.includes(mailbox)).at(-1)

test("over HTTP: a challenge arrives, its token returns the final answer once, and nothing else is mailed", async () => {
  const reply_to = "http@host.example"
  const requested = await service.post(CHANNEL_PATH, { ...draft, reply_to })
  expect(requested.status).toBe(202)
  expect(await requested.json()).toMatchObject({ status: "EMAIL_CHALLENGE_REQUESTED", request_digest: digestOf(draft) })
  await service.quiet()
  const mail = lastTo(reply_to)
  if (!mail) throw new Error("no challenge")
  const challenge = jsonOf(mail)
  expect(challenge).toEqual({
    type: "svc.acp.email-challenge.v1",
    challenge_id: expect.stringMatching(/^eml_[A-Za-z0-9_-]{22}$/),
    request_digest: digestOf(draft),
    email_verification_token: expect.stringMatching(/^[A-Za-z0-9_-]{43}$/),
    issued_at: "2026-11-23T00:00:00.000Z",
    expires_at: "2026-11-23T00:15:00.000Z",
    proves: "MAILBOX_CONTROL_ONLY",
    opt_out: { action: "STOP" },
  })
  expect(mail.from).toBe(PROVIDER)
  expect(mail.raw).toContain("Subject: svc.acp.email-challenge.v1\r\n")
  expect(mail.raw).toContain("Auto-Submitted: auto-generated\r\n")
  expect(mail.raw).toMatch(/^List-Unsubscribe: <mailto:desk@provider\.example\?[^>]*>\r$/m)

  const { email_verification_token } = challenge
  const proved = await service.post(CHANNEL_PATH, { ...draft, reply_to, email_verification_token })
  const plain = await service.post(CHANNEL_PATH, draft)
  expect([proved.status, await proved.text()]).toEqual([200, await plain.text()])
  expect((await service.post(CHANNEL_PATH, { ...draft, reply_to, email_verification_token })).status).toBe(409)
  expect(service.sink.mails.filter(({ to }) => to.includes(reply_to)).length).toBe(1)
})

test("by mail: a challenge, then the final answer as one message", async () => {
  const reply_to = "agent@mail.example"
  expect(await service.mailIn({ from: reply_to, body: { ...draft, reply_to } })).toBe("CHALLENGED")
  await service.quiet()
  const challenged = lastTo(reply_to)
  if (!challenged) throw new Error("no challenge")
  expect(challenged.from).toBe("")
  expect(challenged.raw).toContain("Auto-Submitted: auto-replied\r\n")
  const { email_verification_token } = jsonOf(challenged)
  const body = { ...draft, reply_to, email_verification_token }
  expect(await service.mailIn({ from: reply_to, body })).toBe("TOKEN_PRESENTED")
  await service.quiet()
  const mail = lastTo(reply_to)
  if (!mail) throw new Error("no answer")
  expect(jsonOf(mail)).toEqual((await (await service.post(CHANNEL_PATH, draft)).json()) as Record<string, unknown>)
  expect([mail.from, mail.to]).toEqual(["", [reply_to]])
  expect(mail.raw).toContain("Subject: svc.acp.contact.v1\r\n")
  expect(service.sink.mails.filter(({ to }) => to.includes(reply_to)).length).toBe(2)
})

test("nothing of a mailbox, a token or a body is in the log, and no sent text is kept", async () => {
  const logged = JSON.stringify(service.logged)
  expect(logged).not.toMatch(/host\.example|mail\.example|100\.00/)
  expect(await service.database.rows("SELECT * FROM mail_out WHERE raw IS NOT NULL")).toEqual([])
  expect(await service.database.rows("SELECT * FROM mail_in WHERE raw IS NOT NULL")).toEqual([])
})

test("the channel contact-mailbox is served", async () => {
  const answer = await service.send(new Request(`${BASE_URL}/v1/agent-mode/sales/multichannel/status`))
  const { channels } = (await answer.json()) as { channels: { channel_id: string; state: string }[] }
  expect(channels.find(({ channel_id }) => channel_id === "contact-mailbox")?.state).toBe("ACTIVE")
})
