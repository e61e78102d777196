/**
 * The metrics of two server processes on one data directory after a scripted day: sales of all products, a refused payment and a
 * repeated purchase, a process that is killed, a list that goes stale, uncharged answers, and a rate limit.
 */
import { Database } from "bun:sqlite"
import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test"
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { PRODUCT_OPERATIONS } from "../../../schemas/product-operations.ts"
import { METRICS } from "../../../src/admin/metric-table.ts"
import { VERSION } from "../../../src/base/build-facts.ts"
import { DAY, formatInstant, HOUR } from "../../../src/core/time.ts"
import { backupName } from "../../../src/data/backup/backup-folder.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { usBody } from "../../fixtures/answers.ts"
import type { Running } from "../../fixtures/binary.ts"
import { customerNames, expectNoCustomer } from "../../fixtures/customer-names.ts"
import { type Metrics, metricsAt } from "../../fixtures/metrics.ts"
import { overriding } from "../../fixtures/overriding.ts"
import {
  openProductOperator,
  type ProductSale,
  paymentAt,
  postTo,
  presentTo,
  SERVICE_FLAGS,
  saleOfEach,
} from "../../fixtures/product-operator.ts"
import { purchaseOf } from "../../fixtures/products.ts"
import { besideOf } from "../../fixtures/test-database.ts"
import type { TestOperator } from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"
import { countsOverRows } from "../../store/operator-counts.ts"

setDefaultTimeout(120_000)

let operator: TestOperator
let first: Running
let second: Running
/** Milliseconds from a paid call to the kill of its process. Each call is one sale in the end. */
const WAITS = [5, 40, 120]
/** Answers that a person must look at, which the day sells. */
const HELD = 1
/** Decisions of the answers that buyers got, by product and decision. */
const sold = new Map<string, number>()

const start = (more: readonly string[] = []) => {
  const admin = ["--admin-listen", "127.0.0.1:0", "--backup-dir", operator.path("backups"), "--lease-seconds", "4"]
  return operator.serve(overriding([...SERVICE_FLAGS, ...admin], more))
}
const adminOf = (server: Running) => /"admin":"(http:[^"]+)"/.exec(server.err())?.[1] ?? ""
const read = (server: Running) => metricsAt(adminOf(server))

function count(text: string, product: string): void {
  const key = `${product} ${(JSON.parse(text) as { decision: string }).decision}`
  sold.set(key, (sold.get(key) ?? 0) + 1)
}

async function buy(origin: string, { row, purchase, payment }: ProductSale): Promise<void> {
  count(await presentTo(origin, purchase, payment), row.id)
}

function withDatabase<T>(use: (database: Database) => T): T {
  using database = new Database(join(operator.data, "bizauth.db"), { strict: true })
  return use(database)
}

const checkOf = () => purchaseOf(companyCheckRules, usBody())
const isOf = (text: string) => JSON.parse(text) as { decision?: string; code?: string }

beforeAll(async () => {
  operator = await openProductOperator()
  mkdirSync(operator.path("backups"))
  writeFileSync(operator.path(`backups/${backupName(Date.now() - 2 * HOUR)}`), "")
  first = await start()
  second = await start()
})
afterAll(() => operator[Symbol.asyncDispose]())

test("serve names the admin address in its line of the log, and the metrics are not on the public listener", async () => {
  expect(adminOf(first)).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/)
  expect((await fetch(`${first.origin}/metrics`)).status).toBe(404)
  expect((await read(first)).all("bizauth_build_info", { version: VERSION, environment: "test" })).toHaveLength(1)
})

test("sales in both processes, a refused payment and a purchase that is known already", async () => {
  const sales = await saleOfEach(first.origin)
  for (const [at, sale] of sales.entries()) await buy((at % 2 === 0 ? first : second).origin, sale)
  // The payment of another body.
  const [one, other] = [checkOf(), checkOf()]
  const refused = await postTo(first.origin, one, await paymentAt(first.origin, other))
  expect(refused.status).toBe(402)
  const payment = sales.find(({ row }) => row.id === "us.payment.authorize.v1")
  if (!payment) throw new Error("nothing was sold")
  const repeated = await postTo(second.origin, payment.purchase, payment.payment)
  expect(repeated.status).toBe(200)
  await expectEqualCounts()
})

test("a process that is killed in the middle of a sale leaves counts that are neither behind nor ahead", async () => {
  for (const wait of WAITS) {
    const purchase = checkOf()
    const payment = await paymentAt(first.origin, purchase)
    const cut = postTo(first.origin, purchase, payment).catch(() => null)
    await Bun.sleep(wait)
    await first.kill()
    await cut
    await expectEqualCounts([second])
    count(await presentTo(second.origin, purchase, payment), companyCheckRules.id)
    first = await start()
    await expectEqualCounts()
  }
})

