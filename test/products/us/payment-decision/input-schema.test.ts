import { describe, expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { InputSchemaAnswer } from "../../../../schemas/request-documents.ts"
import {
  DecisionRequest,
  decisionRequestMembers,
  PAYMENT_DECISION_PRODUCT,
} from "../../../../schemas/us/payment-decision.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { inputSchemaReply } from "../../../../src/http/request-documents.ts"
import { signedRequest } from "../../../fixtures/decision.ts"
import { edits } from "../../../fixtures/json-edits.ts"
import { accepts, keywordsOf } from "./json-schema.ts"

const PUBLISHED = inputSchemaReply(PAYMENT_DECISION_PRODUCT, DecisionRequest, true)
const answer = JSON.parse(PUBLISHED) as InputSchemaAnswer & { schema: Record<string, unknown> }

describe("the public input schema", () => {
  test("is canonical and closed, and its digest recomputes over exactly the schema member", () => {
    expect(Value.Check(InputSchemaAnswer, answer)).toBe(true)
    expect(canonicalize(answer)).toBe(PUBLISHED)
    expect(answer.schema_digest).toBe(digestOf(answer.schema))
    expect(answer.schema_digest).not.toBe(digestOf({ ...answer.schema, title: "x" }))
  })

  test("names its dialect and uses only keywords of JSON Schema 2020-12", () => {
    expect(answer.schema["$schema"]).toBe("https://json-schema.org/draft/2020-12/schema")
    const allowed = [
      "$id",
      "$schema",
      "additionalProperties",
      "anyOf",
      "const",
      "description",
      "format",
      "items",
      "maxItems",
    ]
    const more = ["maxLength", "maxProperties", "maximum", "minLength", "minimum", "pattern", "propertyNames"]
    expect([...keywordsOf(answer.schema)].toSorted()).toEqual(
      [...allowed, ...more, "properties", "required", "type"].toSorted(),
    )
  })

  test("requires every member of the request", () => {
    expect((answer.schema["required"] as string[]).toSorted()).toEqual(Object.keys(decisionRequestMembers).toSorted())
  })

  test("accepts a real request in an independent validator and rejects every added or removed member", () => {
    const request = JSON.parse(JSON.stringify(signedRequest()))
    expect(accepts(answer.schema, request)).toBe(true)
    expect(accepts(answer.schema, { ...request, extra: 1 })).toBe(false)
    for (const member of Object.keys(decisionRequestMembers)) {
      const { [member]: _, ...rest } = request
      expect(accepts(answer.schema, rest)).toBe(false)
    }
    for (const { value } of edits(request))
      expect(accepts(answer.schema, value)).toBe(Value.Check(DecisionRequest, value))
  })
})
