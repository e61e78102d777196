/** The error of a rejected body: the place of each fault, its rule and the expected value; never a value, and never a private member. */
import { describe, expect, test } from "bun:test"
import { type TSchema, Type } from "@sinclair/typebox"
import { IssueAgentIdentityChallenge } from "../../schemas/agent-id/challenge.ts"
import { VerifyAgentSignature } from "../../schemas/agent-id/signature.ts"
import { closed, DateTime, Digest, enumeration } from "../../schemas/common.ts"
import { text, textMap } from "../../schemas/text.ts"
import { CompanyCheckRequest } from "../../schemas/us/company-check.ts"
import { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { FIELD_ERRORS_MAX, type ServiceError } from "../../src/base/errors.ts"
import type { JsonSchema } from "../../src/http/expected-words.ts"
import { compile, requireSchema } from "../../src/http/read-body.ts"
import { schemaFaults } from "../../src/http/schema-faults.ts"
import { usBody } from "../fixtures/answers.ts"
import { signedRequest } from "../fixtures/decision.ts"
import { OPERATIONS } from "../fixtures/operations.ts"

const faultsOf = (schema: TSchema, value: unknown) => [...schemaFaults(schema as TSchema & JsonSchema, value)]

function refusalOf(schema: TSchema, value: unknown): ServiceError {
  try {
    requireSchema(compile(schema), value)
  } catch (error) {
    return error as ServiceError
  }
  throw new Error("the value was accepted")
}

describe("the error describes the expected value in words", () => {
  const Colour = enumeration("RED", "GREEN", "BLUE")
  const many = enumeration(...Array.from({ length: 23 }, (_, at) => `WORD_${at}`))
  test.each([
    ["a constant", Type.Literal("1.0.0"), "2", "LITERAL", '"1.0.0"'],
    ["allowed values", Colour, "PINK", "ENUM", 'one of "RED", "GREEN", "BLUE"'],
    ["bounds of a text", text(2, 4), "x", "STRING_MIN_LENGTH", "text of 2 to 4 characters"],
    ["a text that is too long", text(2, 4), "abcde", "STRING_MAX_LENGTH", "text of 2 to 4 characters"],
    [
      "a pattern",
      Digest,
      "x",
      "STRING_PATTERN",
      "text that matches ^sha256:[0-9a-f]{64}$ (SHA-256 as sha256:<64 lower-case hex>)",
    ],
    ["another type", text(2, 4), 5, "STRING", "text of 2 to 4 characters"],
    ["bounds of an integer", Type.Integer({ minimum: 1, maximum: 9 }), 10, "INTEGER_MAXIMUM", "integer from 1 to 9"],
    ["a fraction", Type.Integer({ minimum: 1, maximum: 9 }), 1.5, "INTEGER", "integer from 1 to 9"],
    [
      "a count of items",
      Type.Array(Colour, { maxItems: 1 }),
      ["RED", "RED"],
      "ARRAY_MAX_ITEMS",
      "array of at most 1 items",
    ],
    [
      "items that repeat",
      Type.Array(Colour, { uniqueItems: true }),
      ["RED", "RED"],
      "ARRAY_UNIQUE_ITEMS",
      "array, each once",
    ],
    ["a day that does not exist", DateTime, "2026-02-30T00:00:00Z", "DATE_TIME", String(DateTime.description)],
    ["a leap second", DateTime, "2016-12-31T23:59:60Z", "LEAP_SECOND_UNSUPPORTED", String(DateTime.description)],
    [
      "null or a text",
      Type.Union([text(2, 4), Type.Null()]),
      "x",
      "STRING_MIN_LENGTH",
      "text of 2 to 4 characters or null",
    ],
    [
      "neither null nor a text",
      Type.Union([text(2, 4), Type.Null()]),
      5,
      "ALTERNATIVES",
      "text of 2 to 4 characters or null",
    ],
    [
      "a map of too many",
      textMap(1, 2),
      { a: "b", c: "d" },
      "OBJECT_MAX_PROPERTIES",
      "object of at most 1 members: names are text of 1 to 2 characters, values are text of 1 to 2 characters",
    ],
  ])("%s", (_, schema, value, code, expected) => {
    expect(faultsOf(closed({ member: schema as TSchema }), { member: value })).toEqual([
      { pointer: "/member", code, expected },
    ])
  })

  test("more than twenty allowed values are shortened to twenty and the number of the others", () => {
    const [fault] = faultsOf(many, "NONE")
    expect(fault?.expected).toEndWith('"WORD_19" and 3 more')
  })

  test("a missing member is described by its type, and an unknown member gets the list of existing members", () => {
    const schema = closed({ "a/b": Digest, note: Type.Optional(text(1, 9)) })
    expect(faultsOf(schema, { other: 1 })).toEqual([
      { pointer: "/a~1b", code: "OBJECT_REQUIRED_PROPERTY", expected: expect.stringContaining("sha256") },
      { pointer: "/other", code: "OBJECT_ADDITIONAL_PROPERTIES", expected: "no other member than a/b, note" },
    ])
  })
})

describe("a union is judged by the alternative that the caller meant", () => {
  const digest = `sha256:${"0".repeat(64)}`
  const challenge = (body: object) => faultsOf(IssueAgentIdentityChallenge, { schema_version: "1.0.0", ...body })

  test("a challenge is identified by its purpose", () => {
    expect(challenge({ purpose: "REVOCATION", target: "IDENTITY", mode: "RECOVERY", reason: "LOST" })).toEqual([
      { pointer: "/agent_id", code: "OBJECT_REQUIRED_PROPERTY", expected: expect.any(String) },
      { pointer: "/reason", code: "ENUM", expected: expect.stringContaining("one of") },
    ])
  })
  test.each([
    ["unknown", { purpose: "RENEWAL" }, "ENUM"],
    ["missing", {}, "OBJECT_REQUIRED_PROPERTY"],
  ])("a purpose that is %s is the only reported fault", (_, body, code) => {
    const expected = 'one of "ENROLLMENT", "ROTATION", "REVOCATION"'
    expect(challenge(body)).toEqual([{ pointer: "/purpose", code, expected }])
  })

  test("a verification is identified by the member that only one form has", () => {
    const bare = { schema_version: "1.0.0", profile: "PAYLOAD", agent_id: "x", key_id: "y", payload: 1, signature: "z" }
    expect(faultsOf(VerifyAgentSignature, bare).map(({ pointer }) => pointer)).toEqual([
      "/profile",
      "/agent_id",
      "/key_id",
      "/signature",
    ])
    const statement = { schema_version: "1.0.0", statement: {}, signature: "z" }
    expect(faultsOf(VerifyAgentSignature, statement).map(({ pointer }) => pointer)).toContain("/statement/nonce")
  })
  test("without an identifying member both forms are listed", () => {
    const [fault, ...more] = faultsOf(VerifyAgentSignature, { schema_version: "1.0.0" })
    expect([fault?.pointer, fault?.code, more]).toEqual(["", "ALTERNATIVES", []])
    expect(fault?.expected).toMatch(/^object with the members .*profile.*, or object with the members .*statement/)
  })

  test("no error asks for a private member of a key", () => {
    const told = [{}, { kty: "OKP" }, { x: 1 }, null, 5].flatMap((operational_public_jwk) =>
      challenge({ purpose: "ENROLLMENT", operational_public_jwk, next_operational_key_digest: digest }),
    )
    expect(told.length).toBeGreaterThan(8)
    for (const { pointer, expected } of told) {
      expect(pointer).not.toMatch(/\/(d|k|p|q|dp|dq|qi|oth)$/)
      expect(expected).not.toMatch(/\b(d|k|p|q|dp|dq|qi|oth)\b/)
    }
  })
})

describe("a rejected body gets an error", () => {
  test("with at most sixteen faults and the number of the others", () => {
    const body = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`extra${at}`, 1]))
    const { code, context } = refusalOf(closed({ note: text(1, 9) }), body)
    expect([code, context.errors?.length, context.errorsOmitted]).toEqual(["SCHEMA_INVALID", FIELD_ERRORS_MAX, 25])
  })

  test("for a list or map that is too long, with the faults of as many items as it may have", () => {
    const list = faultsOf(Type.Array(Digest, { maxItems: 2 }), Array(10_000).fill(1))
    expect(list.map(({ pointer, code }) => [pointer, code])).toEqual([
      ["", "ARRAY_MAX_ITEMS"],
      ["/0", "STRING"],
      ["/1", "STRING"],
    ])
    const map = faultsOf(textMap(1, 2), Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`k${at}`, 1])))
    expect(map.map(({ pointer, code }) => [pointer, code])).toEqual([
      ["", "OBJECT_MAX_PROPERTIES"],
      ["/k0", "STRING"],
    ])
  })

  test("that repeats no long name and no bank data", () => {
    const body = { note: "x", ["n".repeat(600)]: 1, GB29NWBK60161331926819: 1 }
    const told = refusalOf(closed({ note: text(1, 9) }), body).context.errors?.map(({ pointer }) => pointer)
    expect(told).toEqual(["", ""])
  })

  test("for a leap second with its own code, and with the schema's code where something else is wrong too", () => {
    const schema = closed({ at: DateTime, note: text(1, 9) })
    expect(refusalOf(schema, { at: "2016-12-31T23:59:60Z", note: "x" }).code).toBe("LEAP_SECOND_UNSUPPORTED")
    expect(refusalOf(schema, { at: "2016-12-31T23:59:60Z" }).code).toBe("SCHEMA_INVALID")
  })

  test.each([
    [
      "another jurisdiction",
      CompanyCheckRequest,
      { ...usBody(), jurisdiction: "GB" },
      "COVERAGE_UNSUPPORTED",
      "/jurisdiction",
    ],
    ["another coverage", CompanyCheckRequest, { ...usBody(), coverage: "STATE" }, "COVERAGE_UNSUPPORTED", "/coverage"],
    [
      "another jurisdiction beside other faults",
      CompanyCheckRequest,
      { jurisdiction: "DE" },
      "COVERAGE_UNSUPPORTED",
      "/jurisdiction",
    ],
    ["another intent", DecisionRequest, { ...signedRequest(), intent: "BUY" }, "INTENT_UNSUPPORTED", "/intent"],
    [
      "another intent and coverage",
      DecisionRequest,
      { ...signedRequest(), intent: "BUY", coverage: "ALL" },
      "INTENT_UNSUPPORTED",
      "/intent",
    ],
  ])("for %s as unsupported, with the supported values and the alternative", (_, schema, body, code, pointer) => {
    const refused = refusalOf(schema, body)
    expect([refused.code, refused.refusal.status, refused.refusal.next]).toEqual([
      code as never,
      422,
      "STOP_AND_SEEK_ALTERNATIVE",
    ])
    expect(refused.context.errors).toContainEqual({ pointer, code, expected: expect.stringMatching(/^"[A-Z_]+"$/) })
    expect(refused.detail).toContain("Supported")
  })

  test("for a missing jurisdiction or one that is not text, with the schema's code", () => {
    const { jurisdiction: _, ...rest } = usBody()
    expect(refusalOf(CompanyCheckRequest, rest).code).toBe("SCHEMA_INVALID")
    expect(refusalOf(CompanyCheckRequest, { ...rest, jurisdiction: 1 }).code).toBe("SCHEMA_INVALID")
  })

  test("with alternatives that are routes", () => {
    const bodies = [{ jurisdiction: "GB" }, { coverage: "STATE" }].map((change) => ({ ...usBody(), ...change }))
    const details = bodies.map((body) => refusalOf(CompanyCheckRequest, body).detail)
    details.push(refusalOf(DecisionRequest, { ...signedRequest(), intent: "BUY" }).detail)
    const named = details.flatMap((detail) => detail.match(/\/v1\/[a-z/-]+/g) ?? [])
    expect(named.length).toBeGreaterThan(4)
    expect(named.filter((path) => !OPERATIONS.some((row) => row.path === path && row.price !== null))).toEqual([])
  })
})
