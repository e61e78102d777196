/** Generated requests for every operation of the OpenAPI document: each answer is as documented, and no log line repeats a sent text. */
import { describe, expect, test } from "bun:test"
import { freeTarget } from "../../../scripts/fuzz/free-target.ts"
import { fuzzOperations } from "../../../scripts/fuzz/fuzz-operations.ts"
import { ANY, type Expectation, type FuzzRequest } from "../../../scripts/fuzz/fuzz-request.ts"
import { judgeAnswer } from "../../../scripts/fuzz/judge-answer.ts"
import { faultText, runFuzz } from "../../../scripts/fuzz/run-fuzz.ts"
import { sellingTarget } from "../../../scripts/fuzz/selling-target.ts"
import { SEED } from "../../fixtures/long.ts"
import { OpenapiChecker, type OpenapiDocument, printedOpenapi } from "../../fixtures/openapi.ts"

const FREE = 1_400
const SOLD = 500
const LIMITED = 100
const TEST_MS_MAX = 60_000
const name = (requests: number, what: string) =>
  `${requests.toLocaleString("en")} requests ${what}, BIZAUTH_SEED=${SEED}`

test(
  name(FREE, "to a server without payments"),
  async () => {
    await using target = await freeTarget()
    const result = await runFuzz(target, { requests: FREE, seed: SEED })
    expect(faultText(result, SEED)).toBe("")
    expect(result.requests).toBe(FREE)
    expect(Object.keys(result.statuses)).toEqual(
      expect.arrayContaining(["200", "304", "400", "404", "405", "413", "415", "422"]),
    )
  },
  TEST_MS_MAX,
)

test(
  name(SOLD, "to a server that sells"),
  async () => {
    await using target = await sellingTarget()
    const result = await runFuzz(target, { requests: SOLD, seed: SEED })
    expect(faultText(result, SEED)).toBe("")
    expect(result.requests).toBeGreaterThanOrEqual(SOLD)
    expect(result.statuses["402"]).toBeGreaterThan(0)
  },
  TEST_MS_MAX,
)

test(
  name(LIMITED, "to a server with rate limits"),
  async () => {
    await using target = await freeTarget({ rate_limits: "on" })
    const result = await runFuzz(target, { requests: LIMITED, seed: SEED })
    expect(faultText(result, SEED)).toBe("")
  },
  TEST_MS_MAX,
)

