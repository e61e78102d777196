/** Variables of the runtime and of the loader that would expose sent data, redirect connections or put other code into the process. */
import { describe, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { EXIT } from "../../../src/base/exit.ts"
import { everyLoaded } from "../../../src/cli/command.ts"
import { commands } from "../../../src/cli/commands.ts"
import { REFUSED_NAMES, requirePlainEnvironment } from "../../../src/cli/environment-variables.ts"
import { unitFile } from "../../../src/cli/unit-file.ts"
import { compiledBinary, initialised, run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { CERTIFICATE, CERTIFICATE_KEY } from "../../fixtures/publisher-certificate.ts"

const EVERYWHERE: readonly [name: string, value: string, says: RegExp][] = [
  ["NODE_TLS_REJECT_UNAUTHORIZED", "0", /certificate/],
  ["NODE_EXTRA_CA_CERTS", "/nonexistent/ca.pem", /adds authorities/],
  ["SSL_CERT_FILE", "/nonexistent/ca.pem", /adds authorities/],
  ["SSL_CERT_DIR", "/nonexistent", /adds authorities/],
  ["NODE_USE_SYSTEM_CA", "1", /adds the authorities of the system/],
  ["BUN_CONFIG_VERBOSE_FETCH", "1", /prints every request/],
  ["BUN_CONFIG_VERBOSE_FETCH", "curl", /prints every request/],
  ["BUN_OPTIONS", "--smol", /options of the runtime/],
  ["BUN_INSPECT", "127.0.0.1:0", /debugger/],
  ["BUN_INSPECT_CONNECT_TO", "/nonexistent/socket", /debugger/],
  ["BUN_JSC_useJIT", "0", /option of the engine/],
  ["LD_PRELOAD", "/nonexistent.so", /loader/],
  ["LD_AUDIT", "/nonexistent.so", /loader/],
  ["LD_LIBRARY_PATH", "/nonexistent", /loader/],
]

const told = (err: string) => err.split("\n").find((line) => line.startsWith("bizauth: ")) ?? ""

describe("refused by every command, before it does anything", () => {
  test.each(EVERYWHERE)("%s=%s", async (name, value, says) => {
    using fresh = freshDirectory()
    const data = join(fresh.path, "data")
    for (const args of [["version"], ["init", "--data", data, "--environment", "test"]]) {
      const { exit, err, out } = await run(args, { environment: { [name]: value } })
      expect([args[0], exit, out]).toEqual([args[0], 2, ""])
      expect(told(err)).toStartWith(`bizauth: ${name} (environment) `)
      expect(told(err)).toMatch(says)
      expect(told(err)).toEndWith(`; unset it: env -u ${name} bizauth …`)
      if (value.length > 2) expect(told(err)).not.toContain(value)
    }
    // `init` made nothing.
    expect((await run(["keys", "list", "--data", data])).err).toContain("does not exist")
  })

  test("each command of the table", async () => {
    const names = (await everyLoaded(commands)).map(({ name }) => name)
    const environment = { SSL_CERT_FILE: "/nonexistent/ca.pem" }
    const ends = await Promise.all(
      names.map(async (name) => [name, (await run(name.split(" "), { environment })).exit]),
    )
    expect(ends).toEqual(names.map((name) => [name, EXIT.USAGE]))
  }, 120_000)

  test("help is printed all the same", async () => {
    const { exit, out } = await run(["serve", "--help"], { environment: { SSL_CERT_FILE: "/nonexistent/ca.pem" } })
    expect([exit, out.includes("usage: bizauth serve")]).toEqual([0, true])
  })

  test("one error names all rejected variables, also with --json", async () => {
    const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0", BUN_OPTIONS: "--smol" }
    const { exit, err } = await run(["config", "check", "--json"], { environment })
    expect(exit).toBe(2)
    const { error } = JSON.parse(err.split("\n").find((line) => line.startsWith("{")) ?? "")
    expect(error.code).toBe("USAGE")
    expect(error.message).toContain("NODE_TLS_REJECT_UNAUTHORIZED")
    expect(error.message).toContain("BUN_OPTIONS")
  })

  test("what acts before the first line too, where this code still runs", () => {
    expect(() => requirePlainEnvironment({ BUN_INSPECT_PRELOAD: "/x.js" })).toThrow("BUN_INSPECT_PRELOAD (environment)")
    expect(() => requirePlainEnvironment({ BUN_BE_BUN: "1" })).toThrow("BUN_BE_BUN (environment) turns the file")
    expect(() => requirePlainEnvironment({ BUN_BE_BUN: "0" })).not.toThrow()
  })
})

describe("proxies", () => {
  test.each(["HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"])(
    "%s is refused by the commands that send to nodes, and by no other",
    async (name) => {
      using fresh = freshDirectory()
      const data = await initialised(fresh.path)
      const environment = { [name]: "http://127.0.0.1:9" }
      for (const args of [
        ["serve", "--listen", "127.0.0.1:0"],
        ["config", "check"],
        ["check", "--offline"],
      ]) {
        const { exit, err, out } = await run([...args, "--data", data], { environment })
        expect([args[0], exit, out]).toEqual([args[0], 2, ""])
        expect(told(err)).toStartWith(`bizauth: ${name} (environment) sends what is meant for nodes`)
        expect(told(err)).not.toContain("127.0.0.1")
      }
      expect((await run(["config", "check"], { environment: { ...environment, NO_PROXY: "*" } })).exit).toBe(0)
      expect((await run(["keys", "list", "--data", data], { environment })).exit).toBe(0)
    },
    30_000,
  )
})

test.each([
  { NODE_TLS_REJECT_UNAUTHORIZED: "1" },
  { NODE_TLS_REJECT_UNAUTHORIZED: "" },
  { BUN_CONFIG_VERBOSE_FETCH: "0" },
  { BUN_CONFIG_VERBOSE_FETCH: "false" },
  { HTTPS_PROXY: "" },
  { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "*" },
  { NODE_EXTRA_CA_CERTS: "" },
  { SSL_CERT_FILE: "" },
  { NODE_USE_SYSTEM_CA: "0" },
  { NODE_OPTIONS: "--no-warnings" },
])("a value that changes nothing is accepted: %o", async (environment) => {
  expect((await run(["config", "check"], { environment })).exit).toBe(0)
})

test("the unit unsets every variable that a server refuses", () => {
  const unit = unitFile({ program: "/p", user: "u", data: "/d", config: null, written: [], credentials: [] })
  const unset = /^UnsetEnvironment=(.*)$/m.exec(unit)?.[1]?.split(" ") ?? []
  for (const name of REFUSED_NAMES) expect(unset).toContain(name)
})

/** Seen with the compiled file: each of these makes a server of an unknown authority acceptable. That is why they are refused. */
test.skipIf(compiledBinary === null)(
  compiledBinary === null
    ? "NOT RUN: no compiled file: the variables of authorities act in it"
    : "the variables of authorities act in the compiled file, which refuses them before it asks a server",
  async () => {
    using fresh = freshDirectory()
    const ca = join(fresh.path, "ca.pem")
    writeFileSync(ca, CERTIFICATE)
    let requests = 0
    const server = Bun.serve({
      port: 0,
      tls: { cert: CERTIFICATE, key: CERTIFICATE_KEY },
      fetch: () => {
        requests++
        return Response.json({})
      },
    })
    try {
      for (const name of ["NODE_EXTRA_CA_CERTS", "SSL_CERT_FILE"]) {
        const args = ["capabilities", "--server", `https://localhost:${server.port}`]
        const { exit, err } = await run(args, { environment: { [name]: ca } })
        expect([name, exit, told(err)]).toEqual([name, 2, expect.stringContaining(name)])
      }
      expect(requests).toBe(0)
    } finally {
      await server.stop(true)
    }
  },
)
