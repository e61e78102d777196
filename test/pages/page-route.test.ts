/** A page is made once, however its name is spelt in the path, and what names no page is not kept. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { readReasonPage } from "../../schemas/pages.ts"
import type { Listener } from "../../src/http/listen.ts"
import { html } from "../../src/pages/html.ts"
import { pageRoute } from "../../src/pages/page-route.ts"
import { listening, testShell } from "../fixtures/shell.ts"

const { shell } = testShell()
const site = { issuerName: "Example", baseUrl: "https://svc.example" }
const queried: string[] = []
let server: Listener
beforeAll(() => {
  const route = pageRoute({ shell, site }, readReasonPage, async (_, { code = "" }) => {
    queried.push(code)
    return code === "KNOWN" ? { title: code, main: html`<h1>${code}</h1>` } : null
  })
  server = listening(shell, [route])
})
afterAll(() => server.stop(0))

const statusOf = async (name: string) => (await fetch(`${server.origin}/docs/reasons/${name}`)).status

test("a name that is spelt with percent-encoding is the same page", async () => {
  for (const name of ["KNOWN", "%4BNOWN", "%4bNOWN", "K%4E%4FWN", "%4B%4E%4F%57%4E"])
    expect(await statusOf(name)).toBe(200)
  expect(queried).toEqual(["KNOWN"])
})

test("a name without a page is looked up each time", async () => {
  queried.length = 0
  for (let count = 0; count < 3; count++) expect(await statusOf("UNKNOWN")).toBe(404)
  expect(queried).toEqual(["UNKNOWN", "UNKNOWN", "UNKNOWN"])
})
