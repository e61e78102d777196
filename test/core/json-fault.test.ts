import { describe, expect, test } from "bun:test"
import fc from "fast-check"
import { jsonFault } from "../../src/core/json-fault.ts"

const text = '{"a":[1,-2.5e+3,true,null,"b\\u00e9\\n",{}],"c":{"d":[[]]}}'

test("valid JSON has no fault, with any white space and at any depth", () => {
  const deep = "[".repeat(5000) + "]".repeat(5000)
  const long = JSON.stringify("aé\\n\u007f".repeat(1_000_000))
  for (const one of [text, ` \n${text}\r\n`, "0", "-0.0", '""', "[]", " null ", deep, long])
    expect(jsonFault(one)).toBeNull()
})

test("JSON that JSON.parse accepts has no fault, and an object that is not closed ends early at its length", () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(jsonFault(json)).toBeNull()
      expect(jsonFault(`{"a":${json}`)).toEqual({ offset: `{"a":${json}`.length, endsEarly: true })
    }),
  )
})

test("every prefix of an object ends early", () => {
  for (let end = 0; end < text.length; end++) {
    expect([end, jsonFault(text.slice(0, end))]).toEqual([end, { offset: end, endsEarly: true }])
  }
})

describe("the fault of a malformed text has its offset", () => {
  test.each([
    ["{x", 1],
    ['{"a" 1}', 5],
    ['{"a":1,}', 7],
    ["[1,]", 3],
    ["[1}", 2],
    ["{]", 1],
    ["[01]", 2],
    ["[1.]", 3],
    ["[-a]", 2],
    ["[truth]", 1],
    ['["\t"]', 2],
    ['["\\x"]', 2],
    ["1 2", 2],
    ["<html>", 0],
    ["]", 0],
  ])("%s at %i", (wrong, offset) => {
    expect(() => JSON.parse(wrong)).toThrow()
    expect(jsonFault(wrong)).toEqual({ offset, endsEarly: false })
  })
})
