/** Texts are limited in code points and date-times follow the calendar: in compiled checks, in `Value.Check` and in the verifier. */
import { describe, expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { Value } from "@sinclair/typebox/value"
import { closed, DateTime } from "../../schemas/common.ts"
import { isLeapSecond } from "../../schemas/rfc3339.ts"
import { text, textMap } from "../../schemas/text.ts"
import type { JsonValue } from "../../src/core/strict-json.ts"
import { findMismatch, type JsonSchema } from "../../src/jobs/buyer-signing/match-schema.ts"
import { sourceFiles, sourceText } from "../fixtures/imports.ts"

const ROCKET = "\u{1F680}"

function judgements(schema: TSchema, value: JsonValue): boolean[] {
  const whole = closed({ member: schema })
  const printed = JSON.parse(JSON.stringify(whole)) as JsonSchema
  const body = { member: value }
  return [TypeCompiler.Compile(whole).Check(body), Value.Check(whole, body), findMismatch(printed, body) === null]
}

describe("a text of 2 to 4 characters", () => {
  test.each([
    ["one letter", "a", false],
    ["two letters", "ab", true],
    ["four letters", "abcd", true],
    ["five letters", "abcde", false],
    ["one rocket, which is two code units", ROCKET, false],
    ["two rockets", ROCKET.repeat(2), true],
    ["four rockets, which are eight code units", ROCKET.repeat(4), true],
    ["five rockets", ROCKET.repeat(5), false],
    ["three letters and a rocket", `abc${ROCKET}`, true],
    ["four letters and a rocket", `abcd${ROCKET}`, false],
    ["nothing", "", false],
    ["a number", 22, false],
  ])("%s", (_, value, expected) => expect(judgements(text(2, 4), value)).toEqual([expected, expected, expected]))
})

describe("a date-time", () => {
  test.each([
    ["lower-case t and z", "2026-11-20t10:00:00z", true],
    ["32 fraction digits", "2026-11-20T10:00:00.12345678901234567890123456789012Z", true],
    ["33 fraction digits", "2026-11-20T10:00:00.123456789012345678901234567890123Z", false],
    ["a leap day", "2000-02-29T00:00:00-00:00", true],
    ["a leap day of 1900", "1900-02-29T00:00:00Z", false],
    ["a leap second", "2016-12-31T23:59:60Z", false],
    ["a day that does not exist", "2026-04-31T00:00:00Z", false],
  ])("%s", (_, value, expected) => expect(judgements(DateTime, value)).toEqual([expected, expected, expected]))

  test("isLeapSecond accepts a leap second and no other fault", () => {
    expect(["2016-12-31T23:59:60Z", "2016-12-31t23:59:60.25+00:00"].map(isLeapSecond)).toEqual([true, true])
    const others = ["2016-12-31T23:59:59Z", "2016-12-31T23:59:61Z", "2016-13-31T23:59:60Z", "60", ""]
    expect(others.filter(isLeapSecond)).toEqual([])
  })
})

test("a map of texts limits the number of its members, their names and their values", () => {
  const check = (value: unknown) => Value.Check(textMap(2, 3), value)
  expect([{}, { [ROCKET.repeat(3)]: ROCKET.repeat(3) }, { a: "b", c: "d" }].map(check)).toEqual([true, true, true])
  const refused = [{ a: "b", c: "d", e: "f" }, { abcd: "x" }, { "": "x" }, { a: "" }, { a: "abcd" }, { a: 1 }, [], null]
  expect(refused.filter(check)).toEqual([])
})

test("every schema limits a text by code points, and in no other way", () => {
  const own = [
    "schemas/text.ts",
    "src/jobs/buyer-signing/match-schema.ts",
    "src/http/schema-faults.ts",
    "src/http/expected-words.ts",
    "src/discovery/openapi/schema-form.ts",
    "src/pages/docs/api-schema.ts",
  ]
  const broken = sourceFiles("schemas", "src").filter(
    (path) => !own.includes(path) && /\bmaxLength\b|\bminLength: (?!1 \})/.test(sourceText(path)),
  )
  expect(broken).toEqual([])
})
