/** The list of what was sold: what finds an answer, in which order, and where a list goes on. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import { listSold } from "../../../src/delivery/sold-list.ts"
import type { Store, Unit } from "../../../src/store/engine/unit.ts"
import { partyKeys } from "../../../src/store/sales/party-keys.ts"
import { referPurchase } from "../../../src/store/sales/purchase-moves.ts"
import { grantRedelivery, useRedelivery } from "../../../src/store/sales/redeliveries.ts"
import { listWaiting, referSold, transactionIn } from "../../../src/store/sales/sold-answers.ts"
import { isFilling, nextFillStep } from "../../../src/store/sales/sold-fill.ts"
import { findSold, type SoldFilter, type SoldRange } from "../../../src/store/sales/sold-pages.ts"
import { newStore, type TestStore } from "../../fixtures/new-store.ts"
import { LATER, reserved } from "../money-rows.ts"
import { ANY, BEGIN_FILL, deliverBefore, minute, PRODUCTS, sold, WHOLE } from "./sold-rows.ts"

let opened: TestStore
beforeEach(async () => {
  opened = await newStore()
})
afterEach(() => opened.close())

const keyOf = (name: string) => partyKeys({ names: [name], identifiers: [] })[0] ?? ""

async function found(filter: Partial<SoldFilter> = {}, range: Partial<SoldRange> = {}, lookedAtMax?: number) {
  await listWaiting(opened.store)
  const { answers, ...rest } = await findSold(opened.store, { ...ANY, ...filter }, { ...WHOLE, ...range }, lookedAtMax)
  return { ...rest, ids: answers.map(({ answerId }) => answerId) }
}

describe("a list", () => {
  beforeEach(() =>
    opened.store.run(function* () {
      yield* sold(1, { decision: "HOLD" })
      yield* sold(3, { product: "q" })
      yield* sold(2, { product: "q", decision: "HOLD", payer: "other" })
      yield* sold(4, { soldAt: minute(3), payer: "other" }, "SUPPLIER 1, L.L.C.")
    }),
  )

  test("has the newest answer first, and of one instant the one that was listed last", async () => {
    expect(await found()).toEqual({ ids: ["dec_4", "dec_3", "dec_2", "dec_1"], next: null, isCut: false })
  })

  test.each([
    [{ tx: "0x3" }, ["dec_3"]],
    [{ payer: "other" }, ["dec_4", "dec_2"]],
    [{ product: "q" }, ["dec_3", "dec_2"]],
    [{ decision: "HOLD" }, ["dec_2", "dec_1"]],
    [{ product: "q", decision: "HOLD" }, ["dec_2"]],
    [{ partyKey: keyOf("supplier 1 llc") }, ["dec_4", "dec_1"]],
    [{ partyKey: keyOf("supplier 1 llc"), decision: "HOLD", product: "p", payer: "payer", tx: "0x1" }, ["dec_1"]],
    [{ partyKey: partyKeys({ names: [], identifiers: ["lei:2"] })[0] ?? "" }, ["dec_2"]],
    [{ payer: "other", decision: "ALLOW" }, ["dec_4"]],
    [{ partyKey: keyOf("Supplier") }, []],
    [{ payer: "nobody" }, []],
  ] as const)("of %j has only these", async (filter, ids) => {
    expect((await found(filter)).ids).toEqual([...ids])
  })

  test("goes from a time, which is in it, to one that is not", async () => {
    expect((await found({}, { since: minute(2) })).ids).toEqual(["dec_4", "dec_3", "dec_2"])
    expect((await found({}, { before: { soldAt: minute(3), seq: 0 } })).ids).toEqual(["dec_2", "dec_1"])
    expect((await found({ payer: "payer" }, { since: minute(1), before: { soldAt: minute(2), seq: 0 } })).ids).toEqual([
      "dec_1",
    ])
  })

  test("goes on where the one before ended, whatever was sold in between", async () => {
    const ids: string[] = []
    let place: SoldRange["before"] | null = WHOLE.before
    for (let n = 10; place !== null; n++) {
      const page: Awaited<ReturnType<typeof found>> = await found({}, { before: place, limit: 1 })
      ids.push(...page.ids)
      place = page.next
      await opened.store.run(() => sold(n))
    }
    expect(ids).toEqual(["dec_4", "dec_3", "dec_2", "dec_1"])
  })

  test("ends with no place to go on when the limit is reached exactly", async () => {
    expect((await found({}, { limit: 4 })).next).toBeNull()
    expect((await found({}, { limit: 3 })).next).toMatchObject({ soldAt: minute(2) })
    expect((await found({ payer: "other" }, { limit: 2 })).next).toBeNull()
  })
})

test("a search that compares too many answers says so, and goes on where it ended", async () => {
  for (let from = 0; from < 2_100; from += 700) {
    await opened.store.run(function* () {
      for (let n = from; n < from + 700; n++) yield* sold(n, { decision: n === 3 ? "BLOCK" : "ALLOW" })
    })
  }
  const search = { payer: "payer", decision: "BLOCK" }
  const first = await found(search, {}, 1_000)
  expect([first.ids, first.isCut]).toEqual([[], true])
  const second = await found(search, { before: first.next ?? WHOLE.before }, 1_000)
  expect([second.ids, second.isCut]).toEqual([[], true])
  const third = await found(search, { before: second.next ?? WHOLE.before }, 1_000)
  expect(third).toEqual({ ids: ["dec_3"], next: null, isCut: false })
  expect((await found(search)).ids).toEqual(["dec_3"])
})

test("an answer is listed once, also when it waits twice", async () => {
  const { store } = opened
  await store.run(() => sold(1))
  await Promise.all([listWaiting(store), listWaiting(store), opened.another().then(listWaiting)])
  await store.run(() => sold(1))
  expect((await found()).ids).toEqual(["dec_1"])
  expect([await opened.count("sold_answer"), await opened.count("sold_waiting")]).toEqual([1, 0])
  expect(await opened.count("sold_party")).toBe(2)
})

test("a name of any length and any characters is kept, and found by its whole text", async () => {
  const name = `=cmd() ‮${"ﷺ\0\ud800".repeat(400)}`
  await opened.store.run(() => sold(1, {}, name))
  expect((await found({ partyKey: keyOf(name) })).ids).toEqual(["dec_1"])
  const row = await opened.row<{ supplier: string }>("SELECT supplier FROM sold_answer")
  expect(row?.supplier).toBe([...name.replaceAll("\0", "").toWellFormed()].slice(0, 350).join(""))
})

test("a party without a name that has a letter or a digit is found by its identifier", async () => {
  await opened.store.run(() => sold(1, {}, "…"))
  expect((await found({ partyKey: partyKeys({ names: [], identifiers: ["lei:1"] })[0] ?? "" })).ids).toEqual(["dec_1"])
  expect(partyKeys({ names: ["…", ""], identifiers: [] })).toEqual([])
})

/** Answer 1 arrived late, and answer 2 replaced it. A third answer was paid in the same transaction. */
function* soldAndReplaced(): Unit<void> {
  for (const name of ["1", "2", "3"]) yield* reserved(name)
  yield* grantRedelivery({ requestId: "drq_1", scope: "s", subject: "s", until: LATER })
  yield* useRedelivery("drq_1", "drq_2")
}

