import { expect, test } from "bun:test"
import { conditional, heldDocument, heldForMinute } from "../../src/http/conditional.ts"

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

test("a document for a minute is made once in it, of its start, also if the clock moves between two readings", () => {
  let time = 120_000
  const made: number[] = []
  const reply = heldForMinute(
    () => (time += 20_000),
    (at) => {
      made.push(at)
      return heldDocument(`${at}`, headers)
    },
  )
  const bodies = Array.from({ length: 4 }, () => reply(new Headers()).body)
  expect(made).toEqual([120_000, 180_000])
  expect(bodies).toEqual(["120000", "120000", "180000", "180000"])
})
