/** The two free documents of each paid route: the schema, which is built once, and an example, which is built for each minute. */
import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../schemas/operation.ts"
import { type ExampleAnswer, type InputSchemaAnswer, JSON_SCHEMA_DIALECT } from "../../schemas/request-documents.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestOf } from "../core/digest.ts"
import { heldDocument } from "./conditional.ts"

export interface RequestDocument {
  readonly product: string
  readonly request: TSchema
  /** True if a caller signs the body before sending it. */
  readonly signed: boolean
  readonly operations: { readonly schema: Operation<undefined>; readonly example: Operation<undefined> }
  /** Builds the example body. Default: the published call. */
  readonly example: (call?: ExampleTime) => object
}

interface ExampleTime {
  /** Time of sending, in milliseconds. */
  readonly at: number
  readonly key: string
}

const HEADERS = { "content-type": "application/json", "cache-control": "public, max-age=300" }
/** A body is accepted for five minutes after the time in it. */
export const EXAMPLE_HEADERS = { "content-type": "application/json", "cache-control": "public, max-age=60" }

export function heldSchema({ product, request, signed }: Omit<RequestDocument, "example" | "operations">) {
  return heldDocument(inputSchemaReply(product, request, signed), HEADERS)
}

export function heldExample(
  { product, example, signed }: Pick<RequestDocument, "product" | "example" | "signed">,
  call: ExampleTime,
) {
  const answer: ExampleAnswer = {
    schema_version: "1.0.0",
    product,
    synthetic: true,
    example: example(call),
    limitations: ["SYNTHETIC_EXAMPLE", ...(signed ? ["SIGNED_WITH_PUBLISHED_TEST_KEYS"] : [])],
    next_machine_action: signed ? "REPLACE_EVERY_VALUE_AND_SIGN_REQUEST" : "REPLACE_EVERY_VALUE",
  }
  return heldDocument(canonicalize(answer), EXAMPLE_HEADERS)
}

/**
 * Returns the schema as its route publishes it. TypeBox schemas are JSON Schema. The copy drops their symbols and names its dialect, so that
 * it can be saved and used alone.
 */
export function publishedSchema(request: TSchema): object {
  return { $schema: JSON_SCHEMA_DIALECT, ...JSON.parse(JSON.stringify(request)) }
}

/** Returns the reply of a schema route as C14N. */
export function inputSchemaReply(product: string, request: TSchema, signed: boolean): string {
  const schema = publishedSchema(request)
  const answer: InputSchemaAnswer = {
    schema_version: "1.0.0",
    product,
    dialect: JSON_SCHEMA_DIALECT,
    schema,
    schema_digest: digestOf(schema),
    next_machine_action: signed ? "BUILD_AND_SIGN_REQUEST" : "BUILD_REQUEST",
  }
  return canonicalize(answer)
}
