/**
 * Every member with a digest, a fingerprint or a signature says in one sentence what it is over and in which form it is written: in the
 * OpenAPI document, in the schema of each product and in the signed forms.
 */
import { expect, test } from "bun:test"
import { isObject } from "../../src/core/strict-json.ts"
import { openapiText } from "../../src/discovery/openapi/document.ts"
import { type Json, type JsonObject, plainSchema } from "../../src/discovery/plain-schema.ts"
import { signedFormsDocument } from "../../src/discovery/signed-forms/document.ts"
import { discoveryParts, ROWS } from "../fixtures/discovery-parts.ts"

const PATTERNS: ReadonlySet<Json | undefined> = new Set(["^sha256:[0-9a-f]{64}$", "^[A-Za-z0-9_-]{86}$"])
const NAME = /(digest|fingerprint|signature|sha256)$/i
const DIGEST = /^sha256:<hex> over /
const SIGNATURE = /^(Ed25519 in base64url over |Of a passkey in base64url over |EIP-712)/
/** Members whose names end so and that are words about digests. */
const WORDS: ReadonlySet<string> = new Set(["content_digest", "canonicalization/digest"])

/** The pointers of members without such a sentence. */
function undescribed(schema: Json, at: string, name = ""): string[] {
  if (Array.isArray(schema)) return schema.flatMap((part: Json, i) => undescribed(part, `${at}/${i}`, name))
  if (!isObject(schema)) return []
  const inside = Object.entries(schema).flatMap(([keyword, part]) => {
    if (keyword !== "properties" || !isObject(part)) return undescribed(part, `${at}/${keyword}`, name)
    return Object.entries(part).flatMap(([member, own]) => undescribed(own, `${at}/${member}`, member))
  })
  return isTold(schema, at, name) ? inside : [...inside, at]
}

function isTold(schema: JsonObject, at: string, name: string): boolean {
  const { type, pattern, description, const: value } = schema
  const isText = type === "string" || (Array.isArray(type) && type.includes("string"))
  if (!isText || value !== undefined || [...WORDS].some((word) => at.endsWith(word))) return true
  if (!NAME.test(name) && !PATTERNS.has(pattern)) return true
  const sentence = typeof description === "string" ? description : ""
  return DIGEST.test(sentence) || SIGNATURE.test(sentence)
}

const BARE = "SHA-256 as sha256:<64 lower-case hex>"

test("in the OpenAPI document", () => {
  const { info: _, ...document } = JSON.parse(openapiText(discoveryParts())) as JsonObject
  expect(undescribed(document, "")).toEqual([])
  expect(JSON.stringify(document).includes(BARE)).toBe(false)
})

test("in the schema of every request body and answer", () => {
  for (const { id, body, responses } of ROWS) {
    const schemas = [body, ...Object.values(responses).map(({ schema }) => schema)].flatMap((schema) => schema ?? [])
    expect(schemas.flatMap((schema) => undescribed(plainSchema(schema), id))).toEqual([])
  }
})

test("in the signed forms that a caller signs", () => {
  const { forms } = signedFormsDocument({ operations: ROWS })
  for (const [name, { schema, signers }] of Object.entries(forms)) {
    if (signers.includes("LIST_KEY")) continue
    expect(undescribed(schema as Json, name)).toEqual([])
  }
})

test("the walk finds a member without a sentence", () => {
  const schema = { type: "object", properties: { request_digest: { type: "string" }, other: { type: "string" } } }
  expect(undescribed(schema, "")).toEqual(["/request_digest"])
})
