/** At each cap that callers share, another caller still gets through: floods of 2 addresses, 200 addresses and 200 identities. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { openInMemory } from "../../db/schema-image.ts"
import { LIMITS } from "../../scripts/docs/limits-page.ts"
import { DAY } from "../../src/core/time.ts"
import { RateLimiter } from "../../src/http/rate-limit.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { admit, type CountedFor, purgeSharedUse } from "../../src/store/free-writes/admit.ts"
import {
  SHARED_CAP_NAMES,
  SHARED_CAPS,
  type SharedCap,
  type SharedCapName,
} from "../../src/store/free-writes/shared-caps.ts"
import { admitAll, changedCaps, freeWriter, type GatedCall } from "../fixtures/free-writes.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)
setDefaultTimeout(30_000)

const AT = Date.parse("2026-03-01T12:00:00.000Z")
/** A larger cap is made this small, because its shares shrink with it. */
const TRIED_MAX = 500
const FLOODS = {
  "2 addresses": (n: number) => ({ client: `203.0.113.${n % 2}`, agent: `svc:agent:${n}`, domain: `d${n}.example` }),
  "200 addresses": (n: number) => ({
    client: `203.0.113.${n % 200}`,
    agent: `svc:agent:${n}`,
    domain: `d${n}.example`,
  }),
  "200 identities at 2 addresses": (n: number) => ({
    client: `203.0.113.${n % 2}`,
    agent: `svc:agent:${n % 200}`,
    domain: `d${n % 200}.example`,
  }),
} as const

/** Caps of writers without an address, which are split by mail domain or by wallet. */
const WITHOUT_ADDRESS: ReadonlySet<SharedCapName> = new Set(["MAILS_BY_MAIL", "MAILS_RECEIVED", "JOBS"])

function opened() {
  const database = openInMemory("2026-03-01T12:00:00.000Z")
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  return {
    database,
    all: (calls: readonly GatedCall[]) => admitAll(store, calls),
    store,
    [Symbol.asyncDispose]: () => store.close(),
  }
}

function call(name: SharedCapName, from: { client: string; agent: string; domain: string }, at = AT) {
  const cap: SharedCap = SHARED_CAPS[name]
  const caps = changedCaps({ [name]: { max: Math.min(cap.max, TRIED_MAX) } })
  const isWithout = WITHOUT_ADDRESS.has(name)
  const counted: CountedFor = {
    ...(cap.ofAgent !== undefined || name === "JOBS" ? { agent: from.agent } : {}),
    ...(cap.scoped ? { domain: "host.example" } : isWithout && name !== "JOBS" ? { domain: from.domain } : {}),
  }
  return { name, writer: freeWriter(at, { client: isWithout ? null : from.client, caps }), counted }
}

const NEW = { client: "198.51.100.7", agent: "svc:agent:new", domain: "new.example" }

describe.each(SHARED_CAP_NAMES.map((name) => [name]))("%s", (name) => {
  test.each(Object.entries(FLOODS))("flooded from %s, another caller gets through", async (flood, from) => {
    await using gate = opened()
    const size = 2 * Math.min(SHARED_CAPS[name].max, TRIED_MAX)
    const admitted = await gate.all(Array.from({ length: size }, (_, n) => call(name, from(n))))
    expect(admitted.filter(Boolean).length).toBeGreaterThan(0)
    expect(admitted.filter((one) => !one).length).toBeGreaterThan(0)
    // One mail domain gets twenty messages a day from all callers. This protects its mailboxes. Contact over HTTP needs no mailbox.
    const isProtected = name === "MAILS_TO_DOMAIN" && flood === "200 addresses"
    // Who has no address is split by domain, and domains are free to make: only a flood of few of them leaves room.
    const isFreeToMake = WITHOUT_ADDRESS.has(name) && from(0).domain !== from(200).domain
    if (isProtected || isFreeToMake) return
    expect(await gate.all([call(name, NEW)])).toEqual([true])
  })

  test("it ends: in its next window the flooders get their share again", async () => {
    await using gate = opened()
    const from = FLOODS["2 addresses"]
    const flood = Array.from({ length: 2 * TRIED_MAX }, (_, n) => call(name, from(n % 2)))
    expect((await gate.all(flood)).at(-1)).toBe(false)
    const { window } = SHARED_CAPS[name]
    const next = AT - (AT % window) + window
    expect(await gate.all([call(name, from(0), next)])).toEqual([true])
  })
})

test("the newcomers' tenth is one use for each new address, and no identity or domain is new", async () => {
  await using gate = opened()
  const caps = changedCaps({ ARTIFACTS: { max: 100 } })
  const from = (client: string, at = AT) => ({
    name: "ARTIFACTS" as const,
    writer: freeWriter(at, { client, caps }),
    counted: { agent: client },
  })
  await gate.all(Array.from({ length: 400 }, (_, n) => from(`203.0.113.${n % 90}`)))
  expect(await gate.all([from("198.51.100.1"), from("198.51.100.1"), from("198.51.100.2")])).toEqual([
    true,
    false,
    true,
  ])
  // An address that was seen within a day is not new on the next day either, but it has its share.
  await gate.all(Array.from({ length: 400 }, (_, n) => from(`203.0.113.${n % 90}`, AT + DAY / 2 + 1)))
  expect(await gate.all([from("198.51.100.1", AT + DAY / 2 + 2)])).toEqual([false])
  expect(await gate.all([from("198.51.100.9", AT + DAY / 2 + 2)])).toEqual([true])
})

