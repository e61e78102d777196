/** The clock of a process is compared with that of a real server. A process whose clock is off takes over no lease. */
import { describe, expect } from "bun:test"
import { createLog } from "../../../../src/base/log.ts"
import { realMachine } from "../../../../src/base/machine.ts"
import { formatInstant, HOUR, SECOND } from "../../../../src/core/time.ts"
import type { ServerClock } from "../../../../src/store/engine/clock.ts"
import { openEngine } from "../../../../src/store/engine/open-engine.ts"
import { MeasuredClock } from "../../../../src/store/engine/postgres/measured-clock.ts"
import { queueMail, takeDueMail } from "../../../../src/store/mail/mail-out.ts"
import { endPurgeRound, takePurgeRound } from "../../../../src/store/purge-round.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { newEmptyPostgresDatabase } from "../../../fixtures/postgres-schema.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { newDatabaseOn, type TestDatabase } from "../../../fixtures/test-database.ts"
import { put } from "../../nonce-rows.ts"

const test = slowTests(import.meta.path)

/** A process whose clock is `ahead` milliseconds ahead. The test may change that. */
async function processOn({ address }: Pick<TestDatabase, "address">, ahead: number) {
  const off = { ahead }
  const lines: Record<string, unknown>[] = []
  const log = createLog("debug", (line) => void lines.push(JSON.parse(line)), realMachine.now)
  const engine = await openEngine(
    { kind: "SERVER", url: () => address },
    {
      clock: { now: () => Date.now() + off.ahead },
      onFatal: (error) => {
        throw error
      },
    },
  )
  const now = () => Date.now() + off.ahead
  const [check] = engine.checks(log)
  if (!check) throw new Error("the engine checks no clock")
  const codes = async () => (await check.reasons()).map(({ code }) => code)
  return { off, engine, store: engine.store, now, codes, lines }
}

const offsetOf = (clock: ServerClock | null) => clock?.offsetMs ?? Number.NaN

