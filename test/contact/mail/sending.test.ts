/** The SMTP server is away, busy, refuses, hangs up or stays silent: what is tried again, and what ends. */

import { afterEach, beforeEach, expect, spyOn } from "bun:test"
import { purgeExpired } from "../../../src/agent-mode/purge-expired.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { emailPath } from "../../../src/contact/mail/challenge.ts"
import { MAIL_HANDOVER_MS, MAIL_LEASE_MS } from "../../../src/contact/mail/deps.ts"
import { receiveMessage } from "../../../src/contact/mail/receive.ts"
import { handleRound, pauseAfter, sendRound } from "../../../src/contact/mail/rounds.ts"
import { sendMail } from "../../../src/contact/mail/smtp-client.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, HOUR, MINUTE, SECOND } from "../../../src/core/time.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import { freeWriter } from "../../fixtures/free-writes.ts"
import { newDatabase } from "../../fixtures/new-store.ts"
import { clockAt } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import type { TestDatabase } from "../../fixtures/test-database.ts"
import { INTENT } from "../contact-service.ts"
import { type MailBench, mailBench } from "./mail-bench.ts"
import { jsonOf } from "./mail-service.ts"
import { written } from "./send-in.ts"
import { type SmtpSink, smtpSink } from "./smtp-sink.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 10, 23)
const FROM = "agent@host.example"
let database: TestDatabase
let sink: SmtpSink
let bench: MailBench
let clock: ReturnType<typeof clockAt>
const opened: MailBench[] = []

const open = async (smtpPort: number, owner?: string) => {
  const one = await mailBench(database, { smtpPort, machine: clock, ...(owner && { owner }) })
  opened.push(one)
  return one
}
beforeEach(async () => {
  database = await newDatabase()
  sink = await smtpSink()
  clock = clockAt(START)
  bench = await open(sink.port)
})
afterEach(async () => {
  for (const one of opened.splice(0)) await one.close()
  await sink[Symbol.asyncDispose]()
  await database.close()
})

const ask = (mailbox = FROM) => emailPath(bench.deps).askForProof(mailbox, digestOf({}), freeWriter(clock.now()))
const later = (ms: number) => clock.set(clock.now() + ms)

interface Kept {
  readonly state: string
  readonly reason: string | null
  readonly attempts: number
  readonly look_at: string | null
  readonly raw: string | null
}
const kept = () => database.row<Kept>("SELECT state, reason, attempts, look_at, raw FROM mail_out")

/** Until nothing is planned any more. Returns the milliseconds after the start at which it ended. */
async function runOut(): Promise<number> {
  for (;;) {
    await sendRound(bench.deps)
    const lookAt = (await kept())?.look_at
    if (!lookAt) return clock.now() - START
    clock.set(Math.max(clock.now(), Date.parse(lookAt)))
  }
}

test("the pauses grow to an hour", () => {
  expect([1, 2, 3, 4, 9].map(pauseAfter)).toEqual([5_000, 15_000, 45_000, 135_000, HOUR])
})

test("away: tried until the challenge expires, and its text is forgotten", async () => {
  bench = await open(1)
  await ask()
  await sendRound(bench.deps)
  expect(await kept()).toMatchObject({ state: "QUEUED", reason: "ESOCKET_AT_CONN", attempts: 1 })
  const end = await runOut()
  expect(await kept()).toMatchObject({ state: "EXPIRED", raw: null })
  expect(end).toBeLessThanOrEqual(15 * MINUTE)
  expect((await kept())?.attempts).toBe(6)
})

test("busy: a 4xx is tried again and then taken", async () => {
  sink.refuse = 451
  await ask()
  await sendRound(bench.deps)
  expect(await kept()).toMatchObject({ state: "QUEUED", reason: "SMTP_451_AT_RCPT_TO" })
  expect(await sendRound(bench.deps)).toBe(0)
  sink.refuse = null
  later(5 * SECOND)
  await sendRound(bench.deps)
  expect([sink.mails.length, await kept()]).toMatchObject([1, { state: "SENT", raw: null, attempts: 2 }])
})

test("refused: a 5xx ends the message at once", async () => {
  sink.refuse = 550
  await ask()
  await sendRound(bench.deps)
  expect(await kept()).toMatchObject({ state: "FAILED", reason: "SMTP_550_AT_RCPT_TO", raw: null, look_at: null })
})

