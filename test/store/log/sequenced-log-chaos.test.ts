/** Connections end at random while two stores sell and give leaves. Every sale that a caller heard of has one leaf, and no other sale has one. */
import { expect, test } from "bun:test"
import { createLog } from "../../../src/base/log.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { sequencing } from "../../../src/store/engine/postgres/sequencing.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import type { Store } from "../../../src/store/engine/unit.ts"
import { sequencePending } from "../../../src/store/log/sequenced-log.ts"
import { leafRange, readTreeHead, rootHashAt } from "../../../src/store/log/transparency-log.ts"
import { atLength } from "../../fixtures/long.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { endConnections } from "../engine/postgres/end-connections.ts"
import { postgresBench } from "../engine/postgres/postgres-bench.ts"
import { capsuleDigest, sell } from "./delivered-capsules.ts"

const SECONDS = atLength(3, 30)
const CALLERS = 12

/** Names of the sales that were acknowledged. */
async function sellUntil(stores: readonly [Store, Store], end: number): Promise<string[]> {
  const sold: string[] = []
  const call = async (caller: number) => {
    for (let n = 0; performance.now() < end; n++) {
      const name = `${caller}-${n}`
      try {
        await sell(caller % 2 === 0 ? stores[0] : stores[1], name)
        sold.push(name)
      } catch (error) {
        if (!(error instanceof StoreUnavailable)) throw error
      }
    }
  }
  await Promise.all(Array.from({ length: CALLERS }, (_, caller) => call(caller)))
  return sold
}

test.skipIf(!HAS_POSTGRES)(
  `${SECONDS} s of ended connections: the acknowledged sales, the stored sales and the leaves are the same${NOT_RUN}`,
  postgresBench(async ({ store, further, url, admin }) => {
    const stores = [store, further()] as const
    const log = createLog("error", () => {}, realMachine.now)
    const workers = stores.map((one) => sequencing(one, { machine: realMachine, log }))
    for (const worker of workers) worker.start()
    const end = performance.now() + SECONDS * 1_000
    const [ended, sold] = await Promise.all([endConnections(url, end), sellUntil(stores, end)])
    await Promise.all(workers.map((worker) => worker.stop()))
    while ((await sequencePending(store)) > 0);
    const delivered = await admin`select capsule_digest, log_index::int from delivery where body is not null
      order by log_index`.values()
    const { head, root, leaves } = await store.read(function* () {
      const head = yield* readTreeHead()
      return { head, root: yield* rootHashAt(head.size), leaves: yield* leafRange(0, 1_000_000) }
    })
    expect(ended).toBeGreaterThan(SECONDS * 10)
    expect(root).toEqual(head.rootHash)
    const logged = leaves.map((data, at) => [`sha256:${Buffer.from(data.subarray(32, 64)).toString("hex")}`, at])
    expect([...delivered]).toEqual(logged)
    expect(logged.map(([digest]) => String(digest)).toSorted()).toEqual(sold.map(capsuleDigest).toSorted())
    expect(sold.length).toBeGreaterThan(SECONDS)
    if (process.env["BIZAUTH_SHOW"])
      console.log({ ended, sold: sold.length, counts: stores.map(({ counts }) => counts) })
  }),
  SECONDS * 1_000 + 60_000,
)
