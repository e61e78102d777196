/**
 * A process is killed at every durable step, and the next one finishes. One mail for each message: twice only after the SMTP server took it and
 * before that was recorded, and then with the same Message-ID.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test"
import { join } from "node:path"
import { openBeside } from "../../../db/open.ts"
import { MAIL_HANDOVER_MS, type MailStep } from "../../../src/contact/mail/deps.ts"
import { MINUTE } from "../../../src/core/time.ts"
import { INTENT } from "../../contact/contact-service.ts"
import { jsonOf } from "../../contact/mail/mail-service.ts"
import { sendIn, written } from "../../contact/mail/send-in.ts"
import { type SmtpSink, smtpSink } from "../../contact/mail/smtp-sink.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { howMany, sample } from "../../fixtures/long.ts"
import { openMigrated } from "../../fixtures/new-database.ts"
import { until } from "../../fixtures/until.ts"
import type { KillInUnit, MailProcess } from "./mail-process.ts"

const PROGRAM = join(import.meta.dir, "mail-process.ts")
const FROM = "agent@host.example"

let sink: SmtpSink
let fresh: ReturnType<typeof freshDirectory>
beforeAll(async () => {
  sink = await smtpSink()
})
afterAll(() => sink[Symbol.asyncDispose]())

let databasePath = ""
let socketPath = ""
let runs = 0
let children: Bun.Subprocess[] = []
/** A process that a failed test left would send its mail in the next test. */
afterEach(async () => {
  for (const child of children) child.kill("SIGKILL")
  await Promise.all(children.map(({ exited }) => exited))
  children = []
})
beforeEach(() => {
  fresh = freshDirectory()
  databasePath = join(fresh.path, "bizauth.db")
  socketPath = join(fresh.path, "mail.sock")
  const database = openMigrated(databasePath)
  database.close()
  sink.mails.length = 0
  runs = 0
})

/** Each process starts after the leases of the one before have ended. */
function start(given: Partial<MailProcess> = {}) {
  const child = Bun.spawn([process.execPath, PROGRAM], { stdin: "pipe", stdout: "pipe", stderr: "inherit" })
  const aheadMs = runs++ * (MAIL_HANDOVER_MS + 1_000)
  const all: MailProcess = {
    database: databasePath,
    socketPath,
    smtpPort: sink.port,
    killAt: null,
    killInUnit: null,
    aheadMs,
    asks: 0,
    ...given,
  }
  children.push(child)
  child.stdin.write(JSON.stringify(all))
  child.stdin.end()
  return child
}

function rows<Row>(sql: string): Row[] {
  using database = openBeside(databasePath)
  return database.query<Row, []>(sql).all()
}
const waiting = () =>
  rows<{ n: number }>(
    "SELECT (SELECT count(*) FROM mail_in WHERE look_at IS NOT NULL) + (SELECT count(*) FROM mail_out WHERE look_at IS NOT NULL) n",
  )[0]?.n

/** Sends as a mail server does: until it gets 250. */
async function deliver(raw: string): Promise<void> {
  await until("the message is taken", async () => (await sendIn(socketPath, raw)) === 250, { everyMs: 50 })
}

async function deliverDespite(killed: Partial<MailProcess>, raw: string): Promise<void> {
  const first = start(killed)
  await until("the socket is open", async () => (await sendIn(socketPath, "x", { to: "no@host.example" })) === 550)
  const taken = await sendIn(socketPath, raw)
  await first.exited
  expect(first.signalCode).toBe("SIGKILL")
  const second = start()
  // A mail server that got no 250 sends the message again.
  if (taken !== 250) {
    await until(
      "the socket is open again",
      async () => (await sendIn(socketPath, "x", { to: "no@host.example" })) === 550,
    )
    await deliver(raw)
  }
  await until("nothing waits", () => rows("SELECT id FROM mail_in").length > 0 && waiting() === 0)
  second.kill("SIGKILL")
  await second.exited
}

const contact = (more: object = {}) => written({ from: FROM, body: { intent: INTENT, reply_to: FROM, ...more } })
const STEPS: readonly MailStep[] = ["received", "read", "handled", "taken", "sending", "sent", "settled"]

test.each(sample(STEPS, 3))(
  `${howMany(STEPS.length, 3)} steps: killed after %s`,
  async (killAt) => {
    await deliverDespite({ killAt }, contact())
    const ids = sink.mails.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1])
    expect([sink.mails.length, new Set(ids).size]).toEqual([killAt === "sent" ? 2 : 1, 1])
    expect(rows("SELECT state, raw FROM mail_in")).toEqual([{ state: "DONE", raw: null }])
    expect(rows("SELECT kind, state, raw FROM mail_out")).toEqual([{ kind: "CHALLENGE", state: "SENT", raw: null }])
    const [challenge] = rows<{ id: string; state: string }>("SELECT id, state FROM email_challenge")
    const [mail] = sink.mails
    expect(challenge).toEqual({ id: String(mail && jsonOf(mail)["challenge_id"]), state: "OPEN" })
    fresh[Symbol.dispose]()
  },
  60_000,
)