describe("a fault is found", () => {
  const checker = new OpenapiChecker(JSON.parse(printedOpenapi()) as OpenapiDocument)
  const rows = fuzzOperations(checker)
  const judgement = { checker, rows, origin: "http://localhost" }
  const problem = {
    type: "http://localhost/problems/NOT_FOUND",
    title: "No such resource",
    status: 404,
    code: "NOT_FOUND",
    detail: "No route has this path.",
    instance: "/x",
    reason_codes: [],
    errors: [],
    errors_omitted: 0,
    retryable: false,
    charged: false,
    next_machine_action: "CORRECT_REQUEST",
    request_id: "req_AAAAAAAAAAAAAAAAAAAAAA",
    trace_id: "0".repeat(32),
  }
  const ID = { "x-request-id": problem.request_id }
  const PROBLEM = { ...ID, "content-type": "application/problem+json" }

  function faultsOf(
    operationId: string,
    status: number,
    headers: Record<string, string>,
    body: unknown,
    expects: Expectation = ANY,
  ): string[] {
    const row = rows.find(({ operation }) => operation.operationId === operationId) ?? null
    const request: FuzzRequest = {
      kind: "planted",
      method: row?.method ?? "GET",
      path: row?.template ?? "/x",
      headers: [],
      body: Buffer.from('{"id":1}'),
      isChunked: false,
      row,
      expects,
      texts: [],
    }
    const bytes = Buffer.from(body === null ? "" : JSON.stringify(body))
    return judgeAnswer(judgement, request, { status, headers: new Headers(headers), body: bytes, coded: bytes })
  }

  test("a right answer has none", () => {
    expect(faultsOf("GetAgentIdentity", 404, PROBLEM, problem)).toEqual([])
    expect(faultsOf("none", 404, PROBLEM, problem)).toEqual([])
  })

  const isValid: Expectation = { statuses: null, code: null, isValid: true }
  const isRefused: Expectation = { statuses: null, code: null, isValid: false }
  const schemaFault = {
    ...problem,
    status: 422,
    code: "SCHEMA_INVALID",
    type: "http://localhost/problems/SCHEMA_INVALID",
  }
  const REFUSED_VALID = "the document's schema accepts what the service refuses"
  const rpc = { "content-type": "application/json", ...ID }

  test.each([
    ["opt_out_of_agent_sales", ["SCOPE_MEMBER_UNEXPECTED"], []],
    ["opt_out_of_agent_sales", ["SCOPE_MEMBER_MISSING", "SCOPE_MEMBER_UNEXPECTED"], []],
    ["opt_out_of_agent_sales", ["PRODUCT_UNKNOWN"], []],
    ["opt_out_of_agent_sales", ["SCOPE_MEMBER_UNEXPECTED", "REQUIRED"], [REFUSED_VALID]],
    ["hold_agent_dialogue", ["SCOPE_MEMBER_UNEXPECTED"], [REFUSED_VALID]],
    ["hold_agent_dialogue", ["AUDIENCE"], []],
  ])("%s may refuse a body that its schema accepts with %j: %j", (operation, codes, faults) => {
    const errors = codes.map((code) => ({ pointer: "/product_id", code, expected: "null" }))
    const limits = { "ratelimit-policy": "x", ratelimit: "x" }
    expect(faultsOf(operation, 422, { ...PROBLEM, ...limits }, { ...schemaFault, errors }, isValid)).toEqual(faults)
  })

  test.each([
    ["a 500", "GetAgentIdentity", 500, PROBLEM, { ...problem, status: 500 }, ANY, "500 is not named"],
    [
      "another status in the problem",
      "GetAgentIdentity",
      404,
      PROBLEM,
      { ...problem, status: 400 },
      ANY,
      "the problem says 400, not 404",
    ],
    ["another member", "GetAgentIdentity", 404, PROBLEM, { ...problem, stack: "x" }, ANY, "the problem has stack"],
    [
      "a member missing",
      "GetAgentIdentity",
      404,
      PROBLEM,
      { ...problem, charged: undefined },
      ANY,
      "404 body:  must have required property 'charged'",
    ],
    [
      "another media type",
      "GetAgentIdentity",
      404,
      { ...PROBLEM, "content-type": "text/plain" },
      problem,
      ANY,
      '404 has the media type "text/plain"',
    ],
    ["a header missing", "VerifyAgentSignature", 429, PROBLEM, { ...problem, status: 429 }, ANY, "no Retry-After"],
    [
      "no request id",
      "GetAgentIdentity",
      404,
      { "content-type": "application/problem+json" },
      problem,
      ANY,
      "no X-Request-Id",
    ],
    ["a valid body refused", "VerifyAgentSignature", 422, PROBLEM, schemaFault, isValid, REFUSED_VALID],
    [
      "an invalid body taken",
      "VerifyAgentSignature",
      404,
      PROBLEM,
      problem,
      isRefused,
      "the document's schema refuses what the service answers with 404 NOT_FOUND",
    ],
    ["an answer at an unknown path", "none", 200, rpc, {}, ANY, "a path of no operation answers 200"],
    [
      "the id of another request",
      "agent_mcp",
      200,
      rpc,
      { jsonrpc: "2.0", id: 2, result: {} },
      isValid,
      "the answer has another id than the request",
    ],
    [
      "an internal error",
      "agent_a2a",
      200,
      rpc,
      { jsonrpc: "2.0", id: 1, error: { code: -32603, message: "x" } },
      ANY,
      "an internal error",
    ],
    [
      "a digest of other bytes",
      "none",
      404,
      { ...PROBLEM, "content-digest": "sha-256=:AAAA:" },
      problem,
      ANY,
      "Content-Digest is not of the body",
    ],
  ] as const)("%s", (_, id, status, headers, body, expects, fault) => {
    expect(faultsOf(id, status, headers, body, expects)).toContain(fault)
  })
})
