/** What the names of libpq's ssl modes mean here, against a server with a certificate that a root of the test signed for `localhost`. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { spawnSync } from "node:child_process"
import { chmodSync, chownSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { realMachine } from "../../../../src/base/machine.ts"
import { Connection } from "../../../../src/store/engine/postgres/connection.ts"
import { bunDriver } from "../../../../src/store/engine/postgres/driver.ts"
import { MeasuredClock } from "../../../../src/store/engine/postgres/measured-clock.ts"
import { readTarget } from "../../../../src/store/engine/postgres/target-text.ts"
import { HAS_POSTGRES, NOT_RUN, type PostgresServer, startPostgres } from "../../../fixtures/postgres.ts"
import { rowsOf } from "./server-rows.ts"

const NOBODY = 65_534
const folder = mkdtempSync(join(tmpdir(), "bizauth-tls-"))
const at = (name: string) => join(folder, name)

function openssl(...given: string[]): void {
  const { status, stderr } = spawnSync("openssl", given, { cwd: folder, encoding: "utf8" })
  if (status !== 0) throw new Error(stderr)
}

function makeCertificates(): void {
  const key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
  openssl(
    "req",
    "-x509",
    ...key,
    "-keyout",
    "root.key",
    "-out",
    "root.crt",
    "-subj",
    "/CN=root of a test",
    "-days",
    "2",
  )
  openssl("req", ...key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=localhost")
  writeFileSync(at("names"), "subjectAltName=DNS:localhost\n")
  const signing = ["-CA", "root.crt", "-CAkey", "root.key", "-CAcreateserial", "-days", "2", "-extfile", "names"]
  openssl("x509", "-req", "-in", "server.csr", "-out", "server.crt", ...signing)
  chmodSync(at("server.key"), 0o600)
  chmodSync(folder, 0o755)
  if (process.getuid?.() === 0) chownSync(at("server.key"), NOBODY, NOBODY)
}

const hasOpenssl = Bun.which("openssl") !== null

describe.skipIf(!HAS_POSTGRES || !hasOpenssl)(`ssl modes${hasOpenssl ? NOT_RUN : " (NOT RUN: no openssl)"}`, () => {
  let server: PostgresServer
  beforeAll(async () => {
    makeCertificates()
    server = await startPostgres(["ssl=on", `ssl_cert_file=${at("server.crt")}`, `ssl_key_file=${at("server.key")}`])
    await rowsOf(server, "CREATE TABLE schema_migration (ordinal bigint)")
  })
  afterAll(async () => {
    await server.stop()
    rmSync(folder, { recursive: true })
  })

  /** Whether the connection is encrypted, or the code of what refused it. */
  async function encrypted(host: string, options: string): Promise<unknown> {
    const target = readTarget(`postgres://postgres:s3cret@${host}:${server.port}/postgres${options}`)
    const [first] = target.hosts
    if (!first) throw new Error("no host")
    try {
      const connection = await Connection.open(target, first, {
        machine: realMachine,
        deadlineMs: 3_000,
        driver: bunDriver,
        clock: new MeasuredClock(realMachine),
        newestMigration: 0,
      })
      const [row] = await connection.send("select ssl from pg_stat_ssl where pid = pg_backend_pid()")
      connection.close()
      return row?.[0]
    } catch (error) {
      expect(Bun.inspect(error)).not.toContain("s3cret")
      expect(error).toMatchObject({ kind: "REFUSED" })
      return (error as { code: string }).code
    }
  }

  const root = `sslrootcert=${at("root.crt")}`
  test.each([
    ["localhost", "", false],
    ["localhost", "?sslmode=disable", false],
    ["localhost", "?sslmode=require", true],
    ["localhost", "?sslmode=verify-ca", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["localhost", "?sslmode=verify-full", "UNABLE_TO_VERIFY_LEAF_SIGNATURE"],
    ["localhost", `?${root}`, true],
    ["localhost", `?sslmode=verify-full&${root}`, true],
    ["127.0.0.1", `?sslmode=verify-ca&${root}`, true],
    ["127.0.0.1", `?sslmode=verify-full&${root}`, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["localhost", "?sslmode=verify-full&sslrootcert=/missing", "ENOENT"],
  ])("%s %s", async (host, options, found) => {
    expect(await encrypted(host, options)).toBe(found)
  })
})
