/** Capsules on an engine whose units run side by side: each gets one leaf, soon after its sale, whatever happens between. */
import { describe, expect } from "bun:test"
import { salesSamples } from "../../../src/admin/sales-samples.ts"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { digestBytes } from "../../../src/core/digest.ts"
import { instant, SECOND } from "../../../src/core/time.ts"
import { UnchargedCounts } from "../../../src/http/process-counts.ts"
import { sequencing } from "../../../src/store/engine/postgres/sequencing.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { activateKey, revokeKey, type ServiceKey } from "../../../src/store/identity/service-keys.ts"
import { capsulesWaitSince, sequencePending, waitingCapsules } from "../../../src/store/log/sequenced-log.ts"
import {
  appendKeyEvent,
  appendStatement,
  leafRange,
  readTreeHead,
  rootHashAt,
} from "../../../src/store/log/transparency-log.ts"
import { findDelivery } from "../../../src/store/sales/deliveries.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { until } from "../../fixtures/until.ts"
import { postgresBench } from "../engine/postgres/postgres-bench.ts"
import { AT, LATER } from "../money-rows.ts"
import { capsuleDigest, computeSale, deliver, sell } from "./delivered-capsules.ts"

const test = slowTests(import.meta.path)

const names = (count: number, prefix = "") => Array.from({ length: count }, (_, i) => `${prefix}${i}`)
const placeOf = async (store: Store, name: string) =>
  (await store.read(() => findDelivery(`drq_${name}`)))?.logIndex ?? null
const placesOf = (store: Store, sold: readonly string[]) => Promise.all(sold.map((name) => placeOf(store, name)))

/** Digests of all leaves, in their order. Fails unless nodes, frontier and leaves are one tree. */
async function logged(store: Store): Promise<string[]> {
  const { head, root, leaves } = await store.read(function* () {
    const head = yield* readTreeHead()
    return { head, root: yield* rootHashAt(head.size), leaves: yield* leafRange(0, 100_000) }
  })
  expect(leaves.length).toBe(head.size)
  expect(root).toEqual(head.rootHash)
  return leaves.map((data) => `sha256:${Buffer.from(data.subarray(32, 64)).toString("hex")}`)
}

async function drained(store: Store): Promise<void> {
  while ((await sequencePending(store)) > 0);
}

