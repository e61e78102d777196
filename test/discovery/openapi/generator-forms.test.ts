/** The OpenAPI document has no construct that client generators cannot read, and says each thing in the one form that they do read. */
import { describe, expect, test } from "bun:test"
import { operationTable } from "../../../src/discovery/operations.ts"
import { CHANNELS, printedOpenapi } from "../../fixtures/openapi.ts"
import { findForbidden } from "./forbidden-constructs.ts"

interface Media {
  readonly schema: { readonly $ref?: string }
  readonly example?: object
}
type Content = Readonly<Record<string, Media>>
interface OperationObject {
  readonly operationId: string
  readonly requestBody?: { readonly content: Content; readonly "x-example"?: string }
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>
}
interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, object>>
    readonly responses: Readonly<Record<string, { readonly content?: Content }>>
  }
}

const document = JSON.parse(printedOpenapi(operationTable(CHANNELS, "acp"))) as Document
const operations = Object.values(document.paths).flatMap((item) => Object.values(item))
const { schemas, responses } = document.components
const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` })

test("the document has no forbidden construct", () => {
  expect(findForbidden(document)).toEqual([])
})

const LISTED = { type: "string", enum: ["A", "B"], "x-enum-varnames": ["A_A", "A_B"] }
const TUPLE = { type: "array", prefixItems: [{ type: "string" }] }

/** Each construct as the schema `A` of a document that has one other. */
const FORBIDDEN: readonly (readonly [fault: string, schema: object])[] = [
  ["a boolean schema", { type: "array", items: false }],
  ["a boolean schema", { type: "object", properties: { a: true } }],
  ["a boolean schema", { type: "object", unevaluatedProperties: false }],
  ["a boolean schema", { anyOf: [true, { type: "string" }] }],
  ["additionalProperties: true", { type: "object", additionalProperties: true }],
  ["the keyword const", { const: "A" }],
  ["the keyword patternProperties", { type: "object", patternProperties: { "^a$": { type: "string" } } }],
  ["the keyword not", { not: { type: "string" } }],
  ["the keyword allOf", { allOf: [reference("B")] }],
  ["a tuple that is not closed", { ...TUPLE, minItems: 1 }],
  ["a tuple that is not closed", { ...TUPLE, minItems: 0, maxItems: 1 }],
  ["a list without a type of its items", { type: "array" }],
  ["only null", { type: "object", properties: { a: { type: "null" } } }],
  ["only null", { type: "object", properties: { a: { type: ["null"] } } }],
  ["only null", { anyOf: [{ type: "null" }, { type: "null" }] }],
  ["a reference with other members", { properties: { a: { ...reference("B"), description: "b" } } }],
  ["a reference to a reference", reference("B")],
  ["listed values without one type", { enum: ["A"] }],
  ["listed values without one type", { type: "string", enum: ["A", 1] }],
  ["listed values without one type", { type: ["string", "null"], enum: ["A", null] }],
  ["listed values of a map without a name", { type: "object", additionalProperties: { type: "string", enum: ["A"] } }],
  ["listed truth values", { type: "boolean", enum: [true] }],
  ["listed values under a reserved word", { properties: { default: { type: "string", enum: ["A"] } } }],
  ["listed values without a name for each", { type: "string", enum: ["A", "B"] }],
  ["listed values without a name for each", { type: "string", enum: ["A", "B"], "x-enum-varnames": ["A_A"] }],
  ["listed values without a component", { properties: { a: LISTED } }],
  ["listed values without a component", { type: "array", items: LISTED }],
  ["listed values without a component", { anyOf: [LISTED, { type: "null" }] }],
  ["a name that another value has", { type: "string", enum: ["A", "B"], "x-enum-varnames": ["A_A", "A_A"] }],
  ["an object alternative without a name", { anyOf: [{ type: "object" }, { type: "string" }] }],
  ["alternatives without a discriminator", { oneOf: [reference("B")] }],
  [
    "a discriminator that a variant lacks",
    { oneOf: [reference("B")], discriminator: { propertyName: "kind", mapping: { B: reference("B").$ref } } },
  ],
]

test.each(FORBIDDEN)("the walk finds %s in %j", (fault, schema) => {
  const found = findForbidden({ paths: {}, components: { schemas: { A: schema, B: { type: "object" } } } })
  expect(found.map((line) => line.slice(0, line.indexOf(" at #")))).toContain(fault)
})

test("the walk finds names that generators cannot write or make themselves, and a range of statuses", () => {
  const found = (name: string) => findForbidden({ components: { schemas: { [name]: { type: "string" } } } })
  for (const name of [
    "Answer2",
    "AnswerMembers",
    "get_answer",
    "answer",
    "GetAnswerResponse",
    "GetAnswerParams",
    "DateTime",
  ]) {
    expect([name, found(name).length]).toEqual([name, 1])
  }
  expect(found("Ed25519Signature")).toEqual([])
  const paths = { "/a": { get: { operationId: "a", responses: { "4XX": { description: "" } } } } }
  expect(findForbidden({ paths })).toEqual(["a range of statuses at #/paths/~1a/get/responses/4XX"])
})

test("the walk finds alternatives of components that a member tells apart", () => {
  const variant = (...kinds: string[]) => ({
    type: "object",
    required: ["kind"],
    properties: { kind: { type: "string", enum: kinds } },
  })
  const found = (B: object, C: object) =>
    findForbidden({ components: { schemas: { A: { anyOf: [reference("B"), reference("C")] }, B, C } } })
  expect(found(variant("ADD"), variant("CUT"))).toEqual([
    "a discriminator that is not stated at #/components/schemas/A",
  ])
  expect(found(variant("ADD"), variant("ADD"))).toEqual([])
  expect(found(variant("ADD"), { ...variant("CUT"), required: [] })).toEqual([])
  const listed = { ...variant("CUT"), properties: { kind: reference("Kind") } }
  const Kind = { type: "string", enum: ["CUT", "END"], "x-enum-varnames": ["KIND_CUT", "KIND_END"] }
  const A = { anyOf: [reference("B"), reference("C")] }
  expect(findForbidden({ components: { schemas: { A, B: variant("ADD"), C: listed, Kind } } })).toEqual([
    "a discriminator that is not stated at #/components/schemas/A",
  ])
})

test("the bodies of requests, replies and refusals are named components", () => {
  const contents = [
    ...operations.flatMap(({ requestBody, responses: own }) => [requestBody, ...Object.values(own)]),
    ...Object.values(responses),
  ].flatMap((one) => Object.entries(one?.content ?? {}))
  const bodies = contents.filter(([type]) => /[/+]json$/.test(type))
  expect(bodies.length).toBeGreaterThan(300)
  expect(bodies.filter(([, { schema }]) => !schema.$ref?.startsWith("#/components/schemas/"))).toEqual([])
})

test("every body of a request has an example in its place or a route that serves one", () => {
  const lacking = operations.filter(({ requestBody }) => {
    const hasExample = requestBody?.content["application/json"]?.example !== undefined
    return requestBody !== undefined && !hasExample && requestBody["x-example"] === undefined
  })
  expect(lacking.map(({ operationId }) => operationId)).toEqual([])
})

test("ids of operations and names of components are unique, whatever the case and punctuation", () => {
  for (const names of [operations.map(({ operationId }) => operationId), Object.keys(schemas)]) {
    const plain = names.map((name) => name.toLowerCase().replaceAll("_", ""))
    expect(plain.filter((name, i) => plain.indexOf(name) !== i)).toEqual([])
  }
})

test("a union whose alternatives have a member with values of their own has it as discriminator", () => {
  const variants = ["Enrollment", "Rotation", "Revocation"].map((purpose) => `IssueAgentIdentityChallenge${purpose}`)
  expect(schemas["IssueAgentIdentityChallenge"]).toEqual({
    oneOf: variants.map(reference),
    discriminator: {
      propertyName: "purpose",
      mapping: {
        ENROLLMENT: reference("IssueAgentIdentityChallengeEnrollment").$ref,
        ROTATION: reference("IssueAgentIdentityChallengeRotation").$ref,
        REVOCATION: reference("IssueAgentIdentityChallengeRevocation").$ref,
      },
    },
  })
  expect(schemas["GetUsExecutionReply"]).toMatchObject({ discriminator: { propertyName: "product_or_solution" } })
})

describe("a union without such a member", () => {
  test("has named alternatives", () => {
    expect(schemas["VerifyAgentSignature"]).toEqual({
      anyOf: [reference("PayloadVerification"), reference("StatementVerification")],
    })
  })
})
