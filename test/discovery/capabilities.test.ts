/** The capability catalogue: what the rows sell, and whether a quote would be given now. */

import { afterAll, beforeAll, expect } from "bun:test"
import { Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { Capabilities } from "../../schemas/discovery/capabilities.ts"
import { CapabilityManifest } from "../../schemas/discovery/capability-manifest.ts"
import { paidOperation } from "../../schemas/paid-operation.ts"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import type { ErrorCode } from "../../src/base/refusals.ts"
import { HOUR, MINUTE, SECOND } from "../../src/core/time.ts"
import { judgeSaleOf } from "../../src/delivery/judge-sale.ts"
import type { PaidProduct } from "../../src/delivery/sale.ts"
import { router } from "../../src/http/router.ts"
import { serve } from "../../src/http/serve.ts"
import { routes, servedRoutes } from "../../src/server/app.ts"
import type { SourceState } from "../../src/sources/boards/source-board.ts"
import { type Chain, startChain } from "../fixtures/chain.ts"
import { newDatabase } from "../fixtures/new-store.ts"
import { BASE_URL, clockAt, testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { enterBuyer, freshRequest, openTestServer, staticBoard, type TestServer } from "../fixtures/test-server.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 0, 1)
const PATH = "/v1/agent/capabilities"

async function catalogueOf(handle: (request: Request) => Promise<Response>): Promise<Capabilities> {
  const response = await handle(new Request(BASE_URL + PATH))
  const body: unknown = await response.json()
  if (!Value.Check(Capabilities, body)) throw new Error("not a catalogue")
  return body
}

test("the rows give exactly the five commercial solutions of the interface", async () => {
  await using running = await testService(clockAt(START))
  const app = routes(running.service)
  const { solutions, products } = await catalogueOf((request) => app.handle(request))
  expect(solutions.toSorted((a, b) => (a.solution_id < b.solution_id ? -1 : 1))).toEqual([
    { solution_id: "company-check", operation_ids: ["us_company_check"], product_ids: ["us.company.check.v1"] },
    {
      solution_id: "invoice-payee-verification",
      operation_ids: ["us_invoice_payee_verify"],
      product_ids: ["us.invoice_payee.verify.v1"],
    },
    {
      solution_id: "payment-authorization",
      operation_ids: ["us_payment_authorize"],
      product_ids: ["us.payment.authorize.v1"],
    },
    {
      solution_id: "supplier-approval",
      operation_ids: ["us_supplier_approve"],
      product_ids: ["us.supplier.approve.v1"],
    },
    {
      solution_id: "vendor-change-continuous-authorization",
      operation_ids: ["us_vendor_authorization_continue", "us_vendor_payment_detail_change_authorize"],
      product_ids: ["us.vendor.authorization.continue.v1", "us.vendor.payment_detail_change.authorize.v1"],
    },
  ])
  expect(products).toHaveLength(PRODUCT_IDS.length)
  expect(
    products.every(({ schema, example, route }) => schema === `${route}/schema` && example === `${route}/example`),
  ).toBe(true)
})

test("products and free operations are all served rows", async () => {
  await using running = await testService(clockAt(START))
  const app = routes(running.service)
  const { products, free_operations } = await catalogueOf((request) => app.handle(request))
  const listed = [...products, ...free_operations].map(({ operation_id }) => operation_id)
  expect(listed.toSorted()).toEqual((running.service.shell.served?.rows() ?? []).map(({ id }) => id).toSorted())
})

test("the catalogue and the manifest print every path as OpenAPI does", async () => {
  await using running = await testService(clockAt(START))
  const app = routes(running.service)
  const { products, free_operations } = await catalogueOf((request) => app.handle(request))
  const read = async (path: string) => (await app.handle(new Request(BASE_URL + path))).json()
  const manifest = (await read("/.well-known/svc-capabilities.json")) as CapabilityManifest
  const { paths } = (await read("/v1/openapi.json")) as { readonly paths: object }
  const listed = [...free_operations.map(({ path }) => path), ...products.map(({ route }) => route)]
  expect(new Set(listed)).toEqual(new Set(Object.keys(paths)))
  expect(new Set(manifest.payload.operations.map(({ path }) => path))).toEqual(new Set(Object.keys(paths)))
})

test("the catalogue names budgets, those of presented payments too, only if the server counts calls", async () => {
  const budgetsWith = async (rate_limits: string) => {
    await using running = await testService(clockAt(START), { rate_limits })
    const app = routes(running.service)
    return (await catalogueOf((request) => app.handle(request))).limits.calls_per_minute
  }
  expect(await budgetsWith("on")).toContainEqual({ group: "mcp", per_minute: 600 })
  expect(await budgetsWith("on")).toContainEqual({ group: "presented payments", per_minute: 600 })
  expect(await budgetsWith("off")).toEqual([])
})

test("payments off: nothing is sellable, each product says why, and the next action is the free operations", async () => {
  await using running = await testService(clockAt(START))
  const app = routes(running.service)
  const { products, next_machine_action } = await catalogueOf((request) => app.handle(request))
  expect(new Set(products.map(({ sellable_now, why_not }) => `${sellable_now} ${why_not}`))).toEqual(
    new Set(["false PAYMENTS_OFF"]),
  )
  expect(next_machine_action).toBe("USE_FREE_OPERATIONS")
})

test.each([
  ["challenge_issuance", ["/v1/agent-identities/challenges"]],
  ["signature_verification", ["/v1/agent-id/artifacts", "/v1/agent-signatures/verify"]],
  [
    "agent_mode_planning",
    [
      "/v1/agent-mode/preflight",
      "/v1/agent-mode/quotes/exact",
      "/v1/agent-mode/readiness",
      "/v1/agent-mode/reuse/preview",
      "/v1/agent-mode/routes/best-valid",
    ],
  ],
] as const)("with %s off, exactly the routes that reply 503 are not enabled", async (setting, off) => {
  await using running = await testService(clockAt(START), { agent_mode_planning: "on", [setting]: "off" })
  const app = routes(running.service)
  const { free_operations } = await catalogueOf((request) => app.handle(request))
  const notEnabled = free_operations.filter(({ enabled }) => !enabled).map(({ path }) => path)
  expect(notEnabled.toSorted()).toEqual([...off])
  for (const { path, method, enabled } of free_operations.filter((one) => one.method === "POST")) {
    const response = await app.handle(new Request(BASE_URL + path, { method, body: "{}" }))
    expect({ path, refused: response.status === 503 }).toEqual({ path, refused: !enabled })
  }
})

test("the catalogue is computed at most once a second, and has a tag", async () => {
  const clock = clockAt(START)
  await using running = await testService(clock)
  const app = routes(running.service)
  const ask = (headers = {}) => app.handle(new Request(BASE_URL + PATH, { headers }))
  const [first, again] = await Promise.all([ask(), ask()])
  expect(first.headers.get("cache-control")).toBe("public, no-cache")
  expect(await again.text()).toBe(await first.text())
  clock.set(START + SECOND - 1)
  const tag = first.headers.get("etag") ?? ""
  expect((await ask({ "if-none-match": tag })).status).toBe(304)
  clock.set(START + SECOND)
  const second = await ask({ "if-none-match": tag })
  expect([second.status, ((await second.json()) as Capabilities).valid_as_of]).toEqual([
    200,
    "2026-01-01T00:00:01.000Z",
  ])
})

test("one added paid row stands in the manifest and the catalogue with no other change", async () => {
  await using running = await testService(clockAt(START))
  const added = paidOperation({
    id: "us_added_check",
    path: "/v1/us/added-check",
    summary: "An added product",
    body: Type.Object({}, { additionalProperties: false, $id: "Added" }),
    answer: Type.Object({}, { additionalProperties: false }),
    price: "0.07",
    product: { id: "us.added.check.v1", solution: "added", jurisdiction: "US", coverage: "FEDERAL_ONLY" },
    intent: { name: "CHECK_ADDED", notFor: [] },
  })
  const [slice] = running.service.slices
  const { delivery, shell } = running.service
  if (!slice) throw new Error("no product")
  const paid: PaidProduct = { ...slice.paid, id: added.product?.id ?? "", path: added.path }
  const products = new Map([...delivery.products, [paid.id, paid]])
  const service = { ...running.service, delivery: Object.create(delivery, { products: { value: products } }) }
  const app = router(shell, [...servedRoutes(service), serve(shell, added, () => ({ status: 402, body: {} }))])
  const catalogue = await catalogueOf((request) => app.handle(request))
  const line = catalogue.products.find(({ product_id }) => product_id === paid.id)
  expect(line).toMatchObject({ route: added.path, price: { amount: "0.07", amount_atomic: "70000", asset: "USDC" } })
  expect(catalogue.solutions).toContainEqual({
    solution_id: "added",
    operation_ids: [added.id],
    product_ids: [paid.id],
  })
  const manifest: unknown = await (
    await app.handle(new Request(`${BASE_URL}/.well-known/svc-capabilities.json`))
  ).json()
  if (!Value.Check(CapabilityManifest, manifest)) throw new Error("not a manifest")
  const { products: sold, operations, coverage } = manifest.payload
  expect(sold.map(({ product_id }) => product_id)).toContain(paid.id)
  expect(operations).toContainEqual({
    operation_id: added.id,
    method: "POST",
    path: added.path,
    authentication: "X402",
    charge: true,
    external_source_calls: false,
    lifecycle: "ACTIVE",
  })
  expect(coverage.find(({ jurisdiction }) => jurisdiction === "US")?.product_ids).toContain(paid.id)
})

/** `sellable_now` says what the paid route answers, because both make the same checks. */
let chain: Chain
beforeAll(async () => {
  chain = await startChain()
})
afterAll(() => chain.stop())

const states: readonly [name: string, change: (state: SourceState) => SourceState, why: ErrorCode | null][] = [
  ["healthy", (state) => state, null],
  ["stale", (state) => ({ ...state, health: "STALE", freshness: "STALE" }), "SOURCE_STALE"],
  ["unavailable", (state) => ({ ...state, health: "UNAVAILABLE" }), "SOURCE_UNAVAILABLE"],
  ["disabled", (state) => ({ ...state, health: "DISABLED" }), "SOURCE_DISABLED"],
  ["of another form", (state) => ({ ...state, health: "SCHEMA_BREAK" }), "SOURCE_SCHEMA_BREAK"],
  [
    "stale within ten minutes",
    (state) => ({ ...state, staleAt: new Date(Date.now() + 5 * MINUTE).toISOString() }),
    "SOURCE_STALE",
  ],
]
test.each(states)("with sources that are %s, the catalogue and the paid route agree", async (_name, change, why) => {
  const database = await newDatabase()
  const board = staticBoard([], change)
  const server: TestServer = await openTestServer(database, chain, { board })
  await enterBuyer(server, Date.now() - HOUR)
  const { refusal, sources } = await judgeSaleOf(
    server.deps,
    "decision-gate.release-payment-to-supplier.v1",
    Date.now(),
  )
  expect(refusal?.code ?? null).toBe(why)
  expect(sources).toHaveLength(4)
  const quote = await server.post(freshRequest())
  expect([quote.status, why === null ? null : ((await quote.json()) as { code: ErrorCode }).code]).toEqual([
    why === null ? 402 : 503,
    why,
  ])
  for (const [id] of server.deps.products) {
    const judged = await judgeSaleOf(server.deps, id, Date.now())
    if (id.startsWith("us.")) expect({ id, code: judged.refusal?.code ?? null }).toEqual({ id, code: why })
  }
  await server.close()
  await database.close()
})

test("a row that the delivery path does not know is a bug, not a product", async () => {
  await using running = await testService(clockAt(START))
  expect(() => judgeSaleOf(running.service.delivery, "us.unknown.v1", START)).toThrow("no product us.unknown.v1")
})
