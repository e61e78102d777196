import { describe, expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import npmCanonicalize from "canonicalize"
import fc from "fast-check"
import { canonicalBytes, canonicalize, canonicalMembers, joinMembers } from "../../src/core/canonical-json.ts"
import { readJson } from "../../src/core/strict-json.ts"

const vectors = process.env["BIZAUTH_VECTORS"]
const utf8 = (text: string) => new TextEncoder().encode(text)

function double(hex: string): number {
  return Buffer.from(hex.padStart(16, "0"), "hex").readDoubleBE()
}

describe("RFC 8785 as printed", () => {
  test("the sample of 3.2.2 has the bytes of 3.2.4", () => {
    const sample = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`
    const printed = `
      7b 22 6c 69 74 65 72 61 6c 73 22 3a 5b 6e 75 6c 6c 2c 74 72 75 65 2c 66 61 6c 73 65 5d 2c 22 6e 75 6d 62 65 72 73 22
      3a 5b 33 33 33 33 33 33 33 33 33 2e 33 33 33 33 33 33 33 2c 31 65 2b 33 30 2c 34 2e 35 2c 30 2e 30 30 32 2c 31 65 2d
      32 37 5d 2c 22 73 74 72 69 6e 67 22 3a 22 e2 82 ac 24 5c 75 30 30 30 66 5c 6e 41 27 42 5c 22 5c 5c 5c 5c 5c 22 2f 22
      7d`
    expect(Buffer.from(canonicalBytes(readJson(utf8(sample)))).toString("hex")).toBe(printed.replace(/\s/g, ""))
  })

  test.each([1, 2, 31, 32, 33, 200])("%d members are sorted, in whatever order they come", (count) => {
    const names = Array.from({ length: count }, (_, n) => `m${(n * 7919) % 1000}`)
    const value = Object.fromEntries(names.map((name) => [name, 0]))
    const sorted = `{${[...names]
      .sort()
      .map((name) => `"${name}":0`)
      .join(",")}}`
    expect(canonicalize(value)).toBe(sorted)
    expect(joinMembers(canonicalMembers(value))).toBe(sorted)
  })

  test("members are sorted by UTF-16 units as in 3.2.3", () => {
    const sample = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`
    const order = [...canonicalize(readJson(utf8(sample))).matchAll(/:"([^"]*)"/g)].map((match) => match[1])
    expect(order).toEqual([
      "Carriage Return",
      "One",
      "Control",
      "Latin Small Letter O With Diaeresis",
      "Euro Sign",
      "Emoji: Grinning Face",
      "Hebrew Letter Dalet With Dagesh",
    ])
  })

  test.each([
    ["0000000000000000", "0"],
    ["8000000000000000", "0"],
    ["0000000000000001", "5e-324"],
    ["8000000000000001", "-5e-324"],
    ["7fefffffffffffff", "1.7976931348623157e+308"],
    ["ffefffffffffffff", "-1.7976931348623157e+308"],
    ["4340000000000000", "9007199254740992"],
    ["c340000000000000", "-9007199254740992"],
    ["4430000000000000", "295147905179352830000"],
    ["44b52d02c7e14af5", "9.999999999999997e+22"],
    ["44b52d02c7e14af6", "1e+23"],
    ["44b52d02c7e14af7", "1.0000000000000001e+23"],
    ["444b1ae4d6e2ef4e", "999999999999999700000"],
    ["444b1ae4d6e2ef4f", "999999999999999900000"],
    ["444b1ae4d6e2ef50", "1e+21"],
    ["3eb0c6f7a0b5ed8c", "9.999999999999997e-7"],
    ["3eb0c6f7a0b5ed8d", "0.000001"],
    ["41b3de4355555553", "333333333.3333332"],
    ["41b3de4355555554", "333333333.33333325"],
    ["41b3de4355555555", "333333333.3333333"],
    ["41b3de4355555556", "333333333.3333334"],
    ["41b3de4355555557", "333333333.33333343"],
    ["becbf647612f3696", "-0.0000033333333333333333"],
    ["43143ff3c1cb0959", "1424953923781206.2"],
  ])("the number %s of appendix B is printed as %s", (hex, text) => {
    expect(canonicalize(double(hex))).toBe(text)
  })

  test.each(["7fffffffffffffff", "7ff0000000000000", "fff0000000000000"])(
    "%s of appendix B has no canonical form",
    (hex) => {
      expect(() => canonicalize(double(hex))).toThrow(TypeError)
    },
  )
})

describe("canonical JSON", () => {
  test.each<[string, unknown]>([
    ["undefined", undefined],
    ["an undefined member", { a: undefined }],
    ["an undefined element", [undefined]],
    // biome-ignore lint/suspicious/noSparseArray: the hole is the case
    ["a hole in an array", [1, , 2]],
    ["a bigint", 1n],
    ["a function", () => 1],
    ["a symbol", Symbol("s")],
    ["NaN inside", { a: [Number.NaN] }],
    ["an unpaired surrogate", "\ud800"],
    ["an unpaired surrogate in a name", { "\udc00": 1 }],
    ["a Date, which has a toJSON", new Date(0)],
    ["an own toJSON", { toJSON: () => 1 }],
    ["a Map", new Map()],
    ["bytes", new Uint8Array(2)],
  ])("refuses %s instead of dropping or converting it", (_, value) => {
    expect(() => canonicalize(value)).toThrow(TypeError)
  })

  test("keeps strings as sent: nothing is normalized", () => {
    expect(canonicalize({ "A\u030a": "\u00c5" })).toBe('{"A\u030a":"\u00c5"}')
  })

  test("sorts names that look like array indexes as text", () => {
    expect(canonicalize({ 10: 1, 9: 2, 1: 3, "": 4, "01": 5 })).toBe('{"":4,"01":5,"1":3,"10":1,"9":2}')
  })

  test("a part that no object lists in canonical order changes nothing but its own order", () => {
    expect(
      canonicalize({ b: [{ 10: 1, 9: { z: 1, y: 2 } }], a: JSON.parse('{"b":1,"__proto__":{"d":1,"c":2}}') }),
    ).toBe('{"a":{"__proto__":{"c":2,"d":1},"b":1},"b":[{"10":1,"9":{"y":2,"z":1}}]}')
    // biome-ignore lint/suspicious/noSparseArray: the hole is the case
    for (const bad of [[, 1], { a: undefined }, new Map(), Number.NaN, "\ud800"]) {
      expect(() => canonicalize({ 10: 1, 9: bad })).toThrow(TypeError)
      expect(() => canonicalize([{ 10: 1 }, bad])).toThrow(TypeError)
    }
    expect(canonicalize({ text: "\\ud800", 1: "\\ud" })).toBe('{"1":"\\\\ud","text":"\\\\ud800"}')
  })

  test("agrees with the second implementation, is idempotent and does not depend on the order of members", () => {
    const name = fc.string({ unit: "binary", maxLength: 6 }).filter((text) => text !== "__proto__")
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.constantFrom(null, true, false),
        fc.double({ noNaN: true, noDefaultInfinity: true }),
        fc.string({ unit: "binary" }),
        fc.array(tie("value"), { maxLength: 5 }),
        fc.dictionary(name, tie("value"), { maxKeys: 6 }),
      ),
    }))
    fc.assert(
      fc.property(value, (generated) => {
        const text = canonicalize(generated)
        expect(text).toBe(npmCanonicalize(generated) as string)
        expect(canonicalize(JSON.parse(text))).toBe(text)
        expect(canonicalize(reversed(generated))).toBe(text)
        expect(joinMembers(canonicalMembers({ generated, "": text }))).toBe(canonicalize({ generated, "": text }))
        if (isObject(generated)) expect(joinMembers(canonicalMembers(reversed(generated) as object))).toBe(text)
      }),
      { numRuns: 500 },
    )
  })
})

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value)

function reversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(reversed)
  if (typeof value !== "object" || value === null) return value
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, member]) => [name, reversed(member)]),
  )
}

describe.skipIf(!vectors)("JCS over published vectors (skipped unless BIZAUTH_VECTORS names their folder)", () => {
  const folder = join(vectors ?? "", "jcs")

  test("the six files of the RFC's authors have the published bytes", () => {
    const names = readdirSync(join(folder, "testdata", "input"))
    expect(names.length).toBe(6)
    for (const name of names) {
      const output = Buffer.from(canonicalBytes(readJson(readFileSync(join(folder, "testdata", "input", name)))))
      expect(output.equals(readFileSync(join(folder, "testdata", "output", name)))).toBe(true)
      const hex = readFileSync(join(folder, "testdata", "outhex", name.replace(".json", ".txt")), "utf8")
      expect(output.toString("hex")).toBe(hex.replace(/\s/g, ""))
    }
  })

  test("ten thousand numbers print as published", () => {
    const lines = readFileSync(join(folder, "es6testfile10k.txt"), "utf8").trim().split("\n")
    const wrong = lines.filter((line) => {
      const [hex = "", text] = line.split(",")
      return canonicalize(double(hex)) !== text
    })
    expect({ count: lines.length, wrong }).toEqual({ count: 10_000, wrong: [] })
  })
})
