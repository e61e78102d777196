import { expect, test } from "bun:test"
import { conditional } from "../../src/http/conditional.ts"

const bytes = Buffer.from("{}")
const headers = { "content-type": "application/json" }
const { headers: tagged } = conditional(new Headers(), bytes, headers)
const etag = tagged?.["etag"] ?? ""

const rows: readonly [sent: string | null, status: number][] = [
  [null, 200],
  ['"other"', 200],
  [etag, 304],
  [`W/${etag}`, 304],
  [`"other", ${etag}`, 304],
  ["*", 304],
  [etag.replaceAll('"', ""), 200],
]
test.each(rows)("If-None-Match %p gets %p", (sent, status) => {
  const request = new Headers(sent === null ? {} : { "if-none-match": sent })
  const reply = conditional(request, bytes, headers)
  expect(reply.status).toBe(status)
  expect(reply.body).toBe(status === 304 ? null : bytes)
  expect(reply.headers?.["etag"]).toBe(etag)
})

test("the tag changes with one byte of the document", () => {
  expect(conditional(new Headers(), Buffer.from("{ }"), headers).headers?.["etag"]).not.toBe(etag)
})