/** The units of a message with its token, by the names that their first counted statement binds; the last kill point is before the commit. */
const UNITS = [
  { name: "stores the message, from the gate on", binds: ["cap", "share"], statements: 10 },
  { name: "handles it", binds: ["owner", "state"], statements: 6 },
] as const
const IN_UNITS = UNITS.flatMap(({ binds, statements }) =>
  Array.from({ length: statements + 1 }, (_, at): KillInUnit => ({ binds, at })),
)

/** A process has sent a challenge and is gone. Returns a message with the token. */
async function messageWithToken(): Promise<string> {
  const first = start()
  await deliver(contact())
  await until("the challenge arrives", () => sink.mails.length === 1)
  await until("nothing waits", () => waiting() === 0)
  first.kill("SIGKILL")
  await first.exited
  const [challenge] = sink.mails
  return contact({ email_verification_token: challenge && jsonOf(challenge)["email_verification_token"] })
}

test.each(sample(IN_UNITS, 3))(
  `killed in a unit of a message with its token: one answer; ${howMany(IN_UNITS.length, 3)}: %j`,
  async (killInUnit) => {
    await deliverDespite({ killInUnit }, await messageWithToken())
    expect(sink.mails.map((mail) => jsonOf(mail)["type"])).toEqual(["svc.acp.email-challenge.v1", "svc.acp.contact.v1"])
    expect(rows("SELECT state FROM email_challenge")).toEqual([{ state: "CONSUMED" }])
    expect(rows("SELECT kind, state FROM mail_out ORDER BY kind")).toEqual([
      { kind: "CHALLENGE", state: "SENT" },
      { kind: "REPLY", state: "SENT" },
    ])
    fresh[Symbol.dispose]()
  },
  60_000,
)

/** The first line that the process prints, as a number. */
async function countedBy({ stdout }: ReturnType<typeof start>): Promise<number> {
  const { value } = await stdout.getReader().read()
  return Number(new TextDecoder().decode(value).split("\n", 1)[0])
}

test.each(UNITS)("the unit that $name has no statement without a kill point", async ({ binds, statements }) => {
  const message = await messageWithToken()
  const child = start({ killInUnit: { binds, at: null } })
  await deliver(message)
  expect(await countedBy(child)).toBe(statements)
  child.kill("SIGKILL")
  await child.exited
  fresh[Symbol.dispose]()
})

test("killed before a statement of the unit that records a challenge, or before its commit: no challenge, no mail, no use of a cap", async () => {
  const binds = ["cap", "share"]
  const kept = () => ["email_challenge", "mail_out", "shared_use"].map((table) => rows(`SELECT * FROM ${table}`))
  // The second one supersedes the first, and each later one would supersede the second.
  let statements = 0
  for (const recorded of [1, 2]) {
    const counting = start({ asks: 1, killInUnit: { binds, at: null } })
    statements = await countedBy(counting)
    await until("the challenge is sent", () => sink.mails.length === recorded && waiting() === 0)
    counting.kill("SIGKILL")
    await counting.exited
  }
  const before = kept()
  const points = Array.from({ length: statements + 1 }, (_, at) => at)
  for (const at of sample(points, 4)) {
    const child = start({ asks: 1, killInUnit: { binds, at } })
    await child.exited
    expect([at, child.signalCode, await new Response(child.stdout).text()]).toEqual([at, "SIGKILL", ""])
    expect(kept()).toEqual(before)
  }
  fresh[Symbol.dispose]()
}, 60_000)

test("two processes on one database: every mail is sent once, every message is answered once", async () => {
  const both = [start({ asks: 60 }), start({ aheadMs: 0 })]
  await until("the socket is open", async () => (await sendIn(socketPath, "x", { to: "no@host.example" })) === 550)
  const senders = Array.from({ length: 20 }, (_, at) => `agent@sender-${at}.example`)
  for (const from of senders) {
    await deliver(written({ from, body: { intent: INTENT, reply_to: from } }))
  }
  await until("all is sent", () => rows("SELECT id FROM mail_out WHERE state = 'SENT'").length === 80, {
    withinMs: MINUTE,
  })
  expect(sink.mails.length).toBe(80)
  expect(new Set(sink.mails.flatMap(({ to }) => to)).size).toBe(80)
  const states = rows<{ state: string; n: number }>("SELECT state, count(*) n FROM mail_in GROUP BY state")
  expect(states).toEqual([{ state: "DONE", n: 20 }])
  for (const child of both) child.kill("SIGKILL")
  await Promise.all(both.map(({ exited }) => exited))
  fresh[Symbol.dispose]()
}, 120_000)
