/** The walk over a draft names every fault that the compiled schema finds, and no other. */
import { describe, expect, setDefaultTimeout } from "bun:test"
import { type TSchema, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest, enumeration } from "../../schemas/common.ts"
import { text, textMap } from "../../schemas/text.ts"
import { SUPPORTED_IDENTIFIERS } from "../../schemas/us/payment-decision.ts"
import { IDENTIFIER_FORMS } from "../../src/checks/us/supplier-identifiers.ts"
import { INPUTS_MAX, type WalkedDraft, walkSchema } from "../../src/contact/walk-schema.ts"
import type { JsonSchema } from "../../src/http/expected-words.ts"
import { compile } from "../../src/http/read-body.ts"
import { requestDocuments } from "../../src/server/request-documents.ts"
import { atLength, howMany, SEED } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { draft, UNKNOWN_NAME } from "./drafts.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(60_000)

const walk = (schema: TSchema, value: unknown) => walkSchema(schema as TSchema & JsonSchema, value)
const documents = requestDocuments("https://svc.example")
const DRAFTS = 10_000
const COUNT = atLength(300, DRAFTS)

describe.each(documents.map((document) => [document.product, document] as const))("%s", (_, { request, example }) => {
  const check = compile(request)
  const complete = example()

  test("a complete request has no fault", () => {
    expect(walk(request, complete)).toEqual({ missing: [], invalid: [], omitted: 0, missing_one_of: [] })
  })

  test(`${howMany(DRAFTS, COUNT)} random drafts: every fault of the compiled schema is named and no other, and filling ends at an accepted request`, () => {
    for (let at = 0; at < COUNT; at++) {
      const value = draft(complete, SEED + at)
      const found = walk(request, value)
      const errors = [...check.Errors(value)].map(({ path }) => path)
      const message = JSON.stringify({ seed: SEED + at, found, errors: errors.slice(0, 20) })
      expect([message, unnamed(found, errors)]).toEqual([message, []])
      expect([message, unfounded(found, errors)]).toEqual([message, []])
      // The names of a map are chosen by the caller. No other name that the caller wrote is repeated.
      const repeated = found.invalid.filter(
        ({ path }) => path.includes(UNKNOWN_NAME) && !path.includes("/identifiers/"),
      )
      expect([message, repeated]).toEqual([message, []])
      expect(found.missing).toEqual(found.missing.toSorted())
      const filled = filledIn(request, value, complete)
      expect([message, check.Check(filled)]).toEqual([message, true])
      expect(walk(request, filled).missing_one_of).toEqual([])
    }
  })
})

/** The errors that no entry of the walk names. */
function unnamed({ missing, invalid, omitted }: WalkedDraft, errors: readonly string[]): string[] {
  if (omitted > 0) return []
  return errors.filter(
    (path) =>
      !missing.some((one) => isIn(one, path)) &&
      !invalid.some(({ path: one, code }) => isIn(one, path) || (code === "UNKNOWN_MEMBER" && parent(path) === one)),
  )
}

/** The entries of the walk that no error supports. */
function unfounded({ missing, invalid }: WalkedDraft, errors: readonly string[]): unknown[] {
  const isFound = (path: string) => errors.some((error) => isIn(path, error))
  return [
    ...missing.filter((path) => !isFound(path)),
    ...invalid.filter(({ path, code }) => {
      return code === "UNKNOWN_MEMBER" ? !errors.some((error) => parent(error) === path) : !isFound(path)
    }),
  ]
}

/** Whether a pointer is a place or lies below it. */
function isIn(pointer: string, place: string): boolean {
  return pointer === place || pointer.startsWith(`${place}/`)
}

function parent(pointer: string): string {
  return pointer.slice(0, pointer.lastIndexOf("/"))
}

/** Puts the value of the complete request at every place that the walk names, until the walk names none. */
function filledIn(schema: TSchema, given: unknown, complete: object): unknown {
  const all = { value: structuredClone(given) }
  for (let round = 0; round < 20; round++) {
    const { missing, invalid, missing_one_of } = walk(schema, all.value)
    const places = [...missing, ...invalid.map(({ path }) => path), ...missing_one_of.slice(0, 1).map(parent)]
    if (places.length === 0) return all.value
    for (const path of places) put(all, `/value${path}`, { value: complete })
  }
  throw new Error(`filling does not end: ${JSON.stringify([walk(schema, all.value), given])}`)
}

