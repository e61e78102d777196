/**
 * "Any IBAN, sort code with account number or card number planted in any string of any body is refused": asked of every operation
 * there is, on the real socket, with bodies that its own schema makes.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { join } from "node:path"
import { Kind, type TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { Amount, AtomicAmount } from "../../schemas/common.ts"
import type { Operation } from "../../schemas/operation.ts"
import { checkCompany } from "../../schemas/us/company-check.ts"
import { checkPaymentDecisionEligibility, releasePaymentDecision } from "../../schemas/us/operations.ts"
import type { Listener } from "../../src/http/listen.ts"
import { serve } from "../../src/http/serve.ts"
import { sample } from "../core/sample-of-schema.ts"
import { usBody } from "../fixtures/answers.ts"
import { bankData } from "../fixtures/bank-data.ts"
import { signedRequest } from "../fixtures/decision.ts"
import { ROOT, sourceFiles } from "../fixtures/imports.ts"
import { listening, testShell } from "../fixtures/shell.ts"

setDefaultTimeout(60_000)

const operations: Operation<TSchema>[] = []
for (const path of sourceFiles("schemas")) {
  const module = (await import(join(ROOT, path))) as Record<string, unknown>
  for (const value of Object.values(module)) if (isBodied(value)) operations.push(value)
}

function isBodied(value: unknown): value is Operation<TSchema> {
  if (typeof value !== "object" || value === null) return false
  return "responses" in value && "rateLimit" in value && "body" in value && value.body !== undefined
}

const refusing = operations.filter(({ bankData: rule }) => rule === "REFUSED")

test("every operation with a body refuses bank data, but those where an agent shows who it is and what it signed", () => {
  const others = operations.filter((each) => !refusing.includes(each))
  expect(
    others.filter(({ path }) => !/^\/v1\/agent-(identities|signatures|id)\b/.test(path)).map(({ id }) => id),
  ).toEqual([])
  expect(others.filter(({ authentication, price }) => authentication === "X402" || Number(price?.amount) > 0)).toEqual(
    [],
  )
  expect(refusing.length).toBeGreaterThan(6)
})

const { shell, logged } = testShell()
let handled = 0
let server: Listener & AsyncDisposable
beforeAll(() => {
  server = listening(
    shell,
    refusing.map((operation) =>
      serve(shell, operation, () => {
        handled++
        return { status: 200, body: "{}" }
      }),
    ),
  )
})
afterAll(() => server.stop(0))

interface Place {
  readonly pointer: string
  readonly schema: TSchema
  /** A copy of the body with this text in its place. */
  readonly put: (text: string) => unknown
}

/** Every string of a body with the schema it stands under; the first variant that takes the value is the one meant. */
function places(
  schema: TSchema,
  value: unknown,
  pointer = "",
  put: (changed: unknown) => unknown = (all) => all,
): Place[] {
  const under = (name: string | number, inner: TSchema, own: unknown) =>
    places(inner, own, `${pointer}/${name}`, (changed) =>
      put(Array.isArray(value) ? value.with(Number(name), changed) : { ...(value as object), [name]: changed }),
    )
  switch (schema[Kind]) {
    case "String":
      return [{ pointer, schema, put }]
    case "Union": {
      const meant = (schema["anyOf"] as TSchema[]).find((variant) => Value.Check(variant, value))
      return meant ? places(meant, value, pointer, put) : []
    }
    case "Array":
      return (value as unknown[]).flatMap((item, i) => under(i, schema["items"], item))
    case "Object":
      return Object.entries(value as object).flatMap(([name, own]) => under(name, schema["properties"][name], own))
    case "Record": {
      // Pointed at as a whole, whether a value or a name is meant.
      const [inner] = Object.values(schema["patternProperties"] as Record<string, TSchema>)
      const values = Object.keys(value as object).map(
        (name) => (text: string) => put({ ...(value as object), [name]: text }),
      )
      const name = (text: string) => put({ ...(value as object), [text]: "1" })
      return [...values, name].map((each) => ({ pointer, schema: inner ?? schema, put: each }))
    }
    default:
      return []
  }
}

