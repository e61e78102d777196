/** Every product's answer is in the list of what was sold, the same whether its own unit noted it or a later step found its delivery. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import { listSold } from "../../src/delivery/sold-list.ts"
import { partyKeys } from "../../src/store/sales/party-keys.ts"
import { listWaiting } from "../../src/store/sales/sold-answers.ts"
import { findSold } from "../../src/store/sales/sold-pages.ts"
import { STORED_BUILDS } from "../corpus/builds.ts"
import { storedIn } from "../corpus/stored-bundle.ts"
import { type Bought, buyAnswer } from "../fixtures/answers.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"
import { EACH_PRODUCT, PRODUCT_ROWS, prepareProducts, purchaseOf } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { decodeHeader, type TestServer } from "../fixtures/test-server.ts"
import { ANY, BEGIN_FILL, WHOLE } from "../store/sales/sold-rows.ts"
import { type Bench, openBench } from "./selling-bench.ts"

const test = slowTests(import.meta.path)

let bench: Bench
let server: TestServer
const sold = new Map<string, Bought>()
beforeAll(async () => {
  bench = await openBench()
  server = await bench.server()
  await prepareProducts(server)
  for (const row of PRODUCT_ROWS) {
    const bought = await buyAnswer(server, purchaseOf(row, row.body()))
    if (bought.status !== 200) throw new Error(`${row.id} is not sold: ${bought.text}`)
    sold.set(row.id, bought)
  }
}, 60_000)
afterAll(() => bench.close())

async function listed() {
  await listWaiting(server.store)
  return (await findSold(server.store, ANY, WHOLE)).answers
}

const boughtOf = (id: string): Bought => {
  const bought = sold.get(id)
  if (!bought) throw new Error(`${id} was not bought`)
  return bought
}

describe.each(EACH_PRODUCT)("%s", (id) => {
  test("has one row, with what was answered and who paid", async () => {
    const rows = (await listed()).filter(({ product }) => product === id)
    const { answer, headers } = boughtOf(id)
    const { execution_id, decision_id, decision } = answer as typeof answer & { decision_id?: string }
    expect(rows).toHaveLength(1)
    expect(rows[0]).toMatchObject({
      decision,
      answerId: decision_id ?? execution_id,
      payer: DEV_ACCOUNTS.payer.address.toLowerCase(),
      tx: decodeHeader<{ transaction: string }>(headers.get("payment-response")).transaction.toLowerCase(),
    })
    const delivery = await bench.database.row<{ at: string; reference: string }>(
      "SELECT delivered_at AS at, delivery_reference AS reference FROM delivery WHERE request_id = ?1",
      rows[0]?.requestId ?? "",
    )
    expect(delivery).toEqual({ at: rows[0]?.soldAt ?? "", reference: rows[0]?.deliveryReference ?? "" })
  })

  test("is found by the supplier's name in another case, and by its identifier", async () => {
    const [row] = (await listed()).filter(({ product }) => product === id)
    const given = await bench.database.row<{ text: string }>(
      "SELECT request_json AS text FROM decision_request WHERE id = ?1",
      row?.requestId ?? "",
    )
    const { supplier, company, company_number: number } = JSON.parse(given?.text ?? "{}")
    const { lei, uei } = (supplier ?? company)?.identifiers ?? {}
    const identifier = number ? `company:${number}` : lei ? `lei:${lei}` : `uei:${uei}`
    for (const party of [
      { names: [` ${row?.supplier.toUpperCase()}. `], identifiers: [] },
      { names: [], identifiers: [identifier] },
    ]) {
      const [partyKey = ""] = partyKeys(party)
      const { answers } = await findSold(server.store, { ...ANY, partyKey, product: id }, WHOLE)
      expect([party, answers.map(({ answerId }) => answerId)]).toEqual([party, [row?.answerId ?? ""]])
    }
  })
})

test("a step that finds the deliveries makes the same rows", async () => {
  const { database, deps, store } = server
  const parties = () => database.rows("SELECT party_key, sold_at FROM sold_party ORDER BY party_key, sold_at")
  const before = [await listed(), await parties()] as const
  expect(before[0]).toHaveLength(PRODUCT_IDS.length)
  await database.write("DELETE FROM sold_answer")
  await database.write("DELETE FROM sold_party")
  await database.write(BEGIN_FILL)
  while (await listSold({ store, products: deps.products }));
  const rows = (answers: (typeof before)[0]) =>
    answers.map(({ seq, ...row }) => row).toSorted((a, b) => (a.requestId < b.requestId ? -1 : 1))
  expect(rows(await listed())).toEqual(rows(before[0]))
  expect(await parties()).toEqual(before[1])
})

test("an answer given again, and one that is never paid, have no further row", async () => {
  const [row] = PRODUCT_ROWS
  if (!row) throw new Error("no product")
  const before = await listed()
  const purchase = purchaseOf(row, row.body())
  expect((await server.post(purchase.body, purchase.headers, row.path)).status).toBe(402)
  const { payment } = await buyAnswer(server, purchase)
  expect((await listed()).length).toBe(before.length + 1)
  await buyAnswer(server, purchase, payment)
  expect((await listed()).length).toBe(before.length + 1)
  expect(await bench.database.count("delivery", "body IS NOT NULL")).toBe(before.length + 1)
})

describe.each(STORED_BUILDS)("the deliveries of the $name", ({ name: build, unnamed: expected }) => {
  test("say who paid and whom they are about", () => {
    const unnamed: string[] = []
    for (const { product, case: name, bundle } of storedIn(build).stored) {
      const scope = "0x1111111111111111111111111111111111111111"
      const soldTo = server.deps.products
        .get(product)
        ?.soldTo({ scope, requestJson: JSON.stringify(bundle.request) }, JSON.stringify(bundle.facts))
      const { names = [], identifiers = [] } = soldTo?.party ?? {}
      if (names.length === 0) unnamed.push(`${product} ${name}`)
      expect([name, identifiers.length > 0]).toEqual([name, true])
      expect(soldTo?.payer).toMatch(/^0x[0-9a-f]{40}$/)
    }
    expect(unnamed).toEqual([...expected])
  })
})