test("cut after the message, before the reply: sent again with the same Message-ID", async () => {
  sink.cut = true
  await ask()
  await sendRound(bench.deps)
  expect(await kept()).toMatchObject({ state: "QUEUED", attempts: 1 })
  sink.cut = false
  later(5 * SECOND)
  await sendRound(bench.deps)
  const ids = sink.mails.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1])
  expect([ids.length, new Set(ids).size, (await kept())?.state]).toEqual([2, 1, "SENT"])
})

test("silent: an attempt ends after a minute, within the lease", async () => {
  expect(MAIL_LEASE_MS).toBeGreaterThan(MINUTE)
  const timers: { readonly ms: number; readonly callback: () => void }[] = []
  const after = (ms: number, callback: () => void) => {
    timers.push({ ms, callback })
    return () => {}
  }
  sink.onMessage = () => {
    expect(timers.map(({ ms }) => ms)).toEqual([MINUTE])
    timers[0]?.callback()
    return new Promise(() => {})
  }
  const { smtp } = bench.deps.settings
  const sent = await sendMail(smtp, { from: null, to: FROM }, "Subject: x\r\n\r\nx", { after })
  expect(sent).toEqual({ outcome: "NOT_SENT", code: "ETIMEDOUT" })
})

test("a stop of the service cuts an attempt that takes too long; the message stays queued", async () => {
  const stopped = new AbortController()
  await ask()
  sink.onMessage = () => {
    stopped.abort()
    return new Promise(() => {})
  }
  await sendRound({ ...bench.deps, signal: stopped.signal })
  expect(await kept()).toMatchObject({ state: "QUEUED", reason: "SERVICE_STOPS" })
  sink.mails.length = 0
  await sendMail(bench.deps.settings.smtp, { from: null, to: FROM }, "x", { ...realMachine, signal: stopped.signal })
  expect(sink.mails).toEqual([])
})

test("a password that is wrong is the operator's to repair: tried again, not ended", async () => {
  await using guarded = await smtpSink({ user: "u", pass: "p" })
  const smtp = { ...bench.deps.settings.smtp, port: guarded.port }
  const send = (pass: string) =>
    sendMail(
      { ...smtp, credentials: { user: "u", pass } },
      { from: null, to: FROM },
      "Subject: x\r\n\r\nx",
      realMachine,
    )
  expect(await send("wrong")).toEqual({ outcome: "NOT_SENT", code: "SMTP_535_AT_AUTH" })
  expect(await send("p")).toEqual({ outcome: "SENT" })
  expect(guarded.mails.length).toBe(1)
})

test("without STARTTLS nothing is sent to a server that needs it", async () => {
  const smtp = { ...bench.deps.settings.smtp, needsStartTls: true }
  const sent = await sendMail(smtp, { from: null, to: FROM }, "Subject: x\r\n\r\nx", realMachine)
  expect([sent.outcome, sink.mails]).toEqual(["NOT_SENT", []])
})

test("a reply is tried for a day", async () => {
  const raw = Buffer.from(written({ from: FROM, body: "{}" }))
  await receiveMessage(bench.deps, raw, false)
  await handleRound(bench.deps)
  sink.refuse = 451
  const end = await runOut()
  expect([end > 22 * HOUR, end <= DAY, (await kept())?.state]).toEqual([true, true, "EXPIRED"])
  sink.refuse = null
})

test("a process that lost its lease does not send, and cannot end what another one has", async () => {
  await ask()
  const other = await open(sink.port, "other")
  sink.onMessage = async () => {
    sink.onMessage = () => {}
    // While the first one waits for the reply, its lease ends and the other one takes over.
    later(MAIL_LEASE_MS + SECOND)
    expect(await sendRound(other.deps)).toBe(0)
    later(MAIL_HANDOVER_MS - MAIL_LEASE_MS)
    sink.refuse = 451
    await sendRound(other.deps)
  }
  await sendRound(bench.deps)
  expect(await kept()).toMatchObject({ state: "QUEUED", attempts: 2, reason: "SMTP_451_AT_RCPT_TO" })
  sink.refuse = null
})

test("a clock that was far ahead: what it planned is due", async () => {
  clock.set(START + 3 * HOUR)
  sink.refuse = 451
  await ask()
  await sendRound(bench.deps)
  sink.refuse = null
  clock.set(START)
  await sendRound(bench.deps)
  expect((await kept())?.state).toBe("SENT")
})