function put(target: object, pointer: string, source: object): void {
  const names = pointer
    .split("/")
    .slice(1)
    .map((name) => name.replaceAll("~1", "/").replaceAll("~0", "~"))
  let [into, from] = [target as Record<string, unknown>, source as Record<string, unknown>]
  for (const [at, name] of names.entries()) {
    const own = from[name]
    // A list is replaced as a whole, because a place that is taken out of it moves the others.
    const isLast = at === names.length - 1 || !isHolder(own) || !isHolder(into[name]) || Array.isArray(into[name])
    if (isLast) {
      if (own === undefined) delete into[name]
      else into[name] = structuredClone(own)
      return
    }
    into = into[name] as Record<string, unknown>
    from = own as Record<string, unknown>
  }
}

function isHolder(value: unknown): boolean {
  return typeof value === "object" && value !== null
}

describe("the rules of one member", () => {
  const Colour = enumeration("RED", "GREEN")
  const Point = closed({ x: Type.Integer({ minimum: 0, maximum: 9 }), y: Type.Optional(Type.Boolean()) })
  const Shape = Type.Union([
    closed({ kind: Type.Literal("DOT"), at: Point }),
    closed({ kind: Type.Literal("LINE"), from: Point, to: Point }),
  ])
  const orNull = (schema: TSchema) => Type.Union([schema, Type.Null()])
  const of = (schema: TSchema, value: object) => {
    const { missing, invalid } = walk(closed({ m: schema }), value)
    return [...missing, ...invalid.map(({ path, code }) => `${path} ${code}`)]
  }

  test.each<[string, TSchema, object, string[]]>([
    ["an absent object: its required members", closed({ p: Point, t: Digest }), {}, ["/m/p/x", "/m/t"]],
    ["an absent leaf", Digest, {}, ["/m"]],
    ["an absent array", Type.Array(Digest), {}, ["/m"]],
    ["an absent map", textMap(2, 3), {}, ["/m"]],
    ["an absent object without required members", closed({ o: Type.Optional(Digest) }), {}, ["/m"]],
    ["an absent choice of constants", Colour, {}, ["/m"]],
    ["an absent member that may be null: its other branch", orNull(Point), {}, ["/m/x"]],
    ["an absent choice of objects", Shape, {}, ["/m"]],
    ["a text in place of an object", Point, { m: "x" }, ["/m TYPE"]],
    ["a list in place of an object", Point, { m: [] }, ["/m TYPE"]],
    ["null in place of a text", Digest, { m: null }, ["/m TYPE"]],
    ["unknown members: one fault of the object", Point, { m: { x: 1, a: 1, b: 2 } }, ["/m UNKNOWN_MEMBER"]],
    ["an optional member that is present", Point, { m: { x: 1, y: 1 } }, ["/m/y TYPE"]],
    ["a value of a map", textMap(2, 3), { m: { a: "long", b: "ok" } }, ["/m/a MAX"]],
    ["a map with too many members", textMap(1, 3), { m: { a: "a", b: "b" } }, ["/m MAX"]],
    ["a name of a map", textMap(2, 3), { m: { long: "a" } }, ["/m MEMBER_NAME"]],
    ["a name with a slash and a tilde", textMap(2, 3), { m: { "/~": 5 } }, ["/m/~1~0 TYPE"]],
    ["bounds of a list, then its items", Type.Array(Colour, { minItems: 2 }), { m: ["PINK"] }, ["/m MIN", "/m/0 ENUM"]],
    ["a list that is too long", Type.Array(Colour, { maxItems: 1 }), { m: ["RED", "PINK"] }, ["/m MAX", "/m/1 ENUM"]],
    ["a list with an item twice", Type.Array(Colour, { uniqueItems: true }), { m: ["RED", "RED"] }, ["/m UNIQUE"]],
    ["another constant", Type.Literal("1.0.0"), { m: "2" }, ["/m CONST"]],
    ["a number in place of a constant", Type.Literal("1.0.0"), { m: 1 }, ["/m TYPE"]],
    ["a choice of constants", Colour, { m: "PINK" }, ["/m ENUM"]],
    ["null where null is allowed", orNull(Digest), { m: null }, []],
    ["a wrong value where null is allowed: the other branch", orNull(Digest), { m: "x" }, ["/m PATTERN"]],
    ["constants and null", Type.Union([Type.Literal("A"), Type.Literal("B"), Type.Null()]), { m: "C" }, ["/m ENUM"]],
    ["the branch of a discriminator", Shape, { m: { kind: "LINE", from: { x: 10 } } }, ["/m/to/x", "/m/from/x MAX"]],
    ["an unknown discriminator", Shape, { m: { kind: "CIRCLE" } }, ["/m/kind ENUM"]],
    ["a missing discriminator", Shape, { m: { at: { x: 1 } } }, ["/m/kind"]],
    ["another union", Type.Union([Digest, Point]), { m: 5 }, ["/m ALTERNATIVES"]],
    ["a pattern before a length", text(3, 4, { pattern: "^a" }), { m: "b" }, ["/m PATTERN"]],
    ["a text that is too short", text(3, 4, { pattern: "^a" }), { m: "a" }, ["/m MIN"]],
    ["a text that is too long", text(1, 2), { m: "\u{1F600}\u{1F600}\u{1F600}" }, ["/m MAX"]],
    ["an integer below its minimum", Type.Integer({ minimum: 1 }), { m: 0 }, ["/m MIN"]],
    ["a fraction", Type.Integer({ minimum: 1 }), { m: 0.5 }, ["/m TYPE"]],
    ["a text that is no date-time", DateTime, { m: "soon" }, ["/m PATTERN"]],
    ["a day that does not exist", DateTime, { m: "2026-02-30T00:00:00Z" }, ["/m FORMAT"]],
    ["a leap second", DateTime, { m: "2016-12-31T23:59:60Z" }, ["/m FORMAT"]],
  ])("%s", (_, schema, value, expected) => {
    expect(of(schema, value)).toEqual(expected)
  })

  test("an invalid input says what was expected", () => {
    expect(walk(closed({ m: Colour }), { m: "PINK" }).invalid).toEqual([
      { path: "/m", code: "ENUM", expected: 'one of "RED", "GREEN"' },
    ])
  })
})

