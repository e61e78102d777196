/** What a message may hold is judged before any byte of it is stored: every part, in every encoding that mail has. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout } from "bun:test"
import { refusalOfUnread } from "../../../src/contact/mail/refuse-unread.ts"
import { Draw } from "../../fixtures/draw.ts"
import { bytesUnder } from "../../fixtures/kept-bytes.ts"
import { atLength, sample } from "../../fixtures/long.ts"
import type { MadeSecret } from "../../fixtures/private-keys.ts"
import { secretsAnywhere } from "../../fixtures/secrets.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { storedText } from "../../fixtures/stored-text.ts"
import { until } from "../../fixtures/until.ts"
import { type MailService, mailService } from "./mail-service.ts"
import { AGENT, forwarded, HONEST, MESSAGES } from "./messages.ts"
import { PROVIDER, sendIn, written } from "./send-in.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(60_000)

const secrets = secretsAnywhere(new Draw("secrets in mail"))
const refused = async (raw: string) => (await refusalOfUnread(Buffer.from(raw)))?.code ?? null
const codeOf = ({ kind }: MadeSecret) =>
  kind === "ACCESS_TOKEN" ? "CREDENTIAL_REJECTED" : "PRIVATE_KEY_MATERIAL_REJECTED"

describe("a secret is found in", () => {
  test.each(MESSAGES)("%s", async (_, make) => {
    for (const secret of sample(secrets, atLength(20, secrets.length))) {
      const refusal = await refusalOfUnread(Buffer.from(make(secret.text)))
      expect([secret.name, refusal?.code]).toEqual([secret.name, codeOf(secret)])
      expect([secret.name, JSON.stringify(refusal?.context).includes(secret.core)]).toEqual([secret.name, false])
    }
  })
})

test.each(HONEST)("%s is taken", async (_, raw) => {
  expect(await refused(raw)).toBeNull()
})

describe("bank data is found", () => {
  const iban = "DE89370400440532013000"
  test.each([
    ["in prose", written({ from: AGENT, body: `Please pay to ${iban}` })],
    [
      "in the document",
      written({ from: AGENT, body: { intent: "RELEASE_PAYMENT_TO_SUPPLIER", draft_request: { note: iban } } }),
    ],
  ])("%s", async (_, raw) => expect(await refused(raw)).toBe("RAW_BANK_DATA_REJECTED"))
})

test("a message that cannot be searched to its end is refused: parts in parts, messages in messages", async () => {
  const nested = Array.from({ length: 12 }, (_, i) => `Content-Type: multipart/mixed; boundary=B${i}\r\n\r\n--B${i}`)
  expect(await refused(`From: ${AGENT}\r\n${nested.join("\r\n")}\r\n\r\nx`)).toBe("MALFORMED_JSON")
  expect(await refused(forwarded(4, "hello"))).toBeNull()
  expect(await refused(forwarded(5, "hello"))).toBe("MALFORMED_JSON")
})

describe("a message of 256 KiB is searched in time linear in its length", () => {
  test.each(["<", "<b>", "&#x41;", "&", "=?utf-8?B?QQ==?= ", "=?", "\r\n ", "a "])("%j", async (unit) => {
    const milliseconds = async (bytes: number) => {
      const raw = `From: ${AGENT}\r\nContent-Type: text/html\r\n\r\n${unit.repeat(bytes / unit.length)}`
      const start = process.cpuUsage()
      await refused(raw)
      const { user, system } = process.cpuUsage(start)
      return (user + system) / 1_000
    }
    const [small, large] = [await milliseconds(32_768), await milliseconds(262_144)]
    expect(large).toBeLessThan(Math.max(32 * small, 400))
  })
})

describe("over the socket", () => {
  let service: MailService
  beforeAll(async () => {
    service = await mailService()
  })
  afterAll(() => service[Symbol.asyncDispose]())

  const dropped = () => service.logged.filter(({ event }) => event === "mail_dropped").length
  async function expectDropped(raw: string): Promise<void> {
    const before = dropped()
    expect(await sendIn(service.socketPath, raw)).toBe(250)
    await until("a message is dropped", async () => dropped() > before)
  }
  /** Bytes of files, the database, the log and every message that was sent, without what only the sender and this test wrote. */
  const kept = async () =>
    bytesUnder(service.directory) +
    (await storedText(service.database)) +
    JSON.stringify([service.logged, service.sink.mails])

  async function expectNotKept(all: readonly MadeSecret[]): Promise<void> {
    const bytes = await kept()
    for (const { name, core } of all) {
      for (const form of [core, Buffer.from(core).toString("base64").slice(2, -4)]) {
        expect([name, bytes.includes(form)]).toEqual([name, false])
      }
    }
  }

  const sent = sample(secrets, atLength(10, secrets.length))
  /** One test for each secret, because the server takes a tenth of a second for each message. */
  const each = sent.map((secret) => [secret.name, secret] as const)
  test.each(each)("no byte of a secret is stored, logged or sent back: %s", async (_, secret) => {
    for (const [, make] of sample(MESSAGES, atLength(8, MESSAGES.length))) await expectDropped(make(secret.text))
    await service.quiet()
    expect(service.sink.mails.some(({ to }) => to.includes(AGENT))).toBe(true)
    await expectNotKept([secret])
  })

  test("no byte of a secret is there after all of them", () => expectNotKept(sent))

  test("a mailbox that is a token is not stored as the recipient of the refusal", async () => {
    const local = secrets.find(({ name }) => name === "Stripe")?.text ?? ""
    const from = `${local}@other-host.example`
    const before = service.sink.mails.length
    await expectDropped(written({ from, body: {} }))
    await service.quiet()
    const bytes = await kept()
    expect([service.sink.mails.length, bytes.includes(local), bytes.includes(PROVIDER)]).toEqual([before, false, true])
  })
})
