/** The address in a problem's `type` returns the catalogue's row of its code, as JSON to machines and as a page to browsers. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { ProblemDescription } from "../../schemas/discovery/problem.ts"
import { catalogue, type ErrorCode } from "../../src/base/refusals.ts"
import type { Listener } from "../../src/http/listen.ts"
import { compile } from "../../src/http/read-body.ts"
import { problemRoutes } from "../../src/pages/problem-routes.ts"
import { expectProblem } from "../fixtures/problems.ts"
import { listening, testShell } from "../fixtures/shell.ts"

const { shell } = testShell()
const CODES = Object.keys(catalogue) as ErrorCode[]
const BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"

let server: Listener
beforeAll(() => {
  server = listening(shell, [problemRoutes(shell, { issuerName: "Example", baseUrl: "https://svc.example" })])
})
afterAll(() => server.stop(0))

const ask = (code: string, headers: Record<string, string> = {}) =>
  fetch(`${server.origin}/problems/${code}`, { headers })

test("the address of every code in the catalogue shows its row", async () => {
  expect(CODES.length).toBeGreaterThan(100)
  const isRow = compile(ProblemDescription)
  for (const code of CODES) {
    const answer = await ask(code)
    const row = (await answer.json()) as ProblemDescription
    expect([code, answer.status, isRow.Check(row)]).toEqual([code, 200, true])
    const { status, title, next } = catalogue[code]
    expect(row).toMatchObject({ code, status, title, next_machine_action: next, charged: false })
    expect(row.type).toBe(`https://svc.example/problems/${code}`)
  }
})

test("a browser gets a page with the same content that loads nothing", async () => {
  const answer = await ask("BODY_TOO_LARGE", { accept: BROWSER })
  const page = await answer.text()
  expect(answer.headers.get("content-type")).toBe("text/html; charset=utf-8")
  expect(answer.headers.get("content-security-policy")).toContain("default-src 'none'")
  for (const words of ["BODY_TOO_LARGE", "413", catalogue.BODY_TOO_LARGE.title, catalogue.BODY_TOO_LARGE.next]) {
    expect(page).toContain(words)
  }
  expect(page).not.toMatch(/<script|src="(?!\/v1\/agent-id\/mark.svg)/)
})

describe("both forms", () => {
  test.each([
    ["JSON", "application/json"],
    ["the page", BROWSER],
  ])("%s has its own strong ETag, separate from the other", async (_, accept) => {
    const first = await ask("NOT_FOUND", { accept })
    const etag = first.headers.get("etag") ?? ""
    expect(etag).toMatch(/^"[0-9a-f]{64}"$/)
    expect([first.headers.get("vary"), first.headers.get("cache-control")]).toEqual(["Accept", "public, max-age=300"])
    expect(first.headers.get("access-control-allow-origin")).toBe("*")
    const again = await ask("NOT_FOUND", { accept, "if-none-match": etag })
    expect([again.status, await again.text(), again.headers.get("etag")]).toEqual([304, "", etag])
    const other = accept === BROWSER ? "application/json" : BROWSER
    expect((await ask("NOT_FOUND", { accept: other, "if-none-match": etag })).status).toBe(200)
  })
})

test.each(["UNKNOWN", "not_found", "constructor", "%00", "NOT_FOUND%20"])(
  "%s is not a code and gets 404",
  async (code) => {
    await expectProblem(await ask(code), 404, "NOT_FOUND")
  },
)

test("a refusal contains this address wherever its type is written", async () => {
  const { type } = await expectProblem(await ask("UNKNOWN"), 404, "NOT_FOUND")
  expect(type).toBe("https://svc.example/problems/NOT_FOUND")
  const unrouted = await expectProblem(await fetch(`${server.origin}/nothing`), 404, "NOT_FOUND")
  expect(unrouted.type).toBe("https://svc.example/problems/NOT_FOUND")
})