describe("one of several", () => {
  const [decision] = documents
  if (!decision) throw new Error("no documents")
  const pointers = ["cage", "cik", "lei", "uei"].map((name) => `/supplier/identifiers/${name}`)

  test.each([
    ["no supplier", {}],
    ["no identifiers", { supplier: {} }],
    ["identifiers of another type", { supplier: { identifiers: [] } }],
    ["another identifier", { supplier: { identifiers: { ein: "12-3456789" } } }],
  ])("a draft with %s needs one of the supported identifiers", (_, value) => {
    expect(walk(decision.request, value).missing_one_of).toEqual(pointers)
  })

  test("a supported identifier in any case is enough", () => {
    expect(walk(decision.request, { supplier: { identifiers: { LEI: "x" } } }).missing_one_of).toEqual([])
  })

  test("the names are those of the identifiers that suffice alone", () => {
    expect([...SUPPORTED_IDENTIFIERS].map(String)).toEqual(
      Object.keys(IDENTIFIER_FORMS)
        .filter((name) => name !== "ein")
        .toSorted(),
    )
  })
})

test("pointers are in UTF-16 order, at most 200, missing inputs first, and the others are counted", () => {
  const schema = closed({ a: Digest, list: Type.Array(Type.Integer({ maximum: 0 })) })
  const all = walk(schema, { list: Array.from({ length: 500 }, () => 1) })
  expect([all.missing, all.invalid.length, all.omitted]).toEqual([["/a"], INPUTS_MAX - 1, 301])
  const paths = all.invalid.map(({ path }) => path)
  expect(paths).toEqual(paths.toSorted())
  const names = ["\u{1F600}", "\uFFFD", "a"]
  const wide = walk(closed(Object.fromEntries(names.map((name) => [name, Digest]))), {})
  expect(wide.missing).toEqual(["/a", "/\u{1F600}", "/\uFFFD"])
})

test("200 missing inputs leave no room for invalid ones", () => {
  const many = Object.fromEntries(Array.from({ length: 205 }, (_, at) => [`m${at}`, Digest]))
  const { missing, invalid, omitted } = walk(closed({ ...many, x: Digest }), { x: 1 })
  expect([missing.length, invalid.length, omitted]).toEqual([200, 0, 6])
})
