/** A page of any origin may verify, so that it need not trust a server of its own. */
import { expect, test } from "bun:test"
import { routes } from "../../../src/server/app.ts"
import { enrolTestAgent } from "../../fixtures/agent.ts"
import { clockAt } from "../../fixtures/service.ts"
import { serviceOfRun } from "../../fixtures/service-of-run.ts"
import { signedStatement } from "../../fixtures/signed-statement.ts"

const URL_OF = "http://localhost/v1/agent-signatures/verify"

test("a browser's preflight for JSON is allowed, and any origin may read the response, without credentials", async () => {
  await using running = await serviceOfRun()
  const app = routes(running.service)
  const requests = { origin: "https://relying.example", "access-control-request-method": "POST" }
  const preflight = await app.handle(new Request(URL_OF, { method: "OPTIONS", headers: requests }))
  expect(preflight.status).toBe(204)
  expect(preflight.headers.get("access-control-allow-origin")).toBe("*")
  expect(preflight.headers.get("access-control-allow-methods")).toContain("POST")
  expect(preflight.headers.get("access-control-allow-headers")).toContain("Content-Type")

  const agent = await enrolTestAgent((request) => app.handle(request), "http://localhost")
  const body = JSON.stringify(signedStatement(agent, Date.UTC(2026, 0, 1)))
  const headers = { origin: "https://relying.example", "content-type": "application/json" }
  const answer = await app.handle(new Request(URL_OF, { method: "POST", headers, body }))
  expect(answer.status).toBe(200)
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  expect(answer.headers.get("access-control-allow-credentials")).toBeNull()
})

test("the setting signature_verification = off closes the route of the whole service", async () => {
  await using running = await serviceOfRun(clockAt(Date.UTC(2026, 0, 1)), { signature_verification: "off" })
  const answer = await routes(running.service).handle(new Request(URL_OF, { method: "POST", body: "{" }))
  expect(answer.status).toBe(503)
})
