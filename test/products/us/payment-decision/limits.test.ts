/** Every input has a limit. A value at the limit passes the schema, and one over it is refused before any record is read. */
import { afterAll, beforeAll, describe, expect } from "bun:test"
import { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { ErrorCode } from "../../../../src/base/refusals.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import type { JsonValue } from "../../../../src/core/strict-json.ts"
import { BODY_BYTES_MAX } from "../../../../src/http/read-body.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"
import { openSeller, type Seller } from "./seller.ts"

const test = slowTests(import.meta.path)

let seller: Seller
beforeAll(async () => {
  seller = await openSeller()
})
afterAll(() => seller.close())

interface StringLimits {
  readonly pointer: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

type Shape = {
  readonly properties?: Record<string, Shape>
  readonly required?: readonly string[]
  readonly type?: string
  readonly minLength?: number
  readonly maxLength?: number
  readonly pattern?: string
}

/** Every string of the published schema with a limit, and every closed object. */
function visit(shape: Shape, pointer: string, strings: StringLimits[], objects: { pointer: string; shape: Shape }[]) {
  if (shape.properties) {
    objects.push({ pointer, shape })
    for (const [name, member] of Object.entries(shape.properties)) visit(member, `${pointer}/${name}`, strings, objects)
  } else if (shape.type === "string" && (shape.maxLength !== undefined || shape.pattern !== undefined)) {
    const { minLength, maxLength, pattern } = shape
    strings.push({
      pointer,
      ...(minLength !== undefined && { minLength }),
      ...(maxLength !== undefined && { maxLength }),
      ...(pattern !== undefined && { pattern }),
    })
  }
}

const strings: StringLimits[] = []
const objects: { pointer: string; shape: Shape }[] = []
visit(DecisionRequest as Shape, "", strings, objects)

/** A copy of the request with the member at `pointer` replaced; undefined removes it. */
function put(document: unknown, pointer: string, value: unknown): JsonValue {
  const copy = structuredClone(document) as Record<string, unknown>
  const path = pointer.split("/").slice(1)
  const last = path.pop() as string
  const parent = path.reduce<Record<string, unknown>>((node, name) => node[name] as Record<string, unknown>, copy)
  if (value === undefined) delete parent[last]
  else parent[last] = value
  return copy as JsonValue
}

/** A value of exactly this length in the pattern's alphabet. */
function ofLength(length: number, pattern = ""): string {
  return pattern.includes("\\.\\d+$") ? `1.0.${"1".repeat(length - 4)}` : "1".repeat(length)
}

const answer = async (body: unknown) => {
  const { status, code, problem } = await seller.refused(body)
  return { status, code, pointers: (problem.errors ?? []).map(({ pointer }) => pointer) }
}
const schemaFault = (pointer: string) => ({ status: 422, code: "SCHEMA_INVALID", pointers: [pointer] })

describe("strings", () => {
  test("the schema has the strings in this table", () => {
    expect(strings.length).toBeGreaterThan(45)
    expect(strings.filter(({ maxLength }) => maxLength !== undefined).length).toBeGreaterThan(25)
  })

  test.each(strings.filter(({ maxLength }) => maxLength !== undefined).map((one) => [one.pointer, one] as const))(
    "%s may be as long as its limit and no longer",
    async (pointer, { minLength = 0, maxLength = 0, pattern }) => {
      expect(await answer(put(freshRequest(), pointer, ofLength(maxLength + 1, pattern)))).toEqual(schemaFault(pointer))
      expect((await answer(put(freshRequest(), pointer, ofLength(maxLength, pattern)))).code).not.toBe("SCHEMA_INVALID")
      if (minLength === 0) return
      expect((await answer(put(freshRequest(), pointer, ofLength(minLength, pattern)))).code).not.toBe("SCHEMA_INVALID")
      expect(await answer(put(freshRequest(), pointer, ofLength(minLength - 1, pattern)))).toEqual(schemaFault(pointer))
    },
  )

  test.each(strings.filter(({ pattern }) => pattern !== undefined).map(({ pointer }) => [pointer] as const))(
    "%s must match its pattern",
    async (pointer) => {
      for (const value of ["\u0661\u0662", " ", "a b", "é".repeat(20), "1\n"]) {
        expect(await answer(put(freshRequest(), pointer, value))).toEqual(schemaFault(pointer))
      }
    },
  )

  test.each<[string, string | number, ErrorCode?]>([
    ["/amount", "1000000000000000000"],
    ["/amount", "1.0000000"],
    ["/amount", "01"],
    ["/amount", "+1"],
    ["/amount", "1e3"],
    ["/amount", "-1"],
    ["/payment_exposure_usdc_equivalent_atomic", "0"],
    ["/payment_exposure_usdc_equivalent_atomic", "012"],
    ["/currency", "usd"],
    ["/decision_fee_payer", `0X${"11".repeat(20)}`],
    ["/decision_fee_payer", `0x${"11".repeat(19)}1`],
    ["/buyer_mandate/signature/value", "A".repeat(85)],
    ["/buyer/organization_digest", `sha256:${"A".repeat(64)}`],
    ["/buyer_mandate/payload/mandate_id", "-starts-wrong"],
    ["/freshness_requirements/evaluated_at", "2026-11-20 10:00:00Z"],
    ["/freshness_requirements/evaluated_at", "2026-11-20T10:00:00"],
    ["/freshness_requirements/max_age_seconds", 0],
    ["/freshness_requirements/max_age_seconds", 604_801],
    ["/freshness_requirements/max_age_seconds", 1.5],
    ["/freshness_requirements/max_age_seconds", "60"],
    ["/coverage", "STATE", "COVERAGE_UNSUPPORTED"],
    ["/jurisdiction", "GB", "COVERAGE_UNSUPPORTED"],
    ["/coverage_requirements/jurisdiction", "UK", "COVERAGE_UNSUPPORTED"],
    ["/intent", "RELEASE", "INTENT_UNSUPPORTED"],
    ["/intent", 5],
    ["/buyer_mandate/payload/permitted_intent", "BUY", "INTENT_UNSUPPORTED"],
    ["/freshness_requirements/evaluated_at", "2016-12-31T23:59:60Z", "LEAP_SECOND_UNSUPPORTED"],
    ["/freshness_requirements/evaluated_at", "2026-02-30T00:00:00Z"],
    ["/payee/type", "IBAN"],
    ["/risk_policy/tolerance", "NONE"],
    ["/disclosure/audience_digest", ""],
    ["/evidence_references/0", "sha256:"],
  ])("%s rejects %p", async (pointer, value, ...[expected = "SCHEMA_INVALID"]) => {
    const { status, code } = await answer(
      pointer.endsWith("/0")
        ? put(freshRequest(), "/evidence_references", [value])
        : put(freshRequest(), pointer, value),
    )
    expect([status, code]).toEqual([422, expected])
  })
})

describe("objects", () => {
  test.each(objects.map(({ pointer, shape }) => [pointer, shape] as const))(
    "%p is closed and all its members are required",
    async (pointer, shape) => {
      expect(await answer(put(freshRequest(), `${pointer}/extra`, 1))).toEqual(schemaFault(`${pointer}/extra`))
      for (const name of shape.required ?? []) {
        expect(await answer(put(freshRequest(), `${pointer}/${name}`, undefined))).toEqual(
          schemaFault(`${pointer}/${name}`),
        )
      }
    },
  )

  test("identifiers are at most 32 strings of 160 characters under names of 160", async () => {
    const request = freshRequest()
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, i) => [`n${i}`, "x"]))
    for (const identifiers of [
      many,
      { uei: "" },
      { other: "\u{1F680}".repeat(161) },
      { ["\u{1F680}".repeat(161)]: "x" },
      { "": "x" },
      { uei: 1 },
    ]) {
      const { status, code } = await answer({ ...request, supplier: { ...request.supplier, identifiers } })
      expect([status, code]).toEqual([422, "SCHEMA_INVALID"])
    }
  })
})