test("an answer that a person must look at waits in both processes", async () => {
  const company = { legal_name: "Vostok Meridian LLC", identifiers: { uei: "SUPPLYER0001" } }
  const held = purchaseOf(companyCheckRules, usBody({ company }))
  const answer = await presentTo(first.origin, held, await paymentAt(first.origin, held))
  count(answer, companyCheckRules.id)
  expect(isOf(answer).decision).toBe("REVIEW")
  const labels = { product: companyCheckRules.id, state: "OPEN" }
  await until("its case is open", async () => {
    const pages = await Promise.all([first, second].map(read))
    return pages.every((page) => page.all("bizauth_review_open", labels)[0]?.value === 1)
  })
  for (const server of [first, second]) {
    const page = await read(server)
    expect(page.value("bizauth_review_open", { ...labels, state: "PROPOSED" })).toBe(0)
    expect(page.value("bizauth_review_oldest_seconds")).toBeWithin(0.001, 120)
    expect(page.value("bizauth_review_target_seconds")).toBe(8 * 3600)
    expect(page.value("bizauth_review_break_glass")).toBe(0)
  }
})

/** Each process gives the numbers that the rows have now. Workers may move an attempt between two reads, so it is tried again. */
async function expectEqualCounts(servers: readonly Running[] = [first, second]): Promise<void> {
  await until("every process gives the counts of the rows", async () => {
    const counts = () => withDatabase((database) => countsOverRows(besideOf(database)))
    const before = await counts()
    const pages = await Promise.all(servers.map(read))
    if (!Bun.deepEquals(before, await counts())) return false
    for (const page of pages) {
      for (const { state, entered, present } of before.attempts) {
        expect([state, page.value("bizauth_settlements_total", { state })]).toEqual([state, entered])
        expect([state, page.value("bizauth_payment_attempts", { state })]).toEqual([state, present])
      }
      const total = page.all("bizauth_settlements_total").reduce((sum, { value }) => sum + value, 0)
      expect(total).toBe(before.attempts.reduce((sum, { entered }) => sum + entered, 0))
      for (const { product, decision, answers } of before.decisions) {
        expect([product, page.value("bizauth_decisions_total", { product, decision })]).toEqual([product, answers])
      }
    }
    return true
  })
}

test("decisions equal the answers that the buyers got", async () => {
  await expectEqualCounts()
  for (const server of [first, second]) {
    const printed = (await read(server)).all("bizauth_decisions_total").filter(({ value }) => value > 0)
    const found = printed.map(({ labels, value }) => [`${labels["product"]} ${labels["decision"]}`, value])
    expect(Object.fromEntries(found)).toEqual(Object.fromEntries(sold))
  }
  expect([...sold.values()].reduce((sum, one) => sum + one)).toBe(PRODUCT_OPERATIONS.length + WAITS.length + HELD)
})

test("a list that goes stale is stale in both, and uncharged answers count where they were given", async () => {
  const old = formatInstant(Date.now() - 60 * DAY)
  withDatabase((database) =>
    database.query("UPDATE source_snapshot SET published_at = $old WHERE source_id = 'US_OFAC_SDN'").run({ old }),
  )
  const source = "US_OFAC_SDN"
  await until("both processes see it", async () => {
    const pages = await Promise.all([first, second].map(read))
    return pages.every((page) => page.value("bizauth_source_health", { source, health: "STALE" }) === 1)
  })
  for (const server of [first, first, second]) {
    const answer = await postTo(server.origin, checkOf())
    expect([answer.status, isOf(await answer.text()).decision]).toEqual([200, "RETRY"])
  }
  const product = companyCheckRules.id
  for (const [server, uncharged] of [
    [first, 2],
    [second, 1],
  ] as const) {
    const page = await read(server)
    expect(page.value("bizauth_uncharged_answers_total", { product, decision: "RETRY" })).toBe(uncharged)
    expect(page.value("bizauth_source_health", { source, health: "HEALTHY" })).toBe(0)
    expect(page.value("bizauth_source_stale_timestamp_seconds", { source })).toBeLessThan(Date.now() / 1000)
    expect(page.value("bizauth_source_age_seconds", { source })).toBeGreaterThan(0)
    expect(page.value("bizauth_source_health", { source: "US_TRADE_CSL", health: "HEALTHY" })).toBe(1)
  }
  await expectEqualCounts()
})

/** Requests in the log by operation and class of status: a second count of the same requests. */
function loggedRequests(server: Running): Record<string, number> {
  const counted: Record<string, number> = {}
  for (const line of server.err().trim().split("\n")) {
    const { event, operation, status } = JSON.parse(line) as { event: string; operation: string; status: number }
    if (event !== "request") continue
    const key = `${operation} ${Math.floor(status / 100)}xx`
    counted[key] = (counted[key] ?? 0) + 1
  }
  return counted
}

