/** An operator moves the database of a service that sold to a PostgreSQL server and back, by the commands of the program. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { EXIT } from "../../../src/base/exit.ts"
import { run } from "../../fixtures/binary.ts"
import { PASSWORD, type PasswordServer, startPasswordServer } from "../../fixtures/password-server.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../fixtures/postgres.ts"
import {
  keepDelivery,
  openTestOperator,
  paymentFor,
  present,
  SCENARIO_MS,
  type Signed,
  type TestOperator,
} from "../../fixtures/test-operator.ts"

setDefaultTimeout(4 * SCENARIO_MS)

describe.skipIf(!HAS_POSTGRES)(`a database that is moved${NOT_RUN}`, () => {
  let server: PasswordServer
  let operator: TestOperator
  let sold: { readonly signed: Signed; readonly bytes: string; readonly exported: string }
  /** Quoted and signed before the move, and paid after it. */
  let quoted: { readonly signed: Signed; readonly header: Record<string, string> }[]
  let written = ""

  const command = async (...args: string[]) => {
    const ran = await run([...args, "--data", operator.data], { cwd: operator.folder, limitMs: 60_000 })
    written += ran.out + ran.err
    return ran
  }
  const done = async (...args: string[]) => {
    const ran = await command(...args)
    expect([args.join(" "), ran.exit, ran.err]).toEqual([args.join(" "), EXIT.DONE, ran.err])
    return ran.out
  }
  const idOf = (bytes: string) => (JSON.parse(bytes) as { decision_id: string }).decision_id

  beforeAll(async () => {
    server = await startPasswordServer()
    operator = await openTestOperator()
    writeFileSync(operator.path("moved.url"), await server.create("moved"), { mode: 0o600 })
    const running = await operator.serve()
    const signed = await operator.sign()
    const { bytes } = await present(running.origin, signed, await paymentFor(running.origin, signed))
    quoted = []
    for (let each = 0; each < 2; each++) {
      const later = await operator.sign()
      quoted.push({ signed: later, header: await paymentFor(running.origin, later) })
    }
    const refused = await command("database", "move", "--to", operator.path("moved.url"))
    expect([refused.exit, refused.err]).toEqual([EXIT.DATA, expect.stringContaining("stop the service")])
    expect(await running.stop()).toBe(0)
    sold = { signed, bytes, exported: await done("export", idOf(bytes)) }
  })
  afterAll(async () => {
    await operator[Symbol.asyncDispose]()
    await server.stop()
  })

  /** What the service sold is there, and it sells on. `at`: which quote is paid. */
  async function expectServed(at: number): Promise<void> {
    expect(await done("export", idOf(sold.bytes))).toBe(sold.exported)
    writeFileSync(operator.path("bundle.json"), sold.exported)
    writeFileSync(operator.path("jwks.json"), await done("keys", "export", "--with-revoked"))
    const replayed = ["replay", operator.path("bundle.json"), "--issuer", operator.path("jwks.json")]
    expect((await run(replayed, { cwd: operator.folder })).exit).toBe(EXIT.DONE)
    await done("log", "audit")
    await done("config", "check")
    const running = await operator.serve()
    expect((await operator.recover(running.origin, sold.signed)).bytes).toBe(sold.bytes)
    const { signed, header } = quoted[at] ?? { signed: sold.signed, header: {} }
    const { bytes } = await present(running.origin, signed, header)
    const kept = keepDelivery(operator, `paid-${at}`, bytes)
    expect((await operator.verify(kept, ["--require", "RELEASE_PAYMENT", "--environment", "test"])).exit).toBe(0)
    expect(await running.stop()).toBe(0)
    written += running.out() + running.err()
  }

  test("to a server is served from there", async () => {
    const out = await done("database", "move", "--to", operator.path("moved.url"))
    expect(out).toContain("equal    ")
    expect(existsSync(`${operator.data}/bizauth.db`)).toBe(false)
    expect(await done("database", "verify")).toContain(": every table\n")
    await expectServed(0)
    const later = await done("database", "verify")
    expect(later).toMatch(/^log_leaf \d+ +[0-9a-f]{64} GROWN$/m)
    expect(later).toContain("; 0 are different")
  })

  test("back is served from the file, and the server's database is not", async () => {
    await done("database", "move", "--to-directory")
    expect(readFileSync(`${operator.data}/bizauth.toml`, "utf8")).toContain('# database_file = ""')
    expect(await done("database", "verify")).toContain(": every table\n")
    await expectServed(1)
    const before = readFileSync(`${operator.data}/bizauth.toml`, "utf8")
    const again = await command("database", "move", "--to", operator.path("moved.url"))
    expect([again.exit, again.err]).toEqual([
      EXIT.DATA,
      expect.stringContaining("is not empty: a move of a database left it"),
    ])
    expect(readFileSync(`${operator.data}/bizauth.toml`, "utf8")).toBe(before)
    const beside = await command("check", "--offline", "--database-file", operator.path("moved.url"))
    expect(beside.exit).not.toBe(EXIT.DONE)
  })

  test("has shown no password", () => {
    expect(written.length).toBeGreaterThan(10_000)
    expect(written).not.toContain(PASSWORD)
  })
})
