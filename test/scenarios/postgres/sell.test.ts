/** An operator whose database is on a PostgreSQL server: set up, sell, stop, start, lose the server, and be killed in a purchase. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs"
import { type Running, run } from "../../fixtures/binary.ts"
import { freePort } from "../../fixtures/free-port.ts"
import { PASSWORD, type PasswordServer, startPasswordServer } from "../../fixtures/password-server.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import {
  ask,
  keepDelivery,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type TestOperator,
  untilReady,
} from "../../fixtures/test-operator.ts"
import { until } from "../../fixtures/until.ts"
import { type DatabaseProxy, databaseProxy } from "../../store/engine/postgres/database-proxy.ts"

setDefaultTimeout(2 * SCENARIO_MS)

const FLAGS = ["--lease-seconds", "3", "--settle-wait-ms", "1000"]

/** Empty for a process that has ended. */
function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return ""
  }
}

describe.skipIf(!HAS_POSTGRES)(`on a PostgreSQL server${NOT_RUN}`, () => {
  let server: PasswordServer
  let way: DatabaseProxy
  let operator: TestOperator
  /** All that the program wrote. */
  let written = ""

  beforeAll(async () => {
    server = await startPasswordServer()
    way = await databaseProxy(await server.create("shop"))
    operator = await openTestOperator({ databaseUrl: way.url })
  })
  afterAll(async () => {
    await operator[Symbol.asyncDispose]()
    way.close()
    await server.stop()
  })

  const count = async (what: string) =>
    Number((await server.query("shop", `SELECT count(*) AS n FROM ${what}`))[0]?.["n"])
  const note = (running: Running) => {
    written += running.out() + running.err()
  }

  test("init wrote keys into the server's database and none into a file", async () => {
    expect(existsSync(`${operator.data}/bizauth.db`)).toBe(false)
    expect(await count("service_key")).toBe(3)
    expect(readFileSync(`${operator.data}/bizauth.toml`, "utf8")).toContain(
      `database_file = "${operator.path("database.url")}"`,
    )
  })

  test("a product is sold, recovered, and recovered again after a stop and a start", async () => {
    const first = await operator.serve()
    const signed = await operator.sign()
    const { bytes } = await present(first.origin, signed, await paymentFor(first.origin, signed))
    const kept = keepDelivery(operator, "first", bytes)
    expect((await operator.verify(kept, ["--require", "RELEASE_PAYMENT", "--environment", "test"])).exit).toBe(0)
    expect((await operator.recover(first.origin, signed)).bytes).toBe(bytes)
    const checked = await run(["check", "--data", operator.data, "--offline"])
    written += checked.out + checked.err
    expect(checked.out).toContain("skipped  backup age: PostgreSQL's own backup")
    expect(await first.stop()).toBe(0)
    note(first)
    const second = await operator.serve()
    expect((await operator.recover(second.origin, signed)).bytes).toBe(bytes)
    expect(await second.stop()).toBe(0)
    note(second)
  })

  test("without the server nothing is sold or charged, /readyz says why, and the same payment is taken when it is back", async () => {
    const admin = `127.0.0.1:${freePort()}`
    const running = await operator.serve(["--admin-listen", admin])
    const [signed, before] = [await operator.sign(), (await operator.transfers()).length]
    const header = await paymentFor(running.origin, signed)
    await untilReady(running.origin)
    way.cutAt(() => true)
    const cutAt = performance.now()
    const refused = await ask(running.origin, signed.request, header)
    const problem = await refused.json()
    expect([refused.status, problem]).toEqual([503, expect.objectContaining({ charged: false })])
    expect(["STORE_UNAVAILABLE", "NOT_READY"]).toContain(problem.code)
    await until("it is not ready", async () => (await fetch(`${running.origin}/readyz`)).status === 503)
    // A run of the checks begins at most five seconds after the last one, and a unit waits five seconds for the server.
    expect(performance.now() - cutAt).toBeLessThan(15_000)
    const refusedAt = performance.now()
    expect((await ask(running.origin, signed.request, header)).status).toBe(503)
    expect(performance.now() - refusedAt).toBeLessThan(4_000)
    const reasons = await (await fetch(`${running.origin}/readyz`)).text()
    expect(reasons).toContain("DATABASE_")
    const page = await (await fetch(`http://${admin}/metrics`)).text()
    expect(page).toContain("bizauth_database_width ")
    expect((await operator.transfers()).length).toBe(before)
    way.judge(() => "PASS")
    await untilReady(running.origin)
    const { bytes } = await present(running.origin, signed, header, [202, 503])
    expect((await operator.transfers()).length).toBe(before + 1)
    expect((await operator.recover(running.origin, signed)).bytes).toBe(bytes)
    expect(await running.stop()).toBe(0)
    note(running)
    written += page + reasons
  })

  test("a process killed in a purchase leaves one transfer, one delivery and one leaf, which the next process gives out", async () => {
    const signed = await operator.sign()
    const before = (await operator.transfers()).length
    const first = await operator.serve(FLAGS)
    const header = await paymentFor(first.origin, signed)
    operator.proxy.fault("eth_sendRawTransaction", {
      when: () => {
        first.signal("SIGKILL")
        return true
      },
      dropAnswer: true,
    })
    await expect(ask(first.origin, signed.request, header)).rejects.toThrow()
    expect(await first.exited).toBeNull()
    await operator.proxy.idle()
    operator.proxy.reset()
    note(first)
    const second = await operator.serve(FLAGS)
    const { bytes } = await present(second.origin, signed, header, [202, 503])
    expect((await operator.recover(second.origin, signed)).bytes).toBe(bytes)
    expect((await operator.transfers()).length).toBe(before + 1)
    expect(await second.stop()).toBe(0)
    note(second)
    const paid = (await operator.transfers()).length
    expect(await count("delivery WHERE log_index IS NOT NULL")).toBe(paid)
    expect(await count("delivery")).toBe(paid)
    expect(await count("payment_attempt WHERE state = 'SETTLED'")).toBe(paid)
    const audited = await run(["log", "audit", "--data", operator.data])
    expect([audited.exit, audited.err]).toEqual([0, ""])
  })

  test("serve refuses an empty database and names init", async () => {
    const empty = await server.create("nothing_in_it")
    const file = operator.path("empty.url")
    writeFileSync(file, empty, { mode: 0o600 })
    const { exit, err } = await run(["serve", "--data", operator.data, "--database-file", file])
    expect(exit).toBe(7)
    expect(err).toContain("is empty")
    expect(err).toContain("bizauth init")
    written += err
  })

  test("the password is in nothing that the program wrote, in no command line and no environment", async () => {
    const running = await operator.serve()
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      for (const name of ["cmdline", "environ"]) {
        expect(textOf(`/proc/${pid}/${name}`).includes(PASSWORD)).toBe(false)
      }
    }
    expect(await running.stop()).toBe(0)
    note(running)
    expect(written.length).toBeGreaterThan(2_000)
    expect(written).not.toContain(PASSWORD)
  })
})
