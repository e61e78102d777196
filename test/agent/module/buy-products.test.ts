/** The published client buys every product from a real service on a real chain, in this process, and its payments are sent once. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import type * as declared from "../../../src/agent/module/client.d.ts"
import { DAY, SECOND } from "../../../src/core/time.ts"
import { publishedClient } from "../../../src/discovery/published-client.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { issuerJwks } from "../../fixtures/decision.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { sample } from "../../fixtures/long.ts"
import { EACH_PRODUCT, PRODUCT_ROWS } from "../../fixtures/products.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { issuer } from "../../fixtures/test-server.ts"
import { openProductServers, type ProductServers } from "../../products/product-servers.ts"

const test = slowTests(import.meta.path)
const workspace = freshDirectory()
const LIMIT = 1_000_000n
const { payer, stranger } = DEV_ACCOUNTS

let module: typeof declared
let servers: ProductServers

beforeAll(async () => {
  const { client, verifier } = publishedClient()
  writeFileSync(join(workspace.path, "client.mjs"), client)
  writeFileSync(join(workspace.path, "verifier.mjs"), verifier)
  module = (await import(join(workspace.path, "client.mjs"))) as typeof declared
  servers = await openProductServers()
})
afterAll(async () => {
  await servers.close()
  workspace[Symbol.dispose]()
})

/** A client with a store in memory. `sent` has every payment that left it, and `signed` counts signatures of the wallet. */
function buyer(account = payer) {
  const kept = new Map<string, string>()
  const sent: string[] = []
  const count = { signed: 0 }
  const store: declared.Store = {
    get: (name) => kept.get(name) ?? null,
    add: (name, text) => {
      if (kept.has(name)) throw new Error("exists")
      kept.set(name, text)
    },
  }
  const send = async (request: Request) => {
    const payment = request.headers.get("payment-signature")
    if (payment !== null) sent.push(payment)
    return servers.servers[0].handle(request)
  }
  const wallet: declared.Wallet = {
    address: account.address,
    signTypedData: (typed) => {
      count.signed++
      return account.signTypedData(typed as Parameters<typeof account.signTypedData>[0])
    },
  }
  const client = module.createClient({ server: "http://localhost", store, fetch: send })
  return { client, wallet, store, kept, sent, count }
}

type Buyer = ReturnType<typeof buyer>

async function quoted({ client }: Buyer, product: string, request: declared.JsonObject): Promise<declared.Quote> {
  const quote = await client.quote(product, request)
  if (quote.kind !== "QUOTE") throw new Error(quote.reasonCodes.join())
  return quote
}

const json = (value: object) => JSON.parse(JSON.stringify(value)) as declared.JsonObject
const transfers = async () => (await servers.chain.transfersTo(DEV_ACCOUNTS.payTo.address)).length
const now = Math.floor(Date.now() / SECOND) * SECOND
const keys = JSON.stringify(issuerJwks(issuer, { nbf: (now - DAY) / SECOND, exp: (now + DAY) / SECOND }))
const failure = (call: Promise<unknown>) =>
  call.then(
    () => "no error",
    (error: declared.ClientError) => `${error.name} ${error.code}`,
  )

describe.each(sample(EACH_PRODUCT, 4))("%s", (id, row) => {
  test("is bought within the limit, paid once, repeated unchanged and verified", async () => {
    const own = buyer()
    const request = json(row.body())
    expect(Object.keys(await own.client.eligibility(id, request)).length).toBeGreaterThan(3)
    const quote = await quoted(own, id, request)
    const isReviewed = quote.reviewDuty === "HUMAN_REVIEW_BEFORE_PAYMENT"
    expect(isReviewed).toBe(row.country === "GB")
    const terms = { quote, request, wallet: own.wallet, limitAtomic: LIMIT }
    if (isReviewed) expect(await failure(own.client.pay(terms))).toBe("ClientError REFUSED")
    expect(own.count.signed).toBe(0)
    const before = await transfers()
    const answer = await own.client.pay({ ...terms, reviewedByPerson: true })
    const repeated = await own.client.repeat(id, request)
    if (answer.kind !== "ANSWER" || repeated.kind !== "ANSWER") throw new Error("not delivered")
    expect([repeated.reference, await transfers()]).toEqual([answer.reference, before + 1])
    expect([own.count.signed, new Set(own.sent).size, own.kept.size]).toEqual([1, 1, 1])
    const { capsule } = answer
    const verified = await module.verifyDocument(answer.bytes, { issuer: keys, request, capsule, environment: "test" })
    expect([verified.text.includes("GENUINE"), verified.decision]).toEqual([true, answer.decision])
  })
})

function rowOf(wanted: string) {
  const row = PRODUCT_ROWS.find(({ id }) => id === wanted)
  if (!row) throw new Error(`no product ${wanted}`)
  return row
}
const us = rowOf("us.company.check.v1")

