import { expect } from "bun:test"
import { join } from "node:path"
import { type TSchema, Type } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import { Glob } from "bun"
import fc from "fast-check"
import { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { requestDigest } from "../../src/checks/policy/digests.ts"
import { recoverySigningValue } from "../../src/core/forms/recovery-signing.ts"
import {
  isReservedPayload,
  isSignedForm,
  type SignedFormName,
  signedFormOf,
  signedForms,
} from "../../src/core/signed-forms.ts"
import { runs } from "../fixtures/long.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { sample } from "./sample-of-schema.ts"

const test = slowTests(import.meta.path)

const names = Object.keys(signedForms) as SignedFormName[]

test("every generated value of a form matches that form and no other", () => {
  for (const name of names) {
    fc.assert(
      fc.property(sample(signedForms[name].schema), (value) => {
        expect(Value.Check(signedForms[name].schema, value)).toBe(true)
        expect(names.filter((other) => isSignedForm(other, value))).toEqual([name])
        expect(signedFormOf(value)).toBe(name)
        expect(isReservedPayload(value)).toBe(true)
      }),
      { numRuns: runs(200) },
    )
  }
}, 60_000)

test("no mixture of two forms is a form: neither the members of both, nor one form with the other's mark", () => {
  const oneOfEach = fc.tuple(...names.map((name) => sample(signedForms[name].schema)))
  fc.assert(
    fc.property(oneOfEach, (drawn) => {
      const values = drawn as readonly Record<string, unknown>[]
      for (const first of values) {
        for (const [i, second] of values.entries()) {
          if (first === second) continue
          // Messages share an envelope: if the second has every member of the first, the mixture is the second itself.
          const isSecond = Object.keys(first).every((name) => Object.hasOwn(second, name))
          const { mark } = signedForms[names[i] as (typeof names)[number]]
          if (!isSecond) expect(signedFormOf({ ...first, ...second })).toBeNull()
          expect(signedFormOf({ ...first, [mark]: second[mark] })).toBeNull()
        }
      }
    }),
    { numRuns: runs(30) },
  )
}, 60_000)

test("the schemas alone separate the forms: each is closed, requires its mark and has its own domain", () => {
  const schemas = names.map((name) => ({ ...signedForms[name], name }))
  for (const { schema, mark, domain, name } of schemas) {
    const members = (schema as TSchema & { properties: Record<string, TSchema> }).properties
    expect({ name, closed: schema.additionalProperties }).toEqual({ name, closed: false })
    expect(schema.required).toContain(mark)
    expect("domain" in members).toBe(domain !== null)
    if (domain !== null) {
      expect(members["domain"]?.const).toBe(domain)
      expect(domain).toStartWith("svc.")
    } else {
      for (const another of schemas) {
        if (another.name !== name) expect(Object.keys((another.schema as typeof schema).properties)).not.toContain(mark)
      }
    }
  }
  const domains = schemas.flatMap(({ domain }) => domain ?? [])
  expect(new Set(domains).size).toBe(domains.length)
})

test("every domain in a schema belongs to a listed form", async () => {
  const listed = new Set<unknown>(names.map((name) => signedForms[name].domain))
  const folder = join(import.meta.dir, "../../schemas")
  const found = new Set<string>()
  for (const file of new Glob("**/*.ts").scanSync(folder)) {
    for (const exported of Object.values(await import(join(folder, file)))) domainsIn(exported, found)
  }
  expect(found.size).toBeGreaterThan(3)
  expect([...found].filter((domain) => !listed.has(domain))).toEqual([])
})

function domainsIn(value: unknown, found: Set<string>): void {
  if (typeof value !== "object" || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const literal: unknown =
      name === "domain" && typeof member === "object" && member !== null ? member.const : undefined
    if (typeof literal === "string") found.add(literal)
    domainsIn(member, found)
  }
}

test("a recovery signs the listed form", () => {
  const request = fc.sample(sample(DecisionRequest), 1)[0] as DecisionRequest
  const authentication = { issued_at: "2026-01-01T00:00:00Z", nonce: "n".repeat(32) }
  expect(signedFormOf(recoverySigningValue(requestDigest(request), authentication, "https://svc.example"))).toBe(
    "RECOVERY",
  )
})

test("a decision request that still contains its signature is not the signed form", () => {
  fc.assert(
    fc.property(sample(signedForms.DECISION_REQUEST.schema), (value) => {
      const request = value as { requesting_agent: object }
      const signed = {
        ...request,
        requesting_agent: { ...request.requesting_agent, request_signature: "A".repeat(86) },
      }
      expect(signedFormOf(signed)).toBeNull()
    }),
    { numRuns: 20 },
  )
})

test.each<[string, unknown]>([
  ["one of our domains", { domain: "svc.agent-identity.key-event.v1" }],
  ["a future domain of ours", { domain: "svc.later.v9", x: 1 }],
  ["one of our types", { type: "svc.agent-identity.export.v1" }],
  ["any object with permitted_intent", { permitted_intent: null }],
  ["any object with buyer_mandate", { buyer_mandate: {} }],
  ["an object without a prototype", Object.assign(Object.create(null), { domain: "svc.x" })],
])("%s is reserved", (_, value) => {
  expect(isReservedPayload(value)).toBe(true)
})

test.each<[string, unknown]>([
  ["a message", { message: "synthetic agent signature test" }],
  ["a foreign domain", { domain: "example.svc.v1", type: "svcx" }],
  ["a domain that is not a text", { domain: ["svc.x"] }],
  ["our member names deeper inside", { inner: { domain: "svc.x", permitted_intent: 1, buyer_mandate: 1 } }],
  ["a list", [{ domain: "svc.x" }]],
  ["a text", "svc.agent-identity.key-event.v1"],
  ["null", null],
  ["an inherited member", Object.create({ domain: "svc.x" })],
])("%s is a free payload", (_, value) => {
  expect(isReservedPayload(value)).toBe(false)
})

test("the sample generator draws only values that its schema accepts", () => {
  const schema = Type.Object(
    { a: Type.Optional(Type.Integer({ minimum: 3, maximum: 4 })) },
    { additionalProperties: false },
  )
  fc.assert(fc.property(sample(schema), (value) => Value.Check(schema, value)))
})
