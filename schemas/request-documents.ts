/** The two free documents of each paid route: the JSON Schema of its body, and a complete example body. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, digestOver } from "./common.ts"
import { operation, PUBLIC_READ } from "./operation.ts"

export const JSON_SCHEMA_DIALECT = "https://json-schema.org/draft/2020-12/schema"

/** The request as JSON Schema 2020-12, and the digest of exactly that member. */
export const InputSchemaAnswer = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    product: Type.String(),
    dialect: Type.Literal(JSON_SCHEMA_DIALECT),
    schema: Type.Unknown(),
    schema_digest: digestOver("C14N of schema"),
    next_machine_action: Type.String(),
  },
  { $id: "InputSchemaAnswer" },
)
export type InputSchemaAnswer = Static<typeof InputSchemaAnswer>

/** A complete body that the schema accepts. Every name, number and signature in it is invented. */
export const ExampleAnswer = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    product: Type.String(),
    synthetic: Type.Literal(true),
    example: Type.Unknown(),
    limitations: Type.Array(Type.String()),
    next_machine_action: Type.String(),
  },
  { $id: "ExampleAnswer" },
)
export type ExampleAnswer = Static<typeof ExampleAnswer>

/** Returns the two free operations for the paid one at `path`. Their ids contain `name`. */
export function requestDocuments({ name, path }: { readonly name: string; readonly path: string }) {
  const refusals = {
    304: { description: "Unchanged since the ETag sent" },
  }
  return {
    schema: operation({
      ...PUBLIC_READ,
      id: `get_${name}_schema`,
      path: `${path}/schema`,
      summary: "JSON Schema of the request, with its digest",
      responses: { 200: { description: "JSON Schema 2020-12 and its digest", schema: InputSchemaAnswer }, ...refusals },
    }),
    example: operation({
      ...PUBLIC_READ,
      id: `get_${name}_example`,
      path: `${path}/example`,
      summary: "Synthetic request that the schema accepts",
      responses: { 200: { description: "An example body", schema: ExampleAnswer }, ...refusals },
    }),
  }
}
