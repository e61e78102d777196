import { expect, test } from "bun:test"
import { command } from "../../src/cli/capabilities.ts"
import { servedService } from "../fixtures/served.ts"
import { runCommand } from "../fixtures/terminal.ts"

test("the command prints the server's catalogue: for machines unchanged, for people in words", async () => {
  await using served = await servedService()
  const json = await runCommand(command, ["--server", served.origin, "--json"])
  expect(json.exit).toBe(0)
  expect(JSON.parse(json.out)).toMatchObject({ schema_version: "1.0.0", next_machine_action: "USE_FREE_OPERATIONS" })
  const text = (await runCommand(command, ["--server", served.origin])).out
  expect(text).toContain("PAYMENTS_OFF  0.04 USDC  us.company.check.v1")
  expect(text).toContain("vendor-change-continuous-authorization")
  expect(text).toContain("next: USE_FREE_OPERATIONS")
})

const answers: readonly [name: string, answer: () => Response][] = [
  ["another JSON document", () => Response.json({ schema_version: "1.0.0" })],
  ["something that is not JSON", () => new Response("\u001b[2Jhello")],
  ["an error", () => new Response("{}", { status: 404 })],
  ["a redirect", () => Response.redirect("http://127.0.0.1:1/")],
  ["too much", () => new Response("x".repeat(2 * 1024 * 1024))],
]
test.each(answers)("a server that answers with %s is not shown", async (_name, answer) => {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer })
  const ran = await runCommand(command, ["--server", server.url.origin])
  await server.stop(true)
  expect(ran.exit).not.toBe(0)
  expect(ran.out).toBe("")
  expect(ran.err).not.toContain("\u001b")
})

test("without a server it exits 2 and says so", async () => {
  const ran = await runCommand(command, [])
  expect(String(ran.exit)).toBe("2")
  expect(ran.err).toContain("--server")
})