describe("after a reorganization", () => {
  const two = () => sold(2, { tx: "0x1" })

  test.each([
    ["that waits beside it", false, false],
    ["that waits", true, false],
    ["that is listed", true, true],
  ])(
    "an answer has the transaction of its payment now, and so has the answer %s and replaced it",
    async (_, isLateListed, isListed) => {
      const { store } = opened
      await store.run(soldAndReplaced)
      await store.run(() => sold(1))
      if (isLateListed) await listWaiting(store)
      await store.run(two)
      if (isListed) await listWaiting(store)
      await store.run(() => referSold("drq_1", "eip155:8453/tx/0xCC"))
      expect((await found({ tx: "0xcc" })).ids).toEqual(["dec_2", "dec_1"])
      expect((await found({ tx: "0x1" })).ids).toEqual([])
      await store.run(() => referSold("drq_unknown", "eip155:8453/tx/0xEE"))
      expect((await found({ tx: "0xee" })).ids).toEqual([])
    },
  )

  test("payments of one transaction that are in two now take only their own answers with them", async () => {
    const { store } = opened
    await store.run(soldAndReplaced)
    await store.run(() => sold(1))
    await store.run(() => sold(3, { tx: "0x1" }))
    await listWaiting(store)
    await store.run(two)
    await store.run(() => referSold("drq_1", "eip155:8453/tx/0xCC"))
    await store.run(() => referSold("drq_3", "eip155:8453/tx/0xDD"))
    expect((await found({ tx: "0xcc" })).ids).toEqual(["dec_2", "dec_1"])
    expect((await found({ tx: "0xdd" })).ids).toEqual(["dec_3"])
  })
})

