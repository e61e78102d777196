import type { Operation } from "../../schemas/operation.ts"
import { JSON_SCHEMA_DIALECT } from "../../schemas/request-documents.ts"
import type { PaymentRequired } from "../../schemas/x402.ts"
import { type RequestHeader, requestHeaders } from "./request-headers.ts"
import { type SoldOperation, soldOperations } from "./sold.ts"

/**
 * Returns the JSON of the `extensions` of a product's 402, printed at its first quote. Its only member is `bazaar` (x402 extension): how the
 * route is called, for indexes that read 402 answers. Undefined for a product without a served route. `operations` is called on first use,
 * when every route is registered.
 */
export function quoteExtensions(operations: () => readonly Operation[]): (product: string) => string | undefined {
  const made = new Map<string, string | undefined>()
  return (id) => {
    if (!made.has(id)) {
      const sold = soldOperations(operations()).find(({ product }) => product.id === id)
      made.set(id, sold && JSON.stringify({ bazaar: bazaar(sold) } satisfies PaymentRequired["extensions"]))
    }
    return made.get(id)
  }
}

/**
 * How the route is called. CHOICE: it has neither an example nor members of the body, and its schema says where both are. A stock proxy gives
 * up on an answer whose headers pass 4 KB, and a buyer sends the extension back in a header of its own.
 */
function bazaar(sold: SoldOperation) {
  const { method, path } = sold
  const headers = requestHeaders(sold)
  return {
    info: {
      input: {
        type: "http",
        method,
        bodyType: "json",
        body: {},
        ...(headers.length > 0 && {
          headers: Object.fromEntries(headers.map(({ name, description }) => [name, description])),
        }),
      },
      output: { type: "json" },
    },
    schema: {
      $schema: JSON_SCHEMA_DIALECT,
      type: "object",
      properties: {
        input: {
          type: "object",
          properties: {
            type: { type: "string", const: "http" },
            method: { type: "string", enum: [method] },
            bodyType: { type: "string", enum: ["json"] },
            body: { type: "object", description: `JSON Schema: GET ${path}/schema; an example: GET ${path}/example` },
            ...(headers.length > 0 && { headers: headerSchema(headers) }),
          },
          required: ["type", "method", "bodyType", "body", ...(headers.length > 0 ? ["headers"] : [])],
          additionalProperties: false,
        },
        output: { type: "object", properties: { type: { type: "string" } }, required: ["type"] },
      },
      required: ["input"],
    },
  }
}

function headerSchema(headers: readonly RequestHeader[]) {
  return {
    type: "object",
    properties: Object.fromEntries(headers.map(({ name }) => [name, { type: "string" }])),
    required: headers.map(({ name }) => name),
  }
}
