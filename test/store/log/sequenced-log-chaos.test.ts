/**
 * Connections end at random while two stores sell, give leaves and list what was sold. What buyers heard of, settled attempts, entitlements,
 * deliveries, leaves, counts and the list are the same purchases.
 */
import { expect } from "bun:test"
import type { SQL } from "bun"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { periodic } from "../../../src/base/worker.ts"
import { digestBytes } from "../../../src/core/digest.ts"
import { sequencing } from "../../../src/store/engine/postgres/sequencing.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { sequencePending } from "../../../src/store/log/sequenced-log.ts"
import { leafRange, readTreeHead, rootHashAt } from "../../../src/store/log/transparency-log.ts"
import { attemptCounts } from "../../../src/store/payments/attempt-counts.ts"
import { decisionCounts } from "../../../src/store/sales/decision-counts.ts"
import { listWaiting } from "../../../src/store/sales/sold-answers.ts"
import { howMany } from "../../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { ENDED, ENDED_WITHIN_MS, type Ending, endConnections } from "../engine/postgres/end-connections.ts"
import { postgresBench } from "../engine/postgres/postgres-bench.ts"
import { purchase } from "../purchase-units.ts"

const test = slowTests(import.meta.path)

const CALLERS = 12
/** Several purchases of one payer are under way at a time. */
const PAYERS = 4
const LIST_EVERY_MS = 50

/** Names of the purchases that were acknowledged. */
async function sellUntil(stores: readonly [Store, Store], ending: Ending): Promise<string[]> {
  const sold: string[] = []
  const call = async (caller: number) => {
    for (let n = 0; !ending.isOver; n++) {
      const name = `${caller}-${n}`
      try {
        await purchase(caller % 2 === 0 ? stores[0] : stores[1], name, `payer${n % PAYERS}`, `owner${caller}`)
        sold.push(name)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
      }
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
  return sold.toSorted()
}

/** The names of the purchases in the rows that a query finds, in order. */
async function namesOf(admin: SQL, text: string): Promise<string[]> {
  const rows: { id: string }[] = await admin.unsafe(text)
  return rows.map(({ id }) => id.slice(4)).toSorted()
}

async function expectCountsOfRows(store: Store, admin: SQL): Promise<void> {
  const rows: { state: string; n: number }[] =
    await admin`select state, count(*)::int as n from payment_attempt group by state`
  const counts = await store.read(attemptCounts)
  const present = Object.fromEntries(counts.filter((one) => one.present !== 0).map((one) => [one.state, one.present]))
  expect(present).toEqual(Object.fromEntries(rows.map(({ state, n }) => [state, n])))
  const [decisions] = await admin`select count(*)::int as n from delivery where body is not null`
  expect(await store.read(decisionCounts)).toEqual([{ product: "p", decision: "ALLOW", answers: decisions.n }])
}

test.skipIf(!HAS_POSTGRES)(
  `${howMany(2_000, ENDED)} connections end: acknowledged, settled, delivered and listed purchases, leaves and counts are the same${NOT_RUN}`,
  postgresBench(async ({ store, further, url, admin }) => {
    const stores = [store, further()] as const
    const log = createLog("error", () => {}, realMachine.now)
    const workers = stores.map((one) => sequencing(one, { machine: realMachine, log }))
    const listing = stores.map((one) =>
      periodic("sold answers", LIST_EVERY_MS, () => listWaiting(one), { machine: realMachine, log }),
    )
    workers.push(...listing)
    for (const worker of workers) worker.start()
    const ending = endConnections(url)
    const [ended, sold] = await Promise.all([ending.ended, sellUntil(stores, ending)])
    await Promise.all(workers.map((worker) => worker.stop()))
    while ((await sequencePending(store)) > 0);
    await listWaiting(store)
    expect(ended).toBe(ENDED)
    expect(sold.length).toBeGreaterThan(ENDED / 50)
    for (const text of [
      "select id from payment_attempt where state = 'SETTLED'",
      "select request_id as id from delivery where body is not null",
      "select id from decision_request where state = 'DELIVERED'",
      "select request_id as id from entitlement",
      "select request_id as id from sold_answer",
      "select s.request_id as id from sold_party p join sold_answer s on s.seq = p.seq",
    ]) {
      expect(await namesOf(admin, text)).toEqual(sold)
    }
    await expectCountsOfRows(store, admin)
    const { head, root, leaves } = await store.read(function* () {
      const head = yield* readTreeHead()
      return { head, root: yield* rootHashAt(head.size), leaves: yield* leafRange(0, 1_000_000) }
    })
    expect(root).toEqual(head.rootHash)
    const delivered = await admin`select capsule_digest, log_index::int from delivery where body is not null
      order by log_index`.values()
    const logged = leaves.map((data, at) => [`sha256:${Buffer.from(data.subarray(32, 64)).toString("hex")}`, at])
    expect([...delivered]).toEqual(logged)
    expect(logged.map(([digest]) => digest).toSorted()).toEqual(sold.map(digestBytes).toSorted())
    if (process.env["BIZAUTH_SHOW"])
      console.log({ ended, sold: sold.length, counts: stores.map(({ counts }) => counts) })
  }),
  ENDED_WITHIN_MS + 60_000,
)