test("a fault of the database before a message is sent costs no attempt, and the next round sends it", async () => {
  await ask()
  const { store } = bench.deps
  const run = store.run.bind(store)
  let units = 0
  const busy = spyOn(store, "run").mockImplementation((unit) =>
    units++ === 0 ? run(unit) : Promise.reject(new StoreUnavailable("BUSY")),
  )
  await expect(sendRound(bench.deps)).rejects.toThrow(StoreUnavailable)
  busy.mockRestore()
  expect(sink.mails).toHaveLength(0)
  await sendRound(bench.deps)
  expect(await kept()).toMatchObject({ state: "SENT", attempts: 1 })
})

test("a message that was sent is not sent again in the next round, although a fault of the database hid that", async () => {
  await ask()
  const { store } = bench.deps
  const run = store.run.bind(store)
  let units = 0
  const busy = spyOn(store, "run").mockImplementation((unit) =>
    units++ < 2 ? run(unit) : Promise.reject(new StoreUnavailable("BUSY")),
  )
  await expect(sendRound(bench.deps)).rejects.toThrow(StoreUnavailable)
  busy.mockRestore()
  expect(await sendRound(bench.deps)).toBe(0)
  expect(sink.mails).toHaveLength(1)
  expect(await kept()).toMatchObject({ state: "SENT", attempts: 1 })
})

test("a fault of the database while a received message is handled costs no try, and the next round handles it", async () => {
  await receiveMessage(
    bench.deps,
    Buffer.from(written({ from: FROM, body: { intent: INTENT, reply_to: FROM } })),
    false,
  )
  const busy = { ...bench.deps, answer: () => Promise.reject(new StoreUnavailable("BUSY")) }
  for (let at = 0; at < 6; at++) await expect(handleRound(busy)).rejects.toThrow(StoreUnavailable)
  expect(await handleRound(bench.deps)).toBe(1)
  expect(bench.logged.at(-1)).toMatchObject({ event: "mail_handled" })
})

test("a message whose handling fails five times is dropped", async () => {
  const failing = { ...bench.deps, answer: () => Promise.reject(new TypeError("bug")) }
  await receiveMessage(
    bench.deps,
    Buffer.from(written({ from: FROM, body: { intent: INTENT, reply_to: FROM } })),
    false,
  )
  for (let at = 0; at < 6; at++) {
    expect(await handleRound(failing)).toBe(1)
    later(MAIL_LEASE_MS + SECOND)
  }
  expect(await handleRound(failing)).toBe(0)
  expect(bench.logged.at(-1)).toMatchObject({ event: "mail_dropped", code: "HANDLING_FAILED" })
})

test("rows are purged: challenges after a day, sent mail after two, received mail after a week", async () => {
  await receiveMessage(
    bench.deps,
    Buffer.from(written({ from: FROM, body: { intent: INTENT, reply_to: FROM } })),
    false,
  )
  await handleRound(bench.deps)
  await sendRound(bench.deps)
  const { store } = bench.deps
  const removed: number[] = []
  for (const at of [DAY, DAY + 16 * MINUTE, 2 * DAY + 1, 7 * DAY + 1]) {
    removed.push((await purgeExpired({ store, now: () => START + at })).removed)
  }
  // After a day also the counts: of the received message, of the challenge, and of the message to a mailbox.
  expect(removed).toEqual([6, 1, 1, 1])
})

test("the answer is one message with all of contact's reply, and the attachment and the text of a message are read alike", async () => {
  const json = JSON.stringify({ intent: INTENT, reply_to: FROM })
  const attached = [
    "MIME-Version: 1.0",
    'Content-Type: multipart/mixed; boundary="b"',
    "",
    "--b\r\nContent-Type: text/plain\r\n\r\nplease see the attachment",
    `--b\r\nContent-Type: application/json; name=c.json\r\nContent-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\n${btoa(json)}`,
    "--b--",
    "",
  ].join("\r\n")
  const head = written({ from: FROM, body: "" }).split("MIME-Version")[0]
  await receiveMessage(bench.deps, Buffer.from(head + attached), false)
  await handleRound(bench.deps)
  await sendRound(bench.deps)
  const [mail] = sink.mails
  expect(mail && jsonOf(mail)["request_digest"]).toBe(digestOf({ intent: INTENT }))
})
