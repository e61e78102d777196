/** Two instances on one PostgreSQL database, each a process with a directory of its own: their keys, their records, and their metrics together. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { hostname } from "node:os"
import { join } from "node:path"
import { INSTANCE_ALIVE_MS } from "../../../db/instance-alive.ts"
import { METRICS, type MetricName } from "../../../src/admin/metric-table.ts"
import { VERSION } from "../../../src/base/build-facts.ts"
import { type Running, run, serve } from "../../fixtures/binary.ts"
import { freePort } from "../../fixtures/free-port.ts"
import { type Metrics, metricsAt } from "../../fixtures/metrics.ts"
import { type PasswordServer, startPasswordServer } from "../../fixtures/password-server.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import {
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type TestOperator,
  untilReady,
} from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"

setDefaultTimeout(2 * SCENARIO_MS)

describe.skipIf(!HAS_POSTGRES)(`two instances${NOT_RUN}`, () => {
  let server: PasswordServer
  let operator: TestOperator
  /** The second directory: a copy of what a further instance needs. */
  let second: string
  beforeAll(async () => {
    server = await startPasswordServer()
    operator = await openTestOperator({ databaseUrl: await server.create("shop") })
    second = copyOf("second")
  })
  afterAll(async () => {
    await operator[Symbol.asyncDispose]()
    await server.stop()
  })

  /** Only what the page tells: the keys and the configuration. */
  function copyOf(name: string): string {
    const copy = operator.path(name)
    mkdirSync(copy, { mode: 0o700 })
    for (const part of ["keys", "bizauth.toml"])
      cpSync(join(operator.data, part), join(copy, part), { recursive: true })
    return copy
  }

  const listed = async (data: string): Promise<Record<string, unknown>[]> => {
    const ran = await run(["instances", "--json", "--data", data])
    expect([ran.exit, ran.err]).toEqual([0, ""])
    return JSON.parse(ran.out).instances
  }
  const pids = async (data: string) => (await listed(data)).map(({ pid, alive }) => [pid, alive])

  test("a directory with a copy of keys/ and bizauth.toml serves; both are listed until they stop, and a killed one while its row is kept", async () => {
    await using one = await serve(operator.data)
    await until("the first is listed", async () => (await listed(second)).length === 1)
    await using two = await serve(second)
    await until("both are listed", async () => (await listed(second)).length === 2)
    const [first, last] = await listed(operator.data)
    expect([first, last]).toEqual(
      [one, two].map(({ pid }) => expect.objectContaining({ host: hostname(), pid, release: VERSION, alive: true })),
    )
    await Bun.sleep(6_000)
    const later = await listed(operator.data)
    expect(later.map(({ last_seen: seen }, at) => String(seen) > String([first, last][at]?.["last_seen"]))).toEqual([
      true,
      true,
    ])
    expect(await one.stop()).toBe(0)
    expect(await pids(second)).toEqual([[two.pid, true]])
    await two.kill()
    expect(await pids(second)).toEqual([[two.pid, true]])
    await Bun.sleep(INSTANCE_ALIVE_MS + 1_000)
    expect(await pids(second)).toEqual([[two.pid, false]])
    await server.query("shop", "DELETE FROM instance")
  })

  test("other key files and missing ones are refused, and an empty database stays empty", async () => {
    const other = copyOf("other")
    writeFileSync(join(other, "keys", "token-hmac.key"), new Uint8Array(32).fill(5))
    const serving = (data: string, ...more: string[]) =>
      run(["serve", "--data", data, "--listen", "127.0.0.1:0", ...more])
    const refused = await serving(other)
    expect([refused.exit, refused.err]).toEqual([
      7,
      expect.stringMatching(
        /other\/keys\/token-hmac\.key has the fingerprint [0-9a-f]{16}, and the database [0-9a-f]{16}\. Copy keys\/ and bizauth\.toml/,
      ),
    ])
    rmSync(join(other, "keys", "token-hmac.key"))
    expect((await serving(other)).err).toContain("other/keys/token-hmac.key: missing.")
    const file = operator.path("empty.url")
    writeFileSync(file, await server.create("nothing"), { mode: 0o600 })
    const both = await Promise.all([operator.data, second].map((data) => serving(data, "--database-file", file)))
    for (const { exit, err } of both) {
      expect([exit, err]).toEqual([7, expect.stringContaining("run bizauth init again")])
      expect(err).toContain("is empty")
    }
    expect(
      await server.query("nothing", "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace"),
    ).toEqual([])
  })

  test("the pages of metrics of both become one number as the table says", async () => {
    // The lists come to a further instance in another way.
    cpSync(join(operator.data, "snapshots"), join(second, "snapshots"), { recursive: true })
    const admins = [freePort(), freePort()].map((port) => `127.0.0.1:${port}`)
    const started: Running[] = []
    for (const [at, data] of [operator.data, second].entries()) {
      started.push(await serve(data, [...operator.selling, "--admin-listen", admins[at] ?? ""]))
    }
    for (const { origin } of started) await untilReady(origin)
    const sales = [1, 2]
    for (const [at, { origin }] of started.entries()) {
      for (let n = 0; n < (sales[at] ?? 0); n++) {
        const signed = await operator.sign()
        await present(origin, signed, await paymentFor(origin, signed), [202, 503])
      }
      for (let n = 0; n < 3 + at; n++) await fetch(`${origin}/nothing-here`)
    }
    await until(
      "each sale has its leaf",
      async () => (await server.query("shop", "SELECT 1 FROM log_pending")).length === 0,
    )
    const pages = await Promise.all(admins.map((admin) => metricsAt(`http://${admin}/metrics`)))
    const all = new Map(Object.keys(METRICS).map((name) => [name, over(pages, name as MetricName)]))
    // Rows: each page says the same, so the maximum is the number, and a sum would be twice as much.
    const settled = pages.map((page) => page.value("bizauth_settlements_total", { state: "SETTLED" }))
    expect(settled).toEqual([3, 3])
    const leaves = Number((await server.query("shop", "SELECT count(*) AS n FROM log_leaf"))[0]?.["n"])
    expect(all.get("bizauth_log_tree_size")).toEqual({ bizauth_log_tree_size: leaves })
    for (const name of SAME) expect([name, new Set(pages.map((page) => textOf(page, name))).size]).toEqual([name, 1])
    // Counts of the processes: what both did.
    const unknown = `bizauth_http_request_duration_seconds_count{"operation":"none","status_class":"4xx"}`
    expect(pages.map((page) => numbers(page, "bizauth_http_request_duration_seconds")[unknown])).toEqual([3, 4])
    expect(all.get("bizauth_http_request_duration_seconds")?.[unknown]).toBe(7)
    const units = pages.map((page) => page.value("bizauth_database_units_total"))
    expect(all.get("bizauth_database_units_total")).toEqual({
      bizauth_database_units_total: (units[0] ?? 0) + (units[1] ?? 0),
    })
    // Each page says whose it is.
    const ids = pages.map((page) => page.all("bizauth_instance_info")[0]?.labels["instance_id"])
    expect(ids).toEqual((await listed(second)).map(({ instance_id: id }) => id as string))
    for (const page of pages) expect(Math.abs(page.value("bizauth_clock_offset_seconds"))).toBeLessThan(1)
    for (const running of started) expect(await running.stop()).toBe(0)
  })
})

