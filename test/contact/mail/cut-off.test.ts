/**
 * Two instances send the mail of one database, and one of them loses the database or is killed at each step of a message. Each mail is sent once. The
 * one exception is a message that its sender began to send and whose end it could not record within five minutes: SMTP has no way to ask whether a server
 * took a message, so another instance sends it again, with the same Message-ID.
 */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { realMachine } from "../../../src/base/machine.ts"
import { emailPath } from "../../../src/contact/mail/challenge.ts"
import { MAIL_HANDOVER_MS, MAIL_LEASE_MS, type MailStep } from "../../../src/contact/mail/deps.ts"
import { sendRound } from "../../../src/contact/mail/rounds.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { SECOND } from "../../../src/core/time.ts"
import type { Engine } from "../../../src/store/engine/engine.ts"
import { PostgresStore } from "../../../src/store/engine/postgres/postgres-store.ts"
import { readTarget } from "../../../src/store/engine/postgres/target-text.ts"
import { freeWriter } from "../../fixtures/free-writes.ts"
import { atLength, howMany } from "../../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { newPostgresDatabase, type TestDatabase as Rows } from "../../fixtures/postgres-schema.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { databaseAt, type TestDatabase } from "../../fixtures/test-database.ts"
import { until } from "../../fixtures/until.ts"
import { type DatabaseProxy, databaseProxy } from "../../store/engine/postgres/database-proxy.ts"
import { type MailBench, mailBench } from "./mail-bench.ts"
import { type SmtpSink, smtpSink } from "./smtp-sink.ts"

const test = slowTests(import.meta.path)

/** `AT_SERVER`: the SMTP server has the whole message and has not answered. */
type Step = Extract<MailStep, "taken" | "sending" | "sent" | "settled"> | "AT_SERVER"
const STEPS: readonly Step[] = ["taken", "sending", "AT_SERVER", "sent", "settled"]
/**
 * When the way to the database is back. `SHORT`: before the lease ends. `LONG`: before another instance sends a message whose sending began. `GONE`: later.
 * `KILLED`: the instance forgets what it did.
 */
const LOSSES = ["SHORT", "LONG", "GONE", "KILLED"] as const
const CASES = STEPS.flatMap((step) => LOSSES.map((loss) => ({ step, loss })))
type Case = (typeof CASES)[number]

const ROUNDS = 100
const COUNT = atLength(CASES.length, ROUNDS)

interface Instance {
  readonly bench: MailBench
  readonly way: DatabaseProxy
}

describe.skipIf(!HAS_POSTGRES)(`two instances with mail${NOT_RUN}`, () => {
  let rows: Rows
  let database: TestDatabase
  let sink: SmtpSink
  let ahead = 0
  const machine = { ...realMachine, now: () => realMachine.now() + ahead }
  const instances: Instance[] = []
  let onStep: (instance: Instance, step: Step) => void = () => {}
  let started = 0

  async function instance(): Promise<Instance> {
    const way = await databaseProxy(rows.url)
    // A cut costs a round three tenths of a second and not eight seconds.
    const store = new PostgresStore(readTarget(way.url), { deadlineMs: 200, patienceMs: 100, outcomePatienceMs: 100 })
    const open = async () => ({ engine: undefined as unknown as Engine, store })
    const bench = await mailBench(
      { ...database, open },
      {
        smtpPort: sink.port,
        machine,
        owner: `instance-${++started}`,
        trace: (step) => onStep(made, step as Step),
      },
    )
    const made = { bench, way }
    return made
  }
  const end = async ({ bench, way }: Instance) => {
    way.judge(() => "PASS")
    await bench.close()
    way.close()
  }

  beforeAll(async () => {
    rows = await newPostgresDatabase()
    database = databaseAt(rows.url)
    sink = await smtpSink()
    instances.push(await instance(), await instance())
  }, 60_000)
  afterAll(async () => {
    for (const one of instances) await end(one)
    await sink[Symbol.asyncDispose]()
    await database.close()
    await rows.drop()
  }, 60_000)

  const stateOf = async (mailbox: string) =>
    (await database.row<{ state: string }>("SELECT state FROM mail_out WHERE mailbox = ?1", mailbox))?.state
  const isEnded = async (mailbox: string) => (await stateOf(mailbox)) === "SENT"
  /** A fault of the database ends a round, and the next one goes on. */
  const rounds = () => Promise.all(instances.map(({ bench }) => sendRound(bench.deps).catch(() => 0)))

  /** Returns the mails that arrived for one message. */
  async function lost(at: number, { step, loss }: Case): Promise<readonly string[]> {
    const mailbox = `agent@round-${at}.example`
    let cut: Instance | null = null
    onStep = (one, now) => {
      if (now !== step || cut !== null) return
      cut = one
      one.way.judge(() => "LOSE")
    }
    let sender: Instance | null = null
    const noteSender = onStep
    onStep = (one, now) => {
      if (now === "sending") sender = one
      noteSender(one, now)
    }
    sink.onMessage = () => {
      if (sender) onStep(sender, "AT_SERVER")
    }
    const { deps } = (instances[at % 2] as Instance).bench
    await emailPath(deps).askForProof(mailbox, digestOf({ at }), freeWriter(machine.now(), { client: `192.0.2.${at}` }))
    await rounds()
    const lostOne = cut as Instance | null
    if (lostOne === null) throw new Error(`no instance came to ${step}`)
    onStep = () => {}
    if (loss === "KILLED") {
      instances[instances.indexOf(lostOne)] = await instance()
      void end(lostOne).catch(() => {})
    }
    const back = () => lostOne.way.judge(() => "PASS")
    const ended = async () => {
      await rounds()
      return isEnded(mailbox)
    }
    if (loss === "SHORT") {
      back()
      await until("it is recorded", ended)
    }
    ahead += MAIL_LEASE_MS + SECOND
    if (loss === "LONG") {
      await rounds()
      back()
    } else ahead += MAIL_HANDOVER_MS
    await until("it is recorded, or another one has taken it over", ended)
    back()
    // The one that was away comes back, and nobody sends more.
    await rounds()
    await rounds()
    expect(await stateOf(mailbox)).toBe("SENT")
    const mails = sink.mails.filter(({ to }) => to.includes(mailbox))
    return mails.map(({ raw }) => /^Message-ID: (.*)\r$/m.exec(raw)?.[1] ?? "")
  }

  test(`each mail is sent once, and twice with one Message-ID only if nobody could know: ${howMany(ROUNDS, COUNT)} rounds`, async () => {
    const twice: string[] = []
    for (let at = 0; at < COUNT; at++) {
      const one = CASES[at % CASES.length] as Case
      const ids = await lost(at, one)
      const isUnknowable =
        (one.loss === "GONE" || one.loss === "KILLED") && ["sending", "AT_SERVER", "sent"].includes(one.step)
      expect([at, one, ids.length, new Set(ids).size]).toEqual([at, one, isUnknowable ? 2 : 1, 1])
      if (ids.length > 1) twice.push(`${one.step} ${one.loss}`)
    }
    if (process.env["BIZAUTH_SHOW"]) console.log({ rounds: COUNT, twice: twice.length, cases: [...new Set(twice)] })
    expect(await database.count("mail_out", "state <> 'SENT'")).toBe(0)
  }, 300_000)
})
