import { describe, expect } from "bun:test"
import fc from "fast-check"
import {
  DEPTH_MAX,
  isJsonObject,
  type JsonFault,
  jsonOrUndefined,
  memberOf,
  readJson,
  StrictJsonError,
} from "../../src/core/strict-json.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const utf8 = (text: string) => new TextEncoder().encode(text)
const bytes = (...values: number[]) => new Uint8Array(values)

function faultOf(input: Uint8Array | string, depthMax?: number): JsonFault | null {
  try {
    readJson(typeof input === "string" ? utf8(input) : input, depthMax)
    return null
  } catch (error) {
    if (error instanceof StrictJsonError) return error.fault
    throw error
  }
}

const nested = (depth: number) => "[".repeat(depth) + "]".repeat(depth)
const nestedObjects = (depth: number) => `${'{"a":'.repeat(depth)}1${"}".repeat(depth)}`

describe("the strict JSON reader refuses", () => {
  test.each<[string, Uint8Array | string, JsonFault]>([
    ["a byte that is not UTF-8", bytes(0x22, 0xff, 0x22), "NOT_UTF8"],
    ["an overlong encoding", bytes(0x22, 0xc0, 0xaf, 0x22), "NOT_UTF8"],
    ["a surrogate encoded in UTF-8", bytes(0x22, 0xed, 0xa0, 0x80, 0x22), "NOT_UTF8"],
    ["a cut character", bytes(0x22, 0xe2, 0x82, 0x22), "NOT_UTF8"],
    ["UTF-16", bytes(0xff, 0xfe, 0x31, 0x00), "NOT_UTF8"],
    ["a byte order mark", bytes(0xef, 0xbb, 0xbf, 0x31), "BYTE_ORDER_MARK"],
    ["an empty text", "", "NOT_JSON"],
    ["two values", "1 2", "NOT_JSON"],
    ["a trailing comma", "[1,]", "NOT_JSON"],
    ["a comment", "[1] // x", "NOT_JSON"],
    ["single quotes", "{'a':1}", "NOT_JSON"],
    ["a leading zero", "01", "NOT_JSON"],
    ["a leading plus", "+1", "NOT_JSON"],
    ["NaN", "NaN", "NOT_JSON"],
    ["Infinity", "-Infinity", "NOT_JSON"],
    ["a raw control character", '"\u0001"', "NOT_JSON"],
    ["a byte order mark between tokens", "[\ufeff1]", "NOT_JSON"],
    ["a no-break space between tokens", "[\u00a01]", "NOT_JSON"],
    ["a duplicate name", '{"a":1,"a":2}', "DUPLICATE_MEMBER"],
    ["a duplicate name behind an escape", '{"a":1,"\\u0061":2}', "DUPLICATE_MEMBER"],
    ["a duplicate name after a nested object", '{"a":{"a":1},"b":[{"a":1}],"a":2}', "DUPLICATE_MEMBER"],
    ["a duplicate name in an object inside an array", '[1,{"x":[],"x":{}}]', "DUPLICATE_MEMBER"],
    ["a duplicate empty name", '{"":1,"":2}', "DUPLICATE_MEMBER"],
    ["a duplicate name with an escaped quote", '{"a\\"":1,"a\\u0022":2}', "DUPLICATE_MEMBER"],
    ["__proto__", '{"__proto__":{"admin":true}}', "RESERVED_MEMBER"],
    ["__proto__ behind an escape", '{"\\u005f_proto__":1}', "RESERVED_MEMBER"],
    ["__proto__ deep inside", '[{"a":[{"__proto__":null}]}]', "RESERVED_MEMBER"],
    ["an unpaired high surrogate", '"\\ud800"', "UNPAIRED_SURROGATE"],
    ["an unpaired low surrogate", '"x\\udc00"', "UNPAIRED_SURROGATE"],
    ["swapped surrogates", '["\\udc00\\ud800"]', "UNPAIRED_SURROGATE"],
    ["an unpaired surrogate in a name", '{"\\ud800":1}', "UNPAIRED_SURROGATE"],
    ["2^53", "9007199254740992", "NUMBER_OUT_OF_RANGE"],
    ["-2^53", "[-9007199254740992]", "NUMBER_OUT_OF_RANGE"],
    ["an integer of many digits", '{"a":12345678901234567890}', "NUMBER_OUT_OF_RANGE"],
    ["a number over the largest double", "1e400", "NUMBER_OUT_OF_RANGE"],
    ["a negative number over the largest double", "[-1E+309]", "NUMBER_OUT_OF_RANGE"],
    ["33 nested arrays", nested(DEPTH_MAX + 1), "TOO_DEEP"],
    ["33 nested objects", nestedObjects(DEPTH_MAX + 1), "TOO_DEEP"],
    ["a body that is all brackets", nested(32_768), "TOO_DEEP"],
  ])("%s", (_, input, fault) => {
    expect(faultOf(input)).toBe(fault)
  })

  test("deeper nesting than the caller's own limit", () => {
    expect(faultOf(nested(4), 3)).toBe("TOO_DEEP")
    expect(faultOf(nested(3), 3)).toBeNull()
  })

  test("without repeating any of the input", () => {
    expect(() => readJson(utf8('{"secret":1,"secret":2}'))).toThrow("DUPLICATE_MEMBER at 12")
  })
})

