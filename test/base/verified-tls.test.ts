import { afterAll, expect } from "bun:test"
import { join } from "node:path"
import { codeOf, ROOT, sourceFiles } from "../fixtures/imports.ts"
import { CERTIFICATE, CERTIFICATE_KEY } from "../fixtures/publisher-certificate.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** Acts as a node and as a facilitator, with a certificate that no authority signed. */
let requests = 0
const stranger = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  tls: { key: CERTIFICATE_KEY, cert: CERTIFICATE },
  fetch: () => {
    requests++
    return Response.json({
      jsonrpc: "2.0",
      id: 1,
      result: "0x2105",
      success: true,
      transaction: "",
      network: "eip155:8453",
    })
  },
})
afterAll(() => stranger.stop(true))

test("a variable that disables certificate checks makes no client of the program trust an unknown server", async () => {
  const program = join(ROOT, "test/fixtures/careless-client.ts")
  const child = Bun.spawn([process.execPath, program, `https://127.0.0.1:${stranger.port}`], {
    env: { ...process.env, NODE_TLS_REJECT_UNAUTHORIZED: "0" },
    stdout: "pipe",
    stderr: "ignore",
  })
  const outcomes = JSON.parse(await new Response(child.stdout).text())
  // A plain fetch shows that the variable does disable the checks.
  expect(outcomes).toEqual({
    fetch: "answered",
    primaryNode: "refused",
    secondNode: "refused",
    facilitator: "refused",
    agentCommand: "refused",
  })
  expect(requests).toBe(1)
})

test("every file that calls fetch states that certificates are checked", () => {
  // The scheduler's `fetch` is a function argument that starts a program.
  const calls = sourceFiles("src").filter((path) => /(?<![.\w])fetch\(|\bhttp\(/.test(codeOf(path)))
  const fetching = calls.filter((path) => path !== "src/sources/fetch/schedule/scheduler.ts")
  expect(fetching.length).toBeGreaterThanOrEqual(3)
  expect(fetching.filter((path) => !codeOf(path).includes("VERIFIED_TLS"))).toEqual([])
})