/** Numbers of rows that do not change with the time of the reading. */
const SAME: readonly MetricName[] = (Object.keys(METRICS) as MetricName[]).filter(
  (name) => METRICS[name].over === "MAX" && !/_(wait|oldest)_seconds$|bizauth_database_bytes/.test(name),
)

/** The series of a metric, each with its value. */
function numbers(page: Metrics, name: MetricName): Record<string, number> {
  const family = page.families.find((one) => one.name === name)
  return Object.fromEntries(
    (family?.series ?? []).map(({ name: series, labels, value }) => [
      Object.keys(labels).length === 0 ? series : `${series}${JSON.stringify(labels)}`,
      value,
    ]),
  )
}

const textOf = (page: Metrics, name: MetricName) => JSON.stringify(numbers(page, name))

/** One number for each series over several pages, as the table says. */
function over(pages: readonly Metrics[], name: MetricName): Record<string, number> {
  const found = pages.map((page) => numbers(page, name))
  const names = new Set(found.flatMap((one) => Object.keys(one)))
  const values = (series: string) => found.flatMap((one) => one[series] ?? [])
  const sum = (list: readonly number[]) => list.reduce((total, value) => total + value, 0)
  return Object.fromEntries(
    [...names].map((series) => [
      series,
      METRICS[name].over === "SUM" ? sum(values(series)) : Math.max(...values(series)),
    ]),
  )
}