describe("the strict JSON reader accepts", () => {
  test.each<[string, string]>([
    ["a scalar", "null"],
    ["white space around everything", ' \t\r\n{ "a" : [ 1 , 2 ] } '],
    ["the largest safe integers", "[9007199254740991,-9007199254740991,-0]"],
    ["large numbers that are not integer literals", "[1e30,1.0E2,333333333.33333329]"],
    ["one name in different objects", '{"a":{"a":{"a":[]}},"b":{"a":1}}'],
    ["a name that is also a value", '{"a":"a","b":"a"}'],
    ["names that differ only in normalization", '{"\u00e9":1,"e\u0301":2}'],
    ["brackets, commas and quotes inside strings", '{"a":"{\\"a\\":1,[}","b":"\\\\","c":",:"}'],
    ["a surrogate pair, raw and escaped", '["😂","\\ud83d\\ude02"]'],
    ["names from Object.prototype", '{"constructor":1,"toString":2,"hasOwnProperty":3}'],
    ["32 nested arrays", nested(DEPTH_MAX)],
    ["32 nested objects", nestedObjects(DEPTH_MAX)],
    ["many siblings at the depth limit", `[${Array(50).fill(nested(31)).join(",")}]`],
  ])("%s", (_, text) => {
    expect(readJson(utf8(text))).toEqual(JSON.parse(text))
  })
})

describe("compared with JSON.parse", () => {
  test("the reader reads every document that JSON.stringify prints to the same value", () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 6 }), fc.nat(3), (text, indent) => {
        const value = JSON.parse(text)
        const spaced = JSON.stringify(value, null, indent)
        const fault = faultOf(spaced)
        if (fault === null) expect(readJson(utf8(spaced))).toEqual(value)
        else expect(["NUMBER_OUT_OF_RANGE", "RESERVED_MEMBER", "UNPAIRED_SURROGATE"]).toContain(fault)
      }),
      { numRuns: 500 },
    )
  })

  test("the reader accepts no text that JSON.parse refuses, and throws only StrictJsonError", () => {
    const piece = fc.constantFrom(
      ...'{}[]:,"\\0123456789.eE+-',
      "true",
      "null",
      "\\u",
      "d800",
      '"a"',
      " ",
      "\ud83d\ude02",
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 14 }), (pieces) => {
        const text = pieces.join("")
        if (faultOf(text) === null) expect(readJson(utf8(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test("any bytes give a value or a StrictJsonError", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (input) => {
        const fault = faultOf(input)
        expect(fault === null || fault.length > 0).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  test("a text gets the same verdict with or without an escape before it", () => {
    const name = fc.constantFrom('"a"', '"b"', '""', '"c:"', '"{"', '"constructor"', '"__proto__"')
    const number = fc.constantFrom("0", "-0", "1.5", "1e3", "1E+400", "9007199254740991", "9007199254740992", "-1e30")
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ maxDepth: 5 }, name, number, fc.constant("true"), tie("array"), tie("object")),
      array: fc.array(tie("value"), { maxLength: 3 }).map((items) => `[${items.join(" , ")}]`),
      object: fc
        .array(fc.tuple(name, fc.constantFrom("", " ", "\n\t"), tie("value")), { maxLength: 3 })
        .map((members) => `{${members.map(([named, space, of]) => `${named}${space}:${of}`).join(",")}}`),
    }))
    fc.assert(
      fc.property(value as fc.Arbitrary<string>, (text) => {
        const beside = faultOf(`["\\n",${text}]`)
        expect(faultOf(`["n",${text}]`)).toBe(beside)
        if (beside === null) expect(readJson(utf8(text))).toEqual(JSON.parse(text))
      }),
      { numRuns: 3_000 },
    )
  })

  test("a repeated member is found at any place", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.string({ unit: "binary", maxLength: 6 }), { minLength: 1, maxLength: 8 }),
        fc.nat(),
        (names, pick) => {
          const usable = names.filter((name) => name !== "__proto__" && name.isWellFormed())
          fc.pre(usable.length > 0)
          const members = usable.map((name) => `${JSON.stringify(name)}:[{"${"x"}":1}]`)
          expect(faultOf(`{${members.join(",")}}`)).toBeNull()
          const repeated = usable[pick % usable.length] ?? ""
          const escaped = [...repeated]
            .flatMap((character) => character.split(""))
            .map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`)
            .join("")
          expect(faultOf(`{${members.join(",")},"${escaped}":1}`)).toBe("DUPLICATE_MEMBER")
        },
      ),
      { numRuns: 300 },
    )
  })

  test("64 KiB of the slowest shapes is read completely", () => {
    const names = `{${Array.from({ length: 5_000 }, (_, i) => `"n${i}":${i}`).join(",")}}`
    const escapes = `["${"\\u00e9".repeat(10_900)}"]`
    const numbers = `[${Array(13_000).fill("-0.5").join(",")}]`
    for (const text of [names, escapes, numbers]) {
      expect(text.length).toBeLessThanOrEqual(65_536)
      expect(readJson(utf8(text))).toEqual(JSON.parse(text))
    }
  })
})

test("bytes that are not strict JSON are undefined where the fault does not matter", () => {
  expect(jsonOrUndefined(utf8("null"))).toBeNull()
  expect(jsonOrUndefined(utf8('{"a":[1]}'))).toEqual({ a: [1] })
  for (const text of ["", "{", '{"a":1,"a":2}']) expect(jsonOrUndefined(utf8(text))).toBeUndefined()
  expect(jsonOrUndefined(bytes(0xff))).toBeUndefined()
})

test("members are read from objects only, and only their own", () => {
  expect(memberOf({ a: null }, "a")).toBeNull()
  for (const value of [undefined, null, 1, "a", [1]]) {
    expect(isJsonObject(value)).toBe(false)
    expect(memberOf(value, "length")).toBeUndefined()
  }
  expect(memberOf({}, "toString")).toBeUndefined()
})
