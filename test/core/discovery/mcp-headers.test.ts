import { expect, test } from "bun:test"
import { decodeHeaderText, encodeHeaderText, metaOf, namedIn } from "../../../src/core/discovery/mcp-headers.ts"

test.each([
  ["plain", "plain"],
  ["with space", "with space"],
  [" leading", "=?base64?IGxlYWRpbmc=?="],
  ["trailing ", "=?base64?dHJhaWxpbmcg?="],
  ["é", "=?base64?w6k=?="],
  ["line1\nline2", "=?base64?bGluZTEKbGluZTI=?="],
  ["=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="],
  ["", "=?base64??="],
])("%j stands in a header as %s", (value, header) => {
  expect(encodeHeaderText(value)).toBe(header)
  expect(decodeHeaderText(header)).toBe(value)
})

test("base64 that is not UTF-8 has no value, and other text is literal", () => {
  expect(decodeHeaderText("=?base64?/w==?=")).toBeNull()
  expect(decodeHeaderText("=?base64?***?=")).toBe("=?base64?***?=")
})

test("the name of a message is that of its method, if it is a text", () => {
  expect(namedIn("tools/call", { name: "a", uri: "b" })).toBe("a")
  expect(namedIn("resources/read", { name: "a", uri: "b" })).toBe("b")
  expect(namedIn("prompts/get", { name: 1 })).toBeNull()
  expect(namedIn("tools/list", { name: "a" })).toBeNull()
  expect(namedIn("tools/call", undefined)).toBeNull()
})

test("only an object is _meta", () => {
  expect(metaOf({ _meta: { a: 1 } })).toEqual({ a: 1 })
  for (const params of [undefined, {}, { _meta: null }, { _meta: [] }, { _meta: "a" }])
    expect(metaOf(params)).toBeNull()
})
