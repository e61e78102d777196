/** A call of a served operation outside HTTP: the same limit, schema, bank-data check and handler. */
import { describe, expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { closed } from "../../schemas/common.ts"
import { FREE, operation } from "../../schemas/operation.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { realMachine } from "../../src/base/machine.ts"
import { RateLimiter } from "../../src/http/rate-limit.ts"
import { serve } from "../../src/http/serve.ts"
import { type Invocation, ServedOperations } from "../../src/http/served.ts"
import { testShell } from "../fixtures/shell.ts"

const echo = operation({
  ...FREE,
  id: "echo",
  method: "POST",
  path: "/v1/echo/{name}",
  summary: "Return the text",
  body: closed({ text: Type.String({ maxLength: 40 }) }),
  responses: { 200: { description: "The text" } },
  cors: "NONE",
  bankData: "REFUSED",
  rateLimit: { group: "echo", perMinute: 2 },
})

function served() {
  const { shell } = testShell({ served: new ServedOperations(), limiter: new RateLimiter(realMachine) })
  serve(shell, echo, ({ body, params, bodyDigest }) => ({
    status: 200,
    body: { text: body.text, name: params["name"], digest: bodyDigest },
  }))
  return shell.served as ServedOperations
}

const call = (body: unknown): Invocation => ({
  body,
  params: { name: "ana" },
  headers: new Headers(),
  bodyDigest: null,
  client: "192.0.2.1",
  requestId: "req_1",
  traceId: "1",
  at: 0,
})

const codeOf = async (body: unknown, operations = served()) => {
  const outcome = await operations
    .find("echo")
    ?.invoke(call(body))
    .catch((error: unknown) => error)
  return outcome instanceof ServiceError ? outcome.code : outcome
}

describe("a call of a served operation", () => {
  test("reaches the handler with the body and the parameters", async () => {
    expect(await codeOf({ text: "hello" })).toEqual({ status: 200, body: { text: "hello", name: "ana", digest: null } })
  })

  test("is rejected for a body that does not match the schema", async () => {
    expect(await codeOf({ text: 1 })).toBe("SCHEMA_INVALID")
  })

  test("is rejected for raw bank data in the body", async () => {
    expect(await codeOf({ text: "DE89370400440532013000" })).toBe("RAW_BANK_DATA_REJECTED")
  })

  test("counts against the rate limit of the operation", async () => {
    const operations = served()
    await codeOf({ text: "1" }, operations)
    await codeOf({ text: "2" }, operations)
    expect(await codeOf({ text: "3" }, operations)).toBe("RATE_LIMITED")
  })
})

test("two operations with one id are a fault of the program", () => {
  const operations = served()
  const invoke = () => Promise.reject(new Error("not called"))
  expect(() => operations.add({ operation: echo, invoke })).toThrow("two operations have the id echo")
})

test("the rows are ordered by path", () => {
  const operations = served()
  operations.add({ operation: { ...echo, id: "first", path: "/a" }, invoke: () => Promise.reject(new Error("no")) })
  expect(operations.rows().map(({ path }) => path)).toEqual(["/a", "/v1/echo/{name}"])
})
