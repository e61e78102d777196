/** Variables of the runtime that would expose sent data or redirect connections. */
import { expect, test } from "bun:test"
import { initialised, run } from "../../fixtures/binary.ts"
import { freshDirectory } from "../../fixtures/directories.ts"

const REFUSED: readonly [name: string, value: string, says: RegExp][] = [
  ["NODE_TLS_REJECT_UNAUTHORIZED", "0", /certificate/],
  ["BUN_CONFIG_VERBOSE_FETCH", "1", /prints every request/],
  ["BUN_CONFIG_VERBOSE_FETCH", "curl", /prints every request/],
  ["BUN_OPTIONS", "--smol", /options of the runtime/],
  ["BUN_INSPECT", "127.0.0.1:0", /debugger/],
  ["BUN_INSPECT_CONNECT_TO", "/nonexistent/socket", /debugger/],
  ["HTTP_PROXY", "http://127.0.0.1:9", /proxy/],
  ["http_proxy", "http://127.0.0.1:9", /proxy/],
  ["HTTPS_PROXY", "http://127.0.0.1:9", /proxy/],
  ["https_proxy", "http://127.0.0.1:9", /proxy/],
  ["ALL_PROXY", "http://127.0.0.1:9", /proxy/],
  ["all_proxy", "http://127.0.0.1:9", /proxy/],
]

test.each(REFUSED)(
  "serve and config check reject %s=%s with exit 6 and say how to fix it",
  async (name, value, says) => {
    using fresh = freshDirectory()
    const data = await initialised(fresh.path)
    for (const args of [
      ["serve", "--listen", "127.0.0.1:0"],
      ["config", "check"],
    ]) {
      const { exit, err, out } = await run([...args, "--data", data], { environment: { [name]: value } })
      expect([args[0], exit, out]).toEqual([args[0], 6, ""])
      const told = err.split("\n").find((line) => line.startsWith("bizauth: "))
      expect(told).toContain(name)
      expect(told).toMatch(says)
      expect(told).toContain("unset")
      if (value.length > 2) expect(told).not.toContain(value)
    }
  },
)

test("one error names all rejected variables", async () => {
  const environment = { NODE_TLS_REJECT_UNAUTHORIZED: "0", HTTPS_PROXY: "http://127.0.0.1:9" }
  const { exit, err } = await run(["config", "check"], { environment })
  expect(exit).toBe(6)
  expect(err).toContain("NODE_TLS_REJECT_UNAUTHORIZED")
  expect(err).toContain("HTTPS_PROXY")
})

test.each([
  { NODE_TLS_REJECT_UNAUTHORIZED: "1" },
  { NODE_TLS_REJECT_UNAUTHORIZED: "" },
  { BUN_CONFIG_VERBOSE_FETCH: "0" },
  { BUN_CONFIG_VERBOSE_FETCH: "false" },
  { HTTPS_PROXY: "" },
  { HTTPS_PROXY: "http://127.0.0.1:9", NO_PROXY: "*" },
  { NODE_EXTRA_CA_CERTS: "/nonexistent/ca.pem" },
  { NODE_OPTIONS: "--no-warnings" },
])("a value that changes nothing, or only adds a certificate authority, is accepted: %o", async (environment) => {
  expect((await run(["config", "check"], { environment })).exit).toBe(0)
})