describe("the body", () => {
  const reference = (i: number) => digestOf({ i })

  test("128 evidence references pass and 129 do not", async () => {
    const references = (length: number) => Array.from({ length }, (_, i) => reference(i))
    expect((await answer(freshRequest({ request: { evidence_references: references(128) } }))).status).toBe(402)
    expect(await answer(freshRequest({ request: { evidence_references: references(129) } }))).toEqual(
      schemaFault("/evidence_references"),
    )
  })

  test("64 KiB are accepted, and one byte more gets 413", async () => {
    const text = JSON.stringify(freshRequest())
    expect((await answer(text.padEnd(BODY_BYTES_MAX, " "))).status).toBe(402)
    const over = await answer(text.padEnd(BODY_BYTES_MAX + 1, " "))
    expect([over.status, over.code]).toEqual([413, "BODY_TOO_LARGE"])
  })

  test.each([
    ["33 levels", `${"[".repeat(33)}${"]".repeat(33)}`],
    ["a duplicate member", `{"amount":"1",${JSON.stringify(freshRequest()).slice(1)}`],
    ["a duplicate member, once escaped", `{"\\u0061mount":"1",${JSON.stringify(freshRequest()).slice(1)}`],
    ["__proto__", `{"__proto__":{},${JSON.stringify(freshRequest()).slice(1)}`],
    ["a byte order mark", `\uFEFF${JSON.stringify(freshRequest())}`],
    ["half a surrogate pair", JSON.stringify(freshRequest()).replace("Calibration", "\\ud800")],
    ["an unsafe integer", JSON.stringify(freshRequest()).replace("172800", "9007199254740993")],
    ["two documents", `${JSON.stringify(freshRequest())}{}`],
    ["nothing", ""],
  ])("%s is unreadable", async (_, text) => {
    const { status, code } = await answer(text)
    expect([status, code]).toEqual([400, "MALFORMED_JSON"])
  })

  test("32 levels are readable, but are not a valid request", async () => {
    const { status, code } = await answer(`${"[".repeat(32)}${"]".repeat(32)}`)
    expect([status, code]).toEqual([422, "SCHEMA_INVALID"])
  })
})