/** Bodies of the schema; strict JSON refuses a member called `__proto__` before any schema is asked. */
const bodies = (schema: TSchema) => sample(schema).filter((body) => !JSON.stringify(body).includes('"__proto__"'))

/** Rulings 57: an amount may have any digits. */
const AMOUNTS = [Amount.pattern, AtomicAmount.pattern, "^\\d+$", "^[1-9][0-9]*$"]

/** A body of the operation, a place in it and bank data that the place's own schema takes there. */
function planted(operation: Operation<TSchema>) {
  const drawn = fc.tuple(bodies(operation.body), fc.nat(), bankData, fc.constantFrom("", "bank: ", "supplier:", "№"))
  return drawn.map(([body, choice, { text }, before]) => {
    const all = places(operation.body, body)
    const place = all[choice % all.length]
    const spoiled = place?.put(before + text)
    const taken =
      place !== undefined && Value.Check(operation.body, spoiled) && !AMOUNTS.includes(place.schema["pattern"])
    return { place, text, spoiled, taken }
  })
}

/** The state of a token is asked for with the token alone: there is no member that would take anything else. */
const withRoom = refusing.filter(({ path }) => !path.endsWith("/authorization-tokens/status"))

describe.each(withRoom.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  const status = operation.schemaFaultStatus ?? 422
  const path = operation.path.replace(/\{[A-Za-z]+\}/g, "unknown")

  test("refuses what is planted in any member that would take it, points at the member and repeats nothing", async () => {
    const before = { handled, logged: logged.length }
    const found = new Set<string>()
    await fc.assert(
      fc.asyncProperty(planted(operation), async ({ place, text, spoiled, taken }) => {
        fc.pre(taken)
        const answer = await fetch(server.origin + path, {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify(spoiled),
        })
        const told = await answer.text()
        const problem = JSON.parse(told)
        expect([answer.status, problem.code]).toEqual([status, "RAW_BANK_DATA_REJECTED"])
        expect(problem.errors.map(({ pointer }: { pointer: string }) => pointer)).toContain(place?.pointer ?? "")
        expect(told + JSON.stringify([...answer.headers])).not.toContain(text)
        found.add((place?.pointer ?? "").replace(/\d+/g, "N"))
      }),
      { numRuns: 60, maxSkipsPerRun: 500 },
    )
    expect(found.size).toBeGreaterThan(0)
    expect(handled).toBe(before.handled)
    const written = logged.slice(before.logged)
    expect(new Set(written.map(({ event, code }) => `${event} ${code}`))).toEqual(
      new Set(["request RAW_BANK_DATA_REJECTED"]),
    )
    for (const line of written) {
      expect(Object.keys(line).toSorted()).toEqual([
        "code",
        "event",
        "level",
        "ms",
        "operation",
        "request_id",
        "status",
        "time",
      ])
    }
  })
})

test.each([
  [releasePaymentDecision, signedRequest()],
  [checkPaymentDecisionEligibility, signedRequest()],
  [checkCompany, usBody()],
] as const)("a body without bank data reaches its handler", async ({ path }, body) => {
  const before = handled
  const headers = { "content-type": "application/json" }
  const answer = await fetch(server.origin + path, { method: "POST", headers, body: JSON.stringify(body) })
  expect([answer.status, handled]).toEqual([200, before + 1])
})

test("bank data as the name of a member, or in a body that is none, is repeated nowhere either", async () => {
  const path = refusing.find(({ authentication }) => authentication === "X402")?.path ?? ""
  const card = "4111-1111-1111-1111"
  const unfit = [
    `{"${card}":1}`,
    `{"supplier":{"entity_id":"a","identifiers":{"${card}":1}}}`,
    `{"DE89/3704-0044-0532-0130-00":1,"${card}":{"a":1}}`,
    `{"a":"${card}","a":"${card}"}`,
    `{"a":"${card}"`,
    `"${card}"`,
  ]
  for (const body of unfit) {
    const headers = { "content-type": "application/json" }
    const answer = await fetch(server.origin + path, { method: "POST", headers, body })
    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect((await answer.text()) + JSON.stringify(logged.at(-1))).not.toMatch(/4111|DE89/)
  }
})
