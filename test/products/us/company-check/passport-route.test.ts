import { afterAll, beforeAll, expect, test } from "bun:test"
import type { CompanyCheckResult } from "../../../../schemas/us/company-check.ts"
import { NATIVE_CRYPTO } from "../../../../src/core/crypto/native-crypto.ts"
import { DAY, instant, SECOND } from "../../../../src/core/time.ts"
import { router } from "../../../../src/http/router.ts"
import { verifyPassport } from "../../../../src/offline/kinds/passport.ts"
import { readIssuerKeys } from "../../../../src/offline/steps/issuer-keys.ts"
import { companyPassports } from "../../../../src/products/us/company-check/passport-route.ts"
import { type AnswerTestServer, answerTestServer } from "../../../fixtures/answer-test-server.ts"
import { type Bought, buyAnswer, usBody } from "../../../fixtures/answers.ts"
import { issuerJwks } from "../../../fixtures/decision.ts"
import { clockAt } from "../../../fixtures/service.ts"
import { testShell } from "../../../fixtures/shell.ts"
import { issuer, listedParty, type TestServer } from "../../../fixtures/test-server.ts"

let seller: AnswerTestServer
let server: TestServer
let bought: Bought
const passportOf = (answer: Bought) => (answer.answer.result as unknown as CompanyCheckResult).passport

beforeAll(async () => {
  seller = await answerTestServer()
  server = seller.server
  bought = await buyAnswer(server, { path: "/v1/us/company-check", body: usBody() })
  expect(bought.status).toBe(200)
})
afterAll(() => seller[Symbol.asyncDispose]())

/** With the clock at `at` milliseconds. */
const ask = (path: string, at = Date.now(), headers: Record<string, string> = {}) => {
  const { shell } = testShell({ machine: clockAt(at) })
  const app = router(shell, [companyPassports({ shell, store: server.store })])
  return app.handle(new Request(`http://localhost${path}`, { headers }))
}
const pathOf = (uri = "") => new URL(uri).pathname

test("the answer names its passport, which anyone may read and verify offline with the answer", async () => {
  const named = passportOf(bought)
  const answer = await ask(pathOf(named?.uri))
  expect(answer.status).toBe(200)
  expect(answer.headers.get("access-control-allow-origin")).toBe("*")
  const bytes = new Uint8Array(await answer.arrayBuffer())
  const { report } = verifyPassport({
    bytes,
    check: new TextEncoder().encode(bought.text),
    keys: readIssuerKeys(issuerJwks(issuer, { nbf: 0, exp: 2 ** 40 }), NATIVE_CRYPTO) ?? new Map(),
    at: Date.now(),
    crypto: NATIVE_CRYPTO,
    reformatted: false,
  })
  expect([report.conclusion, report.lines.filter(({ state }) => state === "INVALID")]).toEqual(["VALID", []])
  expect(JSON.parse(new TextDecoder().decode(bytes)).payload.valid_until).toBe(named?.valid_until)
})

test("the passport may be cached until it expires, does not change before that, and remains available afterwards", async () => {
  const { uri, valid_until: until } = passportOf(bought) ?? { uri: "", valid_until: "" }
  const at = instant(until) - DAY
  const answer = await ask(pathOf(uri), at)
  expect(answer.headers.get("cache-control")).toBe(`public, max-age=${DAY / SECOND}, immutable`)
  const unchanged = await ask(pathOf(uri), at, { "if-none-match": answer.headers.get("etag") ?? "" })
  expect([unchanged.status, await unchanged.text()]).toEqual([304, ""])
  const late = await ask(pathOf(uri), instant(until))
  expect([late.status, late.headers.get("cache-control")]).toEqual([200, "public, no-cache"])
  expect(await late.text()).toBe(await answer.text())
})

test("an unknown or malformed id and an answer that was never acquired get 404 PASSPORT_NOT_FOUND", async () => {
  const path = pathOf(passportOf(bought)?.uri)
  const { execution_id: id } = bought.answer
  const set = (body: string | null) =>
    server.database.write("UPDATE delivery SET body = ?2 WHERE decision_id = ?1", id, body)
  await set(null)
  const refused = [path, "/v1/us/company-passports/psp_AAAAAAAAAAAAAAAAAAAAAA", `/v1/us/company-passports/${id}`]
  for (const one of refused) {
    const answer = await ask(one)
    expect([one, answer.status, (await answer.json()).code]).toEqual([one, 404, "PASSPORT_NOT_FOUND"])
  }
  await set(bought.text)
  expect((await ask(path)).status).toBe(200)
})

test("a company on a list has no passport", async () => {
  const name = listedParty().names[0]?.text ?? ""
  const blocked = await buyAnswer(server, {
    path: "/v1/us/company-check",
    body: usBody({ company: { legal_name: name, identifiers: { uei: "ZQGGHJH74DW7" } } }),
  })
  expect([blocked.answer.decision, passportOf(blocked)]).toEqual(["BLOCK", null])
  const kept = "SELECT companion_id FROM delivery WHERE decision_id = ?1"
  expect(await server.database.row(kept, blocked.answer.execution_id)).toEqual({ companion_id: null })
})
