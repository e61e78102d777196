/** Contact by e-mail with the program as operators have it. Runs against the compiled file when BIZAUTH_BINARY names it. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { jsonOf } from "../../contact/mail/mail-service.ts"
import { mailSettingsOf } from "../../contact/mail/mail-settings.ts"
import { sendIn, written } from "../../contact/mail/send-in.ts"
import { smtpSink } from "../../contact/mail/smtp-sink.ts"
import { initialised, run, serve } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { until } from "../../fixtures/until.ts"

const INTENT = "RELEASE_PAYMENT_TO_SUPPLIER"
const FROM = "agent@host.example"

test("mail test, then a challenge and the final answer by mail, then a clean end without the socket", async () => {
  using fresh = freshDirectory()
  await using sink = await smtpSink()
  const settings = mailSettingsOf(fresh.path, sink.port)
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value])
  const tested = await run(["mail", "test", FROM, ...flags])
  expect([tested.exit, tested.err]).toEqual([0, ""])
  expect(tested.out).toMatch(/^127\.0\.0\.1:\d+ took the message eml_[A-Za-z0-9_-]{22}\n$/)
  expect(sink.mails.map((mail) => [mail.to, jsonOf(mail)])).toEqual([[[FROM], { type: "svc.acp.mail-test.v1" }]])

  const data = await initialised(fresh.path)
  await using server = await serve(data, flags)
  const body = { intent: INTENT, reply_to: FROM }
  const send = (given: object) => sendIn(settings.mail_in_socket, written({ from: FROM, body: given }))
  await until("the socket is open", () => existsSync(settings.mail_in_socket))
  expect(await send(body)).toBe(250)
  await until("the challenge arrives", () => sink.mails.length === 2)
  const [, challenge] = sink.mails
  const token = challenge && jsonOf(challenge)["email_verification_token"]
  expect(await send({ ...body, email_verification_token: token })).toBe(250)
  await until("the answer arrives", () => sink.mails.length === 3)
  const answer = sink.mails.at(-1)
  const overHttp = await fetch(`${server.origin}/v1/channels/acp/contact`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ intent: INTENT }),
  })
  const { valid_as_of: _mailed, ...mailed } = (answer && jsonOf(answer)) ?? {}
  const { valid_as_of: _fromHttp, ...shown } = (await overHttp.json()) as Record<string, unknown>
  expect(mailed).toEqual(shown)
  expect(shown).toMatchObject({ email_path: { available: true, mailbox: settings.mail_from, token_ttl_seconds: 900 } })
  expect(server.err()).not.toContain("host.example")
  expect(await server.stop()).toBe(0)
  expect(existsSync(settings.mail_in_socket)).toBe(false)
}, 60_000)

test.each([
  ["nothing listens", "smtp://127.0.0.1:1", 4],
  ["mail is off", "", 6],
])("mail test when %s", async (_name, url, exit) => {
  using fresh = freshDirectory()
  const settings = { ...mailSettingsOf(fresh.path, 1), ...(url === "" && { mail: "off" }) }
  const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name.replaceAll("_", "-")}`, value])
  const ran = await run(["mail", "test", FROM, ...flags])
  expect([ran.exit, ran.out]).toEqual([exit, ""])
  expect(ran.err).not.toContain("host.example")
})

test("mail test when the server refuses the recipient, and with two recipients", async () => {
  using fresh = freshDirectory()
  await using sink = await smtpSink()
  sink.refuse = 550
  const flags = Object.entries(mailSettingsOf(fresh.path, sink.port)).flatMap(([name, value]) => [
    `--${name.replaceAll("_", "-")}`,
    value,
  ])
  const refused = await run(["mail", "test", FROM, ...flags])
  expect([refused.exit, refused.err]).toEqual([8, expect.stringContaining("SMTP_550_AT_RCPT_TO")])
  expect((await run(["mail", "test", "a@b.example,c@d.example", ...flags])).exit).toBe(2)
})