test("without a limit, above it, for another payee and with the quote of another request nothing is signed", async () => {
  const own = buyer()
  const request = json(us.body())
  const quote = await quoted(own, us.id, request)
  const terms = { quote, request, wallet: own.wallet, limitAtomic: LIMIT }
  const unlimited = { ...terms, limitAtomic: undefined as unknown as bigint }
  expect(await failure(own.client.pay(unlimited))).toBe("ClientError USAGE")
  expect(await failure(own.client.pay({ ...terms, limitAtomic: 1 as unknown as bigint }))).toBe("ClientError USAGE")
  expect(await failure(own.client.pay({ ...terms, limitAtomic: quote.amountAtomic - 1n }))).toBe("ClientError REFUSED")
  expect(await failure(own.client.pay({ ...terms, payTo: stranger.address }))).toBe("ClientError REFUSED")
  expect(await failure(own.client.pay({ ...terms, request: json(us.body()) }))).toBe("ClientError REFUSED")
  expect([own.count.signed, own.sent, own.kept.size]).toEqual([0, [], 0])
  expect(await failure(own.client.repeat(us.id, request))).toBe("ClientError NOT_FOUND")
})

test("a wrong product, request or key rejects the call, and nothing is sent", async () => {
  const send = () => Promise.reject(new Error("sent"))
  const client = module.createClient({ server: "http://localhost", store: buyer().store, fetch: send })
  const decision = "decision-gate.release-payment-to-supplier.v1"
  const keys = { ...module.createKeys(), agent_id: `svc:agent:${"x".repeat(32)}` }
  const { publicKey } = module.createOrganizationKey()
  const organizationKey = publicKey as declared.OrganizationKey
  const terms = { keys, organizationKey, organizationId: "o", organizationDigest: "d", maxPayment: "1" }
  for (const call of [
    client.eligibility("us.unknown.v1", {}),
    client.contact("us.unknown.v1", {}),
    client.quote("us.unknown.v1", {}),
    client.read("us.unknown.v1", "exe"),
    client.quote(decision, {}),
    client.repeat(decision, {}),
    client.recover(keys, {}),
    client.delegate(terms),
  ]) {
    expect(await failure(call)).toBe("ClientError USAGE")
  }
})

test("while the store has no readable payment under the request's name, nothing new is signed", async () => {
  const own = buyer()
  const request = json(us.body())
  const quote = await quoted(own, us.id, request)
  const terms = { quote, request, wallet: own.wallet, limitAtomic: LIMIT }
  await own.client.pay(terms)
  const [[name, text] = ["", ""]] = own.kept
  const damaged = [
    "",
    "null",
    text.slice(1),
    JSON.stringify({ ...JSON.parse(text), quote: null }),
    JSON.stringify({ ...JSON.parse(text), payment_signature: "{}" }),
    JSON.stringify({ ...JSON.parse(text), payment_signature: btoa("{}") }),
  ]
  for (const one of damaged) {
    own.kept.set(name, one)
    expect([one, await failure(own.client.pay(terms))]).toEqual([one, "ClientError TRY_AGAIN"])
  }
  expect([own.count.signed, own.sent.length]).toEqual([1, 1])
})

test("two calls at once send one payment, and a rejected payment is never replaced by a new signature", async () => {
  const own = buyer()
  const request = json(us.body())
  const quote = await quoted(own, us.id, request)
  const before = await transfers()
  const terms = { quote, request, wallet: own.wallet, limitAtomic: LIMIT }
  await Promise.all([own.client.pay(terms), own.client.pay(terms)])
  expect([new Set(own.sent).size, own.kept.size, await transfers()]).toEqual([1, 1, before + 1])

  const poor = buyer(stranger)
  const wanted = json(us.body())
  const other = { ...terms, quote: await quoted(poor, us.id, wanted), request: wanted, wallet: poor.wallet }
  expect(await failure(poor.client.pay(other))).toBe("ClientError REFUSED")
  expect(await failure(poor.client.pay(other))).toBe("ClientError REFUSED")
  expect([poor.count.signed, new Set(poor.sent).size, poor.sent.length]).toEqual([1, 1, 2])
})

test("the bytes of a paid answer that cannot be read are in the error", async () => {
  const own = buyer()
  const request = json(us.body())
  const quote = await quoted(own, us.id, request)
  const store: declared.Store = {
    get: (name) => own.kept.get(name) ?? null,
    add: (name, text) => void own.kept.set(name, text),
  }
  const strange = new TextEncoder().encode(`{"product_or_solution":"${us.id}"}`)
  const client = module.createClient({ server: "http://localhost", store, fetch: async () => new Response(strange) })
  const paying = client.pay({ quote, request, wallet: own.wallet, limitAtomic: LIMIT })
  expect(await paying.catch((error: declared.ClientError) => [error.code, error.answer])).toEqual(["REFUSED", strange])
})

test("an answer is read again by its execution id", async () => {
  const row = rowOf("us.payment.authorize.v1")
  const own = buyer()
  const request = json(row.body())
  const quote = await quoted(own, row.id, request)
  const answer = await own.client.pay({ quote, request, wallet: own.wallet, limitAtomic: LIMIT })
  if (answer.kind !== "ANSWER") throw new Error("not delivered")
  const { execution_id: execution } = answer.body
  expect(await own.client.read(row.id, String(execution))).toMatchObject({ decision: answer.decision, replayed: true })
})

test("a private key in a request is not sent", async () => {
  const own = buyer()
  const secret = { note: { ...module.createKeys().operational } }
  expect(await failure(own.client.eligibility(us.id, secret))).toBe("ClientError USAGE")
})
