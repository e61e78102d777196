/** A unit that lists answers and one that follows a reorganization meet on PostgreSQL, where units run side by side. */
import { describe, expect } from "bun:test"
import type { Store, Unit } from "../../../src/store/engine/unit.ts"
import { settleAttempt } from "../../../src/store/payments/attempt-moves.ts"
import { noteReinclusion } from "../../../src/store/payments/attempt-watch.ts"
import { findPurchase } from "../../../src/store/sales/purchases.ts"
import { grantRedelivery, useRedelivery } from "../../../src/store/sales/redeliveries.ts"
import { listWaiting, referSold, transactionIn } from "../../../src/store/sales/sold-answers.ts"
import { findSold } from "../../../src/store/sales/sold-pages.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { lasting } from "../engine/postgres/lasting.ts"
import { type PostgresBench, postgresBench } from "../engine/postgres/postgres-bench.ts"
import { AT, LATER, LEASE, reserved } from "../money-rows.ts"
import { ANY, sold, WHOLE } from "./sold-rows.ts"

const test = slowTests(import.meta.path)

const TRANSFER = { tx: "0x1", logIndex: 0, block: "1", blockHash: "0x1", finality: "INCLUDED" } as const

/** The unit, which lasts after its first statement until `isOver` is true. */
function* held<T>(unit: Unit<T>, isOver: () => boolean, onRead: () => void): Unit<T> {
  let step = unit.next()
  for (let isRead = false; !step.done; step = unit.next(yield step.value)) {
    if (isRead) {
      onRead()
      yield* lasting(isOver)
    }
    isRead = step.value.order === undefined
  }
  return step.value
}

/** Whether a transaction waits for the order that another one holds. */
async function isOrderAwaited({ admin }: PostgresBench): Promise<boolean> {
  const waiting = await admin`select 1 from pg_locks where relation = 'log_order'::regclass and not granted`
  return waiting.length > 0
}

describe.skipIf(!HAS_POSTGRES)(`PostgreSQL 18${NOT_RUN}`, () => {
  test(
    "an answer that is being listed while its payment moves has the transaction of now",
    postgresBench(async (bench) => {
      const { store } = bench
      await store.run(() => sold(1))
      let isOver = false
      const { promise: isRead, resolve: onRead } = Promise.withResolvers<void>()
      const slow: Pick<Store, "read" | "run"> = {
        read: (unit) => store.read(unit),
        run: (unit, hint) => store.run(() => held(unit(), () => isOver, onRead), hint),
      }
      const listed = listWaiting(slow)
      await isRead
      let isMoved = false
      const moved = bench
        .further()
        .run(() => referSold("drq_1", "eip155:8453/tx/0xCC"))
        .finally(() => {
          isMoved = true
        })
      while (!isMoved && !(await isOrderAwaited(bench))) await Bun.sleep(5)
      isOver = true
      await Promise.all([listed, moved])
      const { answers } = await findSold(store, ANY, WHOLE)
      expect(answers.map(({ tx }) => tx)).toEqual(["0xcc"])
    }),
  )

  test(
    "the replacement of a late answer whose payment moves meanwhile has the transaction of now",
    postgresBench(async ({ store, further }) => {
      await store.run(function* () {
        yield* reserved("1")
        yield* reserved("2")
        yield* settleAttempt("att_1", LEASE.owner, { from: "RESERVED", at: AT, transfer: TRANSFER })
        yield* grantRedelivery({ requestId: "drq_1", scope: "s", subject: "s", until: LATER })
      })
      let isMoved = false
      const { promise: isRead, resolve: onRead } = Promise.withResolvers<void>()
      const replaced = store.run(function* () {
        yield* useRedelivery("drq_1", "drq_2")
        const paid = yield* findPurchase("att_1")
        onRead()
        yield* lasting(() => isMoved)
        yield* sold(2, { tx: transactionIn(paid?.reference ?? "") })
      })
      await isRead
      await further().run(() =>
        noteReinclusion({ id: "att_1", settledBlockHash: "0x1" }, { ...TRANSFER, tx: "0xcc", blockHash: "0x2" }, LATER),
      )
      isMoved = true
      await replaced
      await listWaiting(store)
      const { answers } = await findSold(store, ANY, WHOLE)
      expect(answers.map(({ tx }) => tx)).toEqual(["0xcc"])
    }),
  )
})