describe.skipIf(!HAS_POSTGRES)(`capsules that wait for their leaf${NOT_RUN}`, () => {
  test(
    "get it from the next unit in the order, and those of one unit in the order of their ids",
    postgresBench(async ({ store, admin }) => {
      await store.run(() => appendStatement("ARTIFACT", digestBytes("before")))
      const sold = names(5)
      for (const name of sold) await sell(store, name)
      expect(await placesOf(store, sold)).toEqual([null, null, null, null, null])
      expect(await logged(store)).toEqual([digestBytes("before")])
      expect(await sequencePending(store)).toBe(5)
      expect(await placesOf(store, sold)).toEqual([1, 2, 3, 4, 5])
      expect(await logged(store)).toEqual([digestBytes("before"), ...sold.map(capsuleDigest)])
      expect(await admin`select 1 from log_pending`.values()).toHaveLength(0)
      expect(await sequencePending(store)).toBe(0)
    }),
  )

  test(
    "are at most 256 in one unit, and the rest come with the next",
    postgresBench(async ({ store, admin }) => {
      await admin`insert into log_pending (kind, digest, request_id)
        select 'CAPSULE', 'sha256:' || encode(sha256(n::text::bytea), 'hex'), 'drq_' || n from generate_series(1, 600) n`
      const rounds = [await sequencePending(store), await sequencePending(store), await sequencePending(store)]
      expect(rounds).toEqual([256, 256, 88])
      expect(await logged(store)).toEqual(names(600).map((_, i) => digestBytes(String(i + 1))))
    }),
  )

  test(
    "the loop of a process gives it within moments, and stops",
    postgresBench(async ({ store }) => {
      const log = createLog("error", () => {}, realMachine.now)
      const worker = sequencing(store, { machine: realMachine, log })
      worker.start()
      for (const name of names(3)) await sell(store, name)
      await until("all have leaves", async () => (await placesOf(store, names(3))).every((place) => place !== null))
      await worker.stop()
      await sell(store, "late")
      await Bun.sleep(60)
      expect(await placeOf(store, "late")).toBeNull()
      expect(log.raised.error).toBe(0)
    }),
  )

  test(
    "the time of the delivery of the oldest one says for how long it waits",
    postgresBench(async ({ store }) => {
      const since = () => store.read(capsulesWaitSince)
      expect(await since()).toBeNull()
      await sell(store, "first", {}, AT)
      await sell(store, "second", {}, LATER)
      const samples = await salesSamples({
        ...{ store, machine: { now: () => instant(LATER) }, uncharged: new UnchargedCounts() },
        logSize: { lagMs: () => 0 },
      })
      const waits = samples.find(({ metric }) => metric === "bizauth_log_wait_seconds")
      expect([await since(), waits?.value]).toEqual([AT, (instant(LATER) - instant(AT)) / SECOND])
      await drained(store)
      expect(await since()).toBeNull()
    }),
  )

  test(
    "a unit that holds the order of the log anyway gives its capsule the leaf itself",
    postgresBench(async ({ store }) => {
      await computeSale(store, "a")
      expect(await store.run(() => deliver("a"), "log")).toBe(true)
      expect(await placeOf(store, "a")).toBe(0)
      expect(await store.read(waitingCapsules)).toBeNull()
    }),
  )

  test(
    "a sale that is rolled back leaves none that waits",
    postgresBench(async ({ store }) => {
      await computeSale(store, "a")
      const bug = new Error("a bug")
      const failed = store.run(function* () {
        yield* deliver("a")
        throw bug
      })
      await expect(failed).rejects.toBe(bug)
      expect(await store.read(waitingCapsules)).toBeNull()
    }),
  )

  test(
    "are not lost with a store that is closed or killed: the next store gives each one leaf",
    postgresBench(async ({ store, further, endSessions }) => {
      const first = further()
      const sold = names(20)
      await Promise.all(sold.map((name) => sell(first, name)))
      await first.close()
      // What a killed process leaves: the server ends its connections.
      const second = further()
      await Promise.all(names(20, "b").map((name) => sell(second, name)))
      await endSessions("ALL")
      await drained(store)
      const all = [...sold, ...names(20, "b")]
      expect((await placesOf(store, all)).toSorted((a, b) => Number(a) - Number(b))).toEqual(names(40).map(Number))
      expect((await logged(store)).toSorted()).toEqual(all.map(capsuleDigest).toSorted())
    }),
  )

  test.each([
    ["before it reached the server", "STORE", "\0commit\0"],
    ["after it reached the server", "SERVER", "COMMIT\0"],
  ] as const)("get one leaf from a unit whose commit is lost %s", (_when, side, words) =>
    postgresBench(async ({ store, further, proxy }) => {
      const way = await proxy()
      let cuts = 1
      way.cutAt(({ from, text }) => from === side && text.includes(words) && cuts-- > 0)
      const cutOff = further({}, way.url)
      for (const name of names(3)) await sell(store, name)
      expect(await sequencePending(cutOff)).toBe(3)
      expect(cutOff.counts.lostOutcomes).toBe(1)
      expect(await logged(store)).toEqual(names(3).map(capsuleDigest))
    })(),
  )

  test(
    "600 mixed appends over two stores that both give leaves are one history",
    postgresBench(async ({ store, further }) => {
      const stores = [store, further()] as const
      const log = createLog("error", () => {}, realMachine.now)
      const workers = stores.map((one) => sequencing(one, { machine: realMachine, log }))
      for (const worker of workers) worker.start()
      const appended = await Promise.all(
        Array.from({ length: 600 }, async (_, i) => {
          const [on, name] = [stores[i % 2] ?? store, `m${i}`]
          if (i % 3 === 1) {
            await sell(on, name)
            return capsuleDigest(name)
          }
          const digest = digestBytes(name)
          if (i % 3 === 0) await on.run(() => appendStatement("ARTIFACT", digest), i % 2 === 0 ? "log" : undefined)
          else await on.run(() => appendKeyEvent(`svc:agent:${i % 17}`, digest))
          return digest
        }),
      )
      await until("nothing waits", async () => (await store.read(waitingCapsules)) === null)
      await Promise.all(workers.map((worker) => worker.stop()))
      const leaves = await logged(store)
      expect(leaves.toSorted()).toEqual(appended.toSorted())
      const sold = names(600).flatMap((n) => (Number(n) % 3 === 1 ? [`m${n}`] : []))
      const places = await placesOf(store, sold)
      expect(places.map((place) => leaves[place ?? -1])).toEqual(sold.map(capsuleDigest))
      expect(log.raised.error).toBe(0)
    }),
    60_000,
  )

  test(
    "sales of one store that come one after the other have their leaves in that order, while another store gives leaves too",
    postgresBench(async ({ store, further }) => {
      const other = further()
      const log = createLog("error", () => {}, realMachine.now)
      const workers = [store, other].map((one) => sequencing(one, { machine: realMachine, log }))
      for (const worker of workers) worker.start()
      for (const name of names(40)) await sell(store, name)
      await until("nothing waits", async () => (await store.read(waitingCapsules)) === null)
      await Promise.all(workers.map((worker) => worker.stop()))
      expect(await logged(store)).toEqual(names(40).map(capsuleDigest))
    }),
  )

  test(
    "have it before the key that signed them is revoked",
    postgresBench(async ({ store, further }) => {
      const key = (keyId: string): ServiceKey => ({
        ...{ keyId, use: "statement", x: keyId, status: "ACTIVE", createdAt: AT, notBefore: AT },
        ...{ expiresAt: "2027-11-21T10:00:00.000Z", revokedSince: null },
      })
      await store.run(() => activateKey(key("old")))
      await store.run(() => activateKey(key("new")))
      const sold = names(300)
      await Promise.all(sold.map((name) => sell(store, name)))
      const seen = await further().run(function* () {
        const outcome = yield* revokeKey("old", AT)
        return [outcome, yield* waitingCapsules()]
      })
      expect(seen).toEqual(["REVOKED", null])
      expect((await logged(store)).toSorted()).toEqual(sold.map(capsuleDigest).toSorted())
      expect((await placesOf(store, sold)).every((place) => place !== null)).toBe(true)
    }),
    30_000,
  )
})
