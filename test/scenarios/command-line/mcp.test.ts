/** The command of the bridge. Its clients are in test/scenarios/mcp-clients.test.ts. */
import { expect, test } from "bun:test"
import { run } from "../../fixtures/binary.ts"

test.each(["http://svc.example", "http://localhost.example", "https://svc.example/path", "file:///etc/passwd", "svc"])(
  "%s is not a server for the bridge",
  async (server) => {
    const { exit, out, err } = await run(["mcp", "--server", server])
    expect([exit, out]).toEqual([2, ""])
    expect(err).toContain("URL")
  },
)

test("a service that cannot be reached is an answer on stdout, which has only messages", async () => {
  const stdin = '{"jsonrpc":"2.0","id":1,"method":"ping"}\nno message\n'
  const { exit, out } = await run(["mcp", "--server", "http://127.0.0.1:1"], { stdin })
  expect(exit).toBe(0)
  const answers = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line))
  expect(answers.map(({ error }) => error.code).toSorted()).toEqual([-32603, -32700])
  expect(out).toContain("127.0.0.1:1 cannot be reached: ECONNREFUSED")
})
