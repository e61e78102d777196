/** One process at a time works on a leased row, whichever table it is in. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import type { Store } from "../../src/store/engine/unit.ts"
import { JOBS_AT_ONCE, planPoll, renewJobLease, takeDueJobs } from "../../src/store/jobs/job-leases.ts"
import { endReceivedMail, takeReceivedMail } from "../../src/store/mail/mail-in.ts"
import { MAILS_AT_ONCE, postponeMail, queueMail, takeDueMail } from "../../src/store/mail/mail-out.ts"
import { newStore, type TestStore } from "../fixtures/new-store.ts"
import { withWrongClock } from "../fixtures/wrong-clock.ts"

let opened: TestStore
let store: Store
beforeEach(async () => {
  opened = await newStore()
  store = opened.store
})
afterEach(() => opened.close())

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 0, minute)).toISOString()
const HORIZON = at(600)
const lease = (owner: string, until: number) => ({ owner, until: at(until) })

function enterJob(id: string, lookAt: string | null): Promise<number> {
  return opened.write(
    "INSERT INTO acp_job (id, chain_id, contract, job_id, client, provider, evaluator, hook, expired_at, created_block, state, look_at, created_at, updated_at) VALUES (?1, 1, '0x', ?1, '', '', '', '', 0, '0', 'SEEN', ?2, '', '')",
    id,
    lookAt,
  )
}

function enterMail(id: string, lookAt: string | null): Promise<number> {
  return opened.write(
    "INSERT INTO mail_in (id, raw, received_at, state, attempts, look_at) VALUES (?1, ?3, '2026', 'RECEIVED', 0, ?2)",
    id,
    lookAt,
    Uint8Array.of(0),
  )
}

const queue = (id: string, minute: number, giveUpAt = at(500)) =>
  store.run(() =>
    queueMail({
      id,
      kind: "REPLY",
      mailbox: `${id}@example.com`,
      mailboxKey: `${id}@example.com`,
      domain: "example.com",
      nullSender: false,
      raw: id,
      createdAt: at(minute),
      giveUpAt,
    }),
  )

const jobs = (owner: string, now: number, until = now + 5) =>
  store.run(() => takeDueJobs(lease(owner, until), at(now), HORIZON))
const received = (owner: string, now: number, until = now + 5) =>
  store.run(() => takeReceivedMail(lease(owner, until), at(now), HORIZON))
const outgoing = (owner: string, now: number, until = now + 5) =>
  store.run(() => takeDueMail(lease(owner, until), at(now), HORIZON))
const ids = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

test("due rows come longest waiting first, then those beyond the horizon; what has ended or waits is left", async () => {
  for (const enter of [enterJob, enterMail]) {
    await enter("later", at(3))
    await enter("first", at(1))
    await enter("waits", at(60))
    await enter("ended", null)
    await enter("wrong-clock", at(700))
  }
  expect(ids(await jobs("one", 10))).toEqual(["first", "later", "wrong-clock"])
  expect(ids(await received("one", 10))).toEqual(["first", "later", "wrong-clock"])
  for (const [id, minute] of [
    ["later", 3],
    ["first", 1],
    ["waits", 60],
    ["wrong-clock", 700],
  ] as const) {
    await queue(id, minute, at(900))
  }
  expect(ids(await outgoing("one", 10))).toEqual(["first", "later", "wrong-clock"])
})

test("a leased row is nobody else's until its lease ends, and then another process takes it", async () => {
  await enterJob("job", at(1))
  await enterMail("in", at(1))
  await queue("out", 1)
  for (const take of [jobs, received, outgoing]) {
    expect((await take("one", 10)).map(({ leaseOwner, lookAt }) => [leaseOwner, lookAt])).toEqual([["one", at(15)]])
    expect(await take("two", 14)).toEqual([])
    expect((await take("two", 15)).map(({ leaseOwner, lookAt }) => [leaseOwner, lookAt])).toEqual([["two", at(20)]])
  }
  // The process that lost its lease changes nothing.
  expect(await store.run(() => renewJobLease("job", lease("one", 90)))).toBe(false)
  await store.run(() => planPoll("job", "one", at(1), "LATE"))
  await store.run(() => postponeMail("out", "one", at(1), "LATE"))
  expect(await store.run(() => endReceivedMail("in", "one", "DONE", null))).toBe(false)
  for (const take of [jobs, received, outgoing]) expect(await take("three", 19)).toEqual([])
})

test("an attempt is counted each time a message is taken", async () => {
  await enterMail("in", at(1))
  await queue("out", 1)
  for (const take of [received, outgoing]) {
    const counts: number[] = []
    for (const now of [10, 20, 30]) counts.push(...(await take("one", now)).map(({ attempts }) => attempts))
    expect(counts).toEqual([1, 2, 3])
  }
})

test("a released row is due at its next look, with its reason", async () => {
  await enterJob("job", at(1))
  await queue("out", 1)
  await jobs("one", 10)
  await outgoing("one", 10)
  await store.run(() => planPoll("job", "one", at(12), "WAITS"))
  await store.run(() => postponeMail("out", "one", at(12), "WAITS"))
  for (const take of [jobs, outgoing]) {
    expect(await take("two", 11)).toEqual([])
    expect((await take("two", 12)).map(({ leaseOwner, reason }) => [leaseOwner, reason])).toEqual([["two", "WAITS"]])
  }
})

test("one call takes a limited number, those beyond the horizon included", async () => {
  for (let n = 0; n < JOBS_AT_ONCE + 3; n++) await enterJob(`job-${n}`, at(n < 3 ? 700 : 1))
  expect(await jobs("one", 10)).toHaveLength(JOBS_AT_ONCE)
  expect(await jobs("one", 10)).toHaveLength(3)
  for (let n = 0; n < MAILS_AT_ONCE + 1; n++) await queue(`out-${n}`, 1)
  expect(await outgoing("one", 10)).toHaveLength(MAILS_AT_ONCE)
  expect(await outgoing("one", 10)).toHaveLength(1)
})

test("a message whose time has passed ends instead of being taken", async () => {
  await queue("late", 1, at(9))
  await queue("good", 2)
  expect(ids(await outgoing("one", 10))).toEqual(["good"])
  const late = await opened.rows("SELECT state, raw, look_at, attempts FROM mail_out WHERE id = 'late'")
  expect(late).toEqual([{ state: "EXPIRED", raw: null, look_at: null, attempts: 0 }])
})

test("a process whose clock is off takes the rows that nobody holds, in each table, and not those of others", async () => {
  for (const id of ["a", "b"]) {
    await enterJob(`job-${id}`, at(0))
    await enterMail(`in-${id}`, at(0))
    await queue(`out-${id}`, 0)
  }
  for (const table of ["acp_job", "mail_in", "mail_out"]) {
    await opened.write(`UPDATE ${table} SET lease_owner = 'other' WHERE id LIKE '%-a'`)
  }
  const all = async (wrap: typeof withWrongClock) => [
    ...ids(await store.run(() => wrap(takeDueJobs(lease("me", 9), at(1), HORIZON)))),
    ...ids(await store.run(() => wrap(takeReceivedMail(lease("me", 9), at(1), HORIZON)))),
    ...ids(await store.run(() => wrap(takeDueMail(lease("me", 9), at(1), HORIZON)))),
  ]
  expect(await all(withWrongClock)).toEqual(["job-b", "in-b", "out-b"])
  expect(await all((unit) => unit)).toEqual(["job-a", "in-a", "out-a"])
})

test("a process whose clock is off takes its own rows and free ones, however many of a dead process have waited longer", async () => {
  for (let n = 0; n <= JOBS_AT_ONCE; n++) await enterJob(`dead-${n}`, at(0))
  for (let n = 0; n <= MAILS_AT_ONCE; n++) await queue(`dead-${n}`, 0)
  for (const table of ["acp_job", "mail_out"]) await opened.write(`UPDATE ${table} SET lease_owner = 'dead'`)
  for (const [id, owner] of [
    ["free", null],
    ["own", "me"],
  ] as const) {
    await enterJob(id, at(1))
    await queue(id, 1)
    for (const table of ["acp_job", "mail_out"]) {
      await opened.write(`UPDATE ${table} SET lease_owner = ?2 WHERE id = ?1`, id, owner)
    }
  }
  const mine = lease("me", 9)
  expect(ids(await store.run(() => withWrongClock(takeDueJobs(mine, at(2), HORIZON))))).toEqual(["free", "own"])
  expect(ids(await store.run(() => withWrongClock(takeDueMail(mine, at(2), HORIZON))))).toEqual(["free", "own"])
  expect(await store.run(() => takeDueJobs(mine, at(2), HORIZON))).toHaveLength(JOBS_AT_ONCE)
})