test("requests are counted as the log has them, and those over a rate limit apart", async () => {
  const limited = await start(["--rate-limits", "on"])
  const statuses: number[] = []
  const path = `${companyCheckRules.path}/eligibility`
  for (let at = 0; at < 35; at++) statuses.push((await postTo(limited.origin, { path, body: "{}" })).status)
  const rejected = statuses.filter((status) => status === 429).length
  expect(rejected).toBe(5)
  const page = await read(limited)
  const [operation = "", ...others] = page
    .all("bizauth_rate_limited_requests_total")
    .map(({ labels }) => labels["operation"] ?? "")
  expect(others).toEqual([])
  expect(page.value("bizauth_rate_limited_requests_total", { operation })).toBe(rejected)
  for (const server of [first, second, limited]) {
    const metrics = await read(server)
    const counts = metrics.all("bizauth_http_request_duration_seconds_count")
    const found = counts.map(({ labels, value }) => [`${labels["operation"]} ${labels["status_class"]}`, value])
    await until("the log has every request", () => Bun.deepEquals(Object.fromEntries(found), loggedRequests(server)))
  }
  expectNames([page, await read(first)])
  expectNoCustomer(page, withDatabase(customerNames))
  await limited.stop()
})

/** A database in a file has no connections, and no other clock. */
const OF_A_SERVER = /^bizauth_(database_(?!bytes$)|clock_offset_)/

/** A test of the table in both directions. */
function expectNames(pages: readonly Metrics[]): void {
  const served = new Set(pages.flatMap(({ names }) => names))
  const here = Object.keys(METRICS).filter((name) => !OF_A_SERVER.test(name))
  expect([...served].toSorted()).toEqual(here.toSorted())
  for (const { families } of pages) {
    for (const { name, type, help, series } of families) {
      const row = METRICS[name as keyof typeof METRICS]
      expect([type, help]).toEqual([row.type, row.help])
      const labels = new Set(series.flatMap((one) => Object.keys(one.labels).filter((label) => label !== "le")))
      expect([...labels].toSorted()).toEqual([...row.labels].toSorted())
    }
  }
}

test("money, log, backup and machine", async () => {
  await until("the relayer was looked at", async () =>
    (await read(first)).names.includes("bizauth_relayer_payments_left"),
  )
  await until("the log's size is recorded", async () => (await read(first)).value("bizauth_log_lag_seconds") === 0)
  await until("payments are ready", async () => (await read(first)).value("bizauth_ready") === 1)
  const page = await read(first)
  expect(page.value("bizauth_relayer_payments_left")).toBeGreaterThan(1000)
  expect(page.value("bizauth_relayer_look_age_seconds")).toBeLessThan(120)
  expect(page.value("bizauth_payments_owed")).toBe(0)
  expect(page.value("bizauth_attempts_stuck")).toBe(0)
  expect(page.value("bizauth_settlement_wait_seconds")).toBeLessThan(60)
  expect(page.value("bizauth_backup_age_seconds")).toBeWithin(7190, 7500)
  const leaves = withDatabase((database) =>
    database.query<{ n: number }, []>("SELECT tree_size AS n FROM log_head").get(),
  )
  expect(page.value("bizauth_log_tree_size")).toBe(leaves?.n ?? 0)
  expect(page.value("bizauth_database_bytes", { file: "database" })).toBeGreaterThan(100_000)
  expect(page.value("bizauth_disk_free_bytes")).toBeGreaterThan(1_000_000)
  expect(page.value("bizauth_signing_key_expiry_timestamp_seconds", { use: "statement" })).toBeGreaterThan(
    Date.now() / 1000,
  )
  expect(page.value("process_resident_memory_bytes")).toBeGreaterThan(10_000_000)
  expect(page.value("process_cpu_seconds_total")).toBeGreaterThan(0)
  expect(page.value("process_start_time_seconds")).toBeWithin(Date.now() / 1000 - 600, Date.now() / 1000)
  expect(page.value("bizauth_event_loop_lag_seconds_count")).toBeGreaterThan(0)
  expect(page.all("bizauth_not_ready").filter(({ value }) => value !== 0)).toEqual([])
  expect(page.all("bizauth_metrics_part_failed").filter(({ value }) => value !== 0)).toEqual([])
})

test("a read of metrics asks no node, and readers at once do not slow it down", async () => {
  const queries = () => operator.proxy.count("eth_getBalance") + operator.proxy.count("eth_call")
  await second.stop()
  // What the workers of one process ask in a second, and what they ask in a second with three hundred reads.
  const before = queries()
  await Bun.sleep(1000)
  const between = queries()
  for (let round = 0; round < 30; round++) await Promise.all(Array.from({ length: 10 }, () => read(first)))
  expect(queries() - between).toBeLessThan(30 + (between - before))
})

test("a node that does not answer makes the process not ready, by the code of the runbook", async () => {
  operator.proxy.fault("eth_getBlockByNumber", { reject: true })
  await until("the reason is there", async () => {
    return (await read(first)).value("bizauth_not_ready", { reason: "CHAIN_UNAVAILABLE" }) === 1
  })
  expect((await read(first)).value("bizauth_ready")).toBe(0)
  operator.proxy.reset()
})

test("no label names a customer", async () => {
  expectNoCustomer(await read(first), withDatabase(customerNames))
})
