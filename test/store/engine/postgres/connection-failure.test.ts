import { expect } from "bun:test"
import { inspect } from "node:util"
import { SQL } from "bun"
import { connectionFailure } from "../../../../src/store/engine/postgres/connection-failure.ts"
import { freePort } from "../../../fixtures/free-port.ts"
import { PASSWORD, startPasswordServer } from "../../../fixtures/password-server.ts"
import { HAS_POSTGRES, NOT_RUN } from "../../../fixtures/postgres.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const HOST = { hostname: "db.example", port: 5432 }
const LOGIN = { database: "bizauth", user: "seller" }

test.each([
  ["28P01", "refused the password of user seller for database bizauth"],
  ["28000", "does not let user seller into database bizauth"],
  ["3D000", "has no database bizauth, which user seller asked for"],
  ["53300", "has no connection left for user seller of database bizauth"],
  ["57P03", "does not accept user seller into database bizauth now: it starts, stops or recovers"],
  ["XX000", "cannot be reached as user seller for database bizauth (XX000)"],
])("%s", (errno, why) => {
  const thrown = Object.assign(new Error("postgres://seller:s3cret@db.example"), {
    code: "ERR_POSTGRES_SERVER_ERROR",
    errno,
  })
  expect(connectionFailure(thrown, HOST, LOGIN).message).toBe(`PostgreSQL at db.example:5432 ${why}`)
})

test("what has no code is said without its text", () => {
  const thrown = Object.assign(new Error("s3cret"), { code: "the password s3cret" })
  expect(connectionFailure(thrown, { ...HOST, hostname: "::1" }, LOGIN).message).toBe(
    "PostgreSQL at [::1]:5432 cannot be reached as user seller for database bizauth (no code)",
  )
  expect(connectionFailure("s3cret", HOST, LOGIN).message).not.toContain("s3cret")
})

async function failureOf(url: string): Promise<Error> {
  const { hostname, port, pathname, username: user } = new URL(url)
  const sql = new SQL(url, { max: 1 })
  try {
    await sql.reserve()
  } catch (error) {
    return connectionFailure(error, { hostname, port: Number(port) }, { database: pathname.slice(1), user })
  } finally {
    await sql.close({ timeout: 0 })
  }
  throw new Error("the server accepted the connection")
}

test.skipIf(!HAS_POSTGRES)(
  `a real server refuses a wrong password, and the error does not have it${NOT_RUN}`,
  async () => {
    const server = await startPasswordServer()
    try {
      const at = `PostgreSQL at 127.0.0.1:${server.port}`
      const wrong = await failureOf(server.urlOf("postgres", "s3cret-but-wrong"))
      expect(wrong.message).toBe(`${at} refused the password of user seller for database postgres`)
      expect(inspect(wrong, { depth: 9, showHidden: true })).not.toContain("s3cret")
      const missing = await failureOf(server.urlOf("nothing"))
      expect(missing.message).toBe(`${at} has no database nothing, which user seller asked for`)
      expect(inspect(missing, { depth: 9, showHidden: true })).not.toContain(PASSWORD)
    } finally {
      await server.stop()
    }
  },
)

test("a server that is not there", async () => {
  const port = freePort()
  expect((await failureOf(`postgres://seller:s3cret@127.0.0.1:${port}/bizauth`)).message).toBe(
    `PostgreSQL at 127.0.0.1:${port} cannot be reached as user seller for database bizauth (ERR_POSTGRES_CONNECTION_REFUSED)`,
  )
})