test("the transaction of what paid is the transfer, or the funding of the job", () => {
  expect(transactionIn("eip155:8453/tx/0xAB")).toBe("0xab")
  expect(transactionIn("eip155:8453/0x238e541bfefd82238730d00a2208e5497f1832e0/job/7#0x01")).toBe("0x01")
})

describe("deliveries of a release without the list", () => {
  test("are listed in steps, beside new ones, which stay as they are", async () => {
    const { store } = opened
    await deliverBefore(store, 70)
    await opened.write(BEGIN_FILL)
    await store.run(() => sold(80))
    let steps = 0
    expect(await store.read(isFilling)).toBe(true)
    while (await listSold({ store, products: PRODUCTS })) steps++
    expect([steps, await store.read(isFilling)]).toEqual([2, false])
    const ids = Array.from({ length: 70 }, (_, n) => `dec_${String(69 - n).padStart(4, "0")}`)
    expect((await found()).ids).toEqual(["dec_80", ...ids])
    expect((await found({ payer: "payer3", decision: "HOLD" })).ids).toEqual(
      ids.filter((id) => Number(id.slice(4)) % 7 === 3),
    )
    expect((await found({ tx: "0x0042" })).ids).toEqual(["dec_0042"])
    expect((await found({ partyKey: keyOf("0042") })).ids).toEqual(["dec_0042"])
    expect(await listSold({ store, products: PRODUCTS })).toBe(false)
  })

  test("that two processes list at the same time are listed once", async () => {
    const { store } = opened
    await deliverBefore(store, 70)
    await opened.write(BEGIN_FILL)
    const other = await opened.another()
    const fill = async (one: typeof store) => {
      while (await listSold({ store: one, products: PRODUCTS }));
    }
    await Promise.all([fill(store), fill(other)])
    await Promise.all([fill(store), fill(other)])
    expect([await opened.count("sold_answer"), await opened.count("sold_party")]).toEqual([70, 140])
    expect(await store.read(isFilling)).toBe(false)
  })

  test("have the transaction to which their payment moved between the two parts of a step", async () => {
    const { store } = opened
    await deliverBefore(store, 2)
    await opened.write(BEGIN_FILL)
    const moving: Pick<Store, "read" | "run"> = {
      read: async (unit) => {
        const seen = await store.read(unit)
        if ((unit as unknown) !== nextFillStep) return seen
        await store.run(function* () {
          yield* referPurchase("att_0001", "eip155:8453/tx/0xCC")
          yield* referSold("drq_0001", "eip155:8453/tx/0xCC")
        })
        return seen
      },
      run: (unit, hint) => store.run(unit, hint),
    }
    while (await listSold({ store: moving, products: PRODUCTS }));
    expect((await found({ tx: "0xcc" })).ids).toEqual(["dec_0001"])
    expect((await found({ tx: "0x0000" })).ids).toEqual(["dec_0000"])
  })

  test("are none in a new database", async () => {
    expect(await opened.store.read(isFilling)).toBe(false)
    expect(await listSold({ store: opened.store, products: PRODUCTS })).toBe(false)
  })

  test("of a product that this program does not know stop the filling, and say which", async () => {
    await deliverBefore(opened.store, 1)
    await opened.write(BEGIN_FILL)
    const filled = listSold({ store: opened.store, products: new Map() })
    await expect(filled).rejects.toThrow("the delivered answer dlv_0000 is of an unknown product")
    expect(await opened.store.read(isFilling)).toBe(true)
  })
})