describe.skipIf(!HAS_POSTGRES)(`beside a PostgreSQL server${NOT_RUN}`, () => {
  test.each([
    [0, []],
    [1_500, []],
    [-1_500, []],
    [2_500, ["CLOCK_DIFFERS"]],
    [-2_500, ["CLOCK_DIFFERS"]],
  ])("a clock that is %i ms ahead is measured at the first connection and at each check", async (ahead, codes) => {
    const database = await newDatabaseOn("postgres")
    const { engine, store, ...process } = await processOn(database, ahead)
    expect(engine.serverClock()?.offsetMs).toBeNull()
    await store.run(() => put("a"))
    expect(Math.abs(offsetOf(engine.serverClock()) - ahead)).toBeLessThan(300)
    expect(Math.abs((engine.serverClock()?.now() ?? 0) - Date.now())).toBeLessThan(300)
    expect(await process.codes()).toEqual(codes)
    process.off.ahead = 0
    expect(await process.codes()).toEqual([])
    expect(Math.abs(offsetOf(engine.serverClock()))).toBeLessThan(300)
    const isOff = ahead !== 0
    expect(process.lines.map(({ level, event, is_right }) => [level, event, is_right])).toEqual(
      isOff ? [false, true].map((isRight) => ["warn", "clock_compared", isRight]) : [],
    )
    await store.close()
    await database.close()
  })

  test("a clock 1.5 s off takes over nothing that another process leased, and takes what nobody holds", async () => {
    const database = await newDatabaseOn("postgres")
    const right = await processOn(database, 0)
    const off = await processOn(database, 1_500)
    const end = Date.now() + 1_000
    const until = formatInstant(end)
    const lease = (owner: string, at: number) => ({ owner, until: formatInstant(at + 60 * SECOND) })
    const mail = (id: string) =>
      right.store.run(() =>
        queueMail({
          ...{
            id,
            kind: "REPLY",
            mailbox: `${id}@example.com`,
            mailboxKey: `${id}@example.com`,
            domain: "example.com",
          },
          ...{ nullSender: false, raw: id, createdAt: formatInstant(Date.now() - SECOND) },
          giveUpAt: formatInstant(Date.now() + HOUR),
        }),
      )
    const mails = async (process: typeof right, owner: string) => {
      const at = process.now()
      const taken = () => takeDueMail(lease(owner, at), formatInstant(at), formatInstant(at + HOUR))
      return (await process.store.run(taken)).map(({ id }) => id)
    }
    const purge = (process: typeof right, owner: string, at = process.now()) =>
      process.store.run(() =>
        takePurgeRound(lease(owner, at), { now: formatInstant(at), horizon: formatInstant(at + HOUR) }),
      )
    await mail("leased")
    await right.store.run(() =>
      takeDueMail({ owner: "right", until }, formatInstant(Date.now()), formatInstant(end + HOUR)),
    )
    await right.store.run(() =>
      takePurgeRound({ owner: "right", until }, { now: formatInstant(Date.now()), horizon: formatInstant(end + HOUR) }),
    )
    await mail("free")
    // By its own clock both leases have ended.
    expect(formatInstant(off.now()) > until).toBe(true)
    expect(await mails(off, "off")).toEqual(["free"])
    expect(await purge(off, "off")).toBe(false)
    await Bun.sleep(end - Date.now())
    // They have ended by every clock now.
    expect(await mails(off, "off")).toEqual([])
    expect(await purge(off, "off")).toBe(false)
    off.off.ahead = 0
    expect(await off.codes()).toEqual([])
    expect(await mails(off, "off")).toEqual(["leased"])
    expect(await purge(off, "off")).toBe(true)
    await off.store.run(() => endPurgeRound("off", until))
    off.off.ahead = 1_500
    await off.codes()
    // Nobody holds the round.
    expect(await purge(off, "off")).toBe(true)
    for (const { store } of [right, off]) await store.close()
    await database.close()
  })

  test("a clock that is set after the connection takes over nothing, before anything measures it again", async () => {
    const database = await newDatabaseOn("postgres")
    const right = await processOn(database, 0)
    const off = await processOn(database, 0)
    const take = (process: typeof right, owner: string) => {
      const at = process.now()
      const times = { now: formatInstant(at), horizon: formatInstant(at + HOUR) }
      return process.store.run(() => takePurgeRound({ owner, until: formatInstant(at + 30 * SECOND) }, times))
    }
    await off.store.run(() => put("a"))
    expect(await take(right, "right")).toBe(true)
    off.off.ahead = 60 * SECOND
    expect(await take(off, "off")).toBe(false)
    expect(Math.abs(offsetOf(off.engine.serverClock()) - 60 * SECOND)).toBeLessThan(300)
    expect(Math.abs((off.engine.serverClock()?.now() ?? 0) - Date.now())).toBeLessThan(300)
    for (const { store } of [right, off]) await store.close()
    await database.close()
  })

  test("outcomes are noted and removed by the server's clock, whatever the clocks of the processes are", async () => {
    const { url, drop } = await newEmptyPostgresDatabase()
    const far = await processOn({ address: url }, 2 * HOUR)
    const engine = far.engine
    await engine.migrate("2026-01-01T00:00:00.000Z")
    await far.store.run(() => put("a"))
    const client = new Bun.SQL(url, { max: 1 })
    const at = Date.parse((await client`select at from unit_outcome`.values())[0][0])
    expect(Math.abs(at - Date.now())).toBeLessThan(5 * SECOND)
    const late = await processOn({ address: url }, 48 * HOUR)
    await client.unsafe("insert into unit_outcome (id, committed, at) values ('old', 1, $1), ('young', 1, $2)", [
      formatInstant(Date.now() - HOUR - 10 * SECOND),
      formatInstant(Date.now() - HOUR + 60 * SECOND),
    ])
    const worker = late.engine
      .workers({
        machine: { ...realMachine, after: (_, round) => realMachine.after(0, round) },
        log: createLog("error", () => {}, realMachine.now),
      })
      .find(({ name }) => name === "unit outcomes")
    worker?.start()
    const ids = async () =>
      (await client`select id from unit_outcome where length(id) < 10 order by id`.values()).flat()
    while ((await ids()).includes("old")) await Bun.sleep(10)
    await worker?.stop()
    expect(await ids()).toEqual(["young"])
    expect(Number((await client`select count(*) from unit_outcome`.values())[0][0])).toBe(2)
    await client.close()
    for (const { store } of [far, late]) await store.close()
    await drop()
  })
})

test("an answer that took longer than a second measures nothing, and the offset is taken at half of the round trip", () => {
  let at = 0
  const clock = new MeasuredClock({ now: () => 50_000 + at, monotonic: () => at })
  at = 1_001
  clock.saw("50000", 0)
  expect([clock.offsetMs, clock.isRight]).toEqual([null, false])
  at = 400
  clock.saw("50000.5", 0)
  expect([clock.offsetMs, clock.isRight]).toEqual([199.5, true])
  clock.saw(null, 0)
  clock.saw("49000", 400)
  expect([clock.offsetMs, clock.isRight, clock.now()]).toEqual([1_400, false, 49_000])
  at = 500
  expect([clock.offsetMs, clock.now()]).toEqual([1_400, 49_100])
})