test("senders without an address have no reserve: the whole cap is split by domain, mailbox or wallet", async () => {
  await using gate = opened()
  const caps = changedCaps({ MAILS_BY_MAIL: { max: 100 }, MAILS_RECEIVED: { max: 100 }, JOBS: { max: 100 } })
  for (const name of WITHOUT_ADDRESS) {
    const from = (n: number) => ({
      name,
      writer: freeWriter(AT, { client: null, caps }),
      counted: name === "JOBS" ? { agent: `0x${n}` } : { domain: `d${n}.example`, mailbox: `a@d${n}.example` },
    })
    // A hundred names, which are free to make, use all of it: nothing is kept for a further one, and its refusal names all.
    const flood = await gate.all(Array.from({ length: 100 }, (_, n) => from(n)))
    expect([name, flood.filter(Boolean).length]).toEqual([name, 100])
    const refused = await gate.store.run(() => admit(name, from(100).writer, from(100).counted))
    expect(refused).toMatchObject({ kind: "NOT_ADMITTED", cap: name, whose: "ALL" })
    // One name gets its share and no more, so it takes all of the cap from nobody.
    const one = await gate.all(
      Array.from({ length: 100 }, () => ({ ...from(7), writer: freeWriter(AT + DAY, { client: null, caps }) })),
    )
    expect(one.filter(Boolean).length).toBeLessThan(5)
    expect(await gate.all([{ ...from(8), writer: freeWriter(AT + DAY, { client: null, caps }) }])).toEqual([true])
  }
})

test("an IPv6 customer is one address, and two providers are two", async () => {
  await using gate = opened()
  const caps = changedCaps({ ENROLMENTS: { ofAddress: 1 } })
  const from = (client: string) => ({
    name: "ENROLMENTS" as const,
    writer: freeWriter(AT, { client, caps }),
    counted: {},
  })
  expect(await gate.all([from("2001:db8:1:1::/64"), from("2001:db8:1:2::/64"), from("2001:db8:2:1::/64")])).toEqual([
    true,
    false,
    true,
  ])
})

test("counts are removed a day after their last use", async () => {
  await using gate = opened()
  await gate.all([call("ARTIFACTS", NEW)])
  const rows = () => gate.database.query("SELECT count(*) AS n FROM shared_use").get() as { n: number }
  expect(await gate.store.run(() => purgeSharedUse(AT - 1))).toBe(0)
  expect(rows().n).toBeGreaterThan(0)
  await gate.store.run(() => purgeSharedUse(AT))
  expect(rows().n).toBe(0)
})

/** Limits beside the caps above that all callers fill together, each with the test that shows that another caller gets through. */
const SHOWN_BY: Readonly<Record<string, string | (() => void)>> = {
  IN_FLIGHT_MAX: "test/http/in-flight.test.ts",
  UNPAID_IN_FLIGHT_MAX: "test/http/in-flight.test.ts",
  QUEUE_UNITS_MAX: "test/http/in-flight.test.ts",
  CLIENTS_MAX: () => {
    const limiter = new RateLimiter({ monotonic: () => 0 })
    for (let n = 0; n < 100_100; n++) limiter.take("quotes", `address ${n}`, 60)
    expect(limiter.take("quotes", "another address", 60).remaining).toBe(59)
  },
  MAIL_WAITING_MAX: "test/free-writes/received-mail.test.ts",
  STOPS_UNPROVED_MAX: "test/store/contact/contact-stops.test.ts",
  STOPS_PROVED_MAX: "test/store/contact/contact-stops.test.ts",
  ALL_WALLETS_ENTRIES_MAX: "test/free-writes/wallets.test.ts",
  ALL_WALLETS_DOCUMENT_BYTES_MAX: "test/free-writes/wallets.test.ts",
  ALL_WALLETS_ANSWERS_MAX: "test/free-writes/wallets.test.ts",
  JOURNEYS_WAITING_MAX: "test/agent-mode/sandbox/run-journey.test.ts",
}

test("every limit of the page that callers share is shown to leave another caller through", async () => {
  expect(
    LIMITS.filter(({ isShared }) => isShared)
      .map(({ constant }) => constant)
      .toSorted(),
  ).toEqual(Object.keys(SHOWN_BY).toSorted())
  for (const [constant, shown] of Object.entries(SHOWN_BY)) {
    if (typeof shown === "string") expect([constant, await Bun.file(shown).exists()]).toEqual([constant, true])
    else shown()
  }
})
