import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { CnpjPreflight } from "../../schemas/discovery/preflight.ts"
import type { Operation } from "../../schemas/operation.ts"
import type { Problem } from "../../schemas/problem.ts"
import { PRODUCT_IDS } from "../../schemas/products.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { operations } from "../../scripts/docs/operations.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { cnpjPreflightRoute } from "../../src/discovery/cnpj-preflight.ts"
import { soldOperations } from "../../src/discovery/sold.ts"
import type { Listener } from "../../src/http/listen.ts"
import { compile } from "../../src/http/read-body.ts"
import { ServedOperations } from "../../src/http/served.ts"
import { listening, rawExchange, testShell } from "../fixtures/shell.ts"

const PATH = "/v1/agent/preflight/"
const added = { ...checkCompany, id: "toy", product: { ...checkCompany.product, id: "us.toy.v1" } } as Operation
const rows = [...(await operations()), added]

const served = new ServedOperations()
const { shell, logged } = testShell({ served })
let server: Listener
beforeAll(() => {
  server = listening(shell, [cnpjPreflightRoute(shell, () => rows)])
})
afterAll(() => server.stop(0))

const ask = (text: string) => fetch(server.origin + PATH + text)

describe("a right number", () => {
  test.each([
    ["12ABC34501DE35", "12ABC34501DE35", "ALPHANUMERIC"],
    ["12.ABC.345%2F01DE-35", "12ABC34501DE35", "ALPHANUMERIC"],
    ["12%2EABC%2E345%2f01DE%2D35", "12ABC34501DE35", "ALPHANUMERIC"],
    ["11222333000181", "11222333000181", "NUMERIC"],
    ["11.222.333%2F0001-81", "11222333000181", "NUMERIC"],
  ])("%s is not covered, costs nothing and has no effect", async (text, value, format) => {
    const answer = await ask(text)
    const bytes = await answer.text()
    const body = JSON.parse(bytes) as CnpjPreflight
    expect([answer.status, answer.headers.get("content-type")]).toEqual([200, "application/json"])
    expect([...compile(CnpjPreflight).Errors(body)]).toEqual([])
    expect(bytes).toBe(canonicalize(body))
    expect(body.identifier).toEqual({
      scheme: "br-cnpj",
      value,
      format: format as CnpjPreflight["identifier"]["format"],
      check_digits_valid: true,
    })
    expect([body.supported, body.outcome, body.maximum_price, body.estimate]).toEqual([
      false,
      "UNSUPPORTED",
      null,
      { charge: "0" },
    ])
    expect(Object.values(body.effects).every((effect) => effect === 0 || effect === false)).toBe(true)
  })

  test("the alternatives are the served paid rows, an added one included", async () => {
    const { alternatives } = (await (await ask("11222333000181")).json()) as CnpjPreflight
    expect(alternatives.map((each) => [each.product_id, each.uri])).toEqual(
      soldOperations(rows).map(({ product, path }) => [product.id, shell.baseUrl() + path]),
    )
    expect(alternatives.map((each) => each.product_id)).toContain("us.toy.v1")
    expect(alternatives.length).toBe(PRODUCT_IDS.length + 1)
  })

  test("a tool call runs the same handler", async () => {
    const tool = served.find("free_cnpj_preflight")
    const reply = await tool?.invoke({
      body: null,
      params: { cnpj: "12.ABC.345/01DE-35" },
      headers: new Headers(),
      bodyDigest: null,
      client: "127.0.0.1",
      requestId: "req_1",
      traceId: "0".repeat(32),
      at: 0,
    })
    expect(reply?.body).toBe(await (await ask("12ABC34501DE35")).text())
  })
})

describe("a wrong one is 422, and the problem names the fault and not the number", () => {
  test.each([
    ["12abc34501de35", "CNPJ_SHAPE_INVALID"],
    ["11111111111180", "CNPJ_SHAPE_INVALID"],
    ["1122233300018", "CNPJ_SHAPE_INVALID"],
    ["11.222.3330001-81", "CNPJ_SHAPE_INVALID"],
    ["%20", "CNPJ_SHAPE_INVALID"],
    ["x".repeat(5000), "CNPJ_SHAPE_INVALID"],
    ["12ABC34501DE36", "CNPJ_CHECK_DIGITS_INVALID"],
    ["11222333000191", "CNPJ_CHECK_DIGITS_INVALID"],
  ])("%s", async (text, code) => {
    const answer = await ask(text)
    const body = (await answer.json()) as Problem
    expect([answer.status, body.code, body.reason_codes]).toEqual([422, "IDENTIFIER_INVALID", [code]])
    expect(body.errors.map((each) => [each.pointer, each.code])).toEqual([["path:cnpj", code]])
    expect(body.errors[0]?.expected).toMatch(/digits/)
    expect([body.next_machine_action, body.charged]).toEqual(["CORRECT_REQUEST", false])
    expect(JSON.stringify({ ...body, instance: "" })).not.toContain(text)
  })

  test("a path with a real slash in the number, without a number or with broken encoding is 404", async () => {
    expect((await ask("12.ABC.345/01DE-35")).status).toBe(404)
    expect((await ask("")).status).toBe(404)
    expect(await rawExchange(server.origin, `GET ${PATH}%zz HTTP/1.1\r\nHost: h\r\n\r\n`)).toStartWith("HTTP/1.1 404")
  })
})

test("the log has no number, right or wrong", async () => {
  logged.length = 0
  for (const text of ["12ABC34501DE35", "12.ABC.345%2F01DE-35", "12ABC34501DE36", "12abc34501de35"]) await ask(text)
  expect(logged.length).toBe(4)
  expect(JSON.stringify(logged)).not.toMatch(/12\.?abc\.?345/i)
})
