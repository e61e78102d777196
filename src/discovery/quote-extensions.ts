import type { Operation } from "../../schemas/operation.ts"
import { JSON_SCHEMA_DIALECT } from "../../schemas/request-documents.ts"
import type { PaymentRequired } from "../../schemas/x402.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import type { RequestDocument } from "../http/request-documents.ts"
import { type RequestHeader, requestHeaders } from "./request-headers.ts"
import { type SoldOperation, soldOperations } from "./sold.ts"

interface QuoteExtensionParts {
  readonly baseUrl: string
  /** Called on first use, when every route is registered. */
  readonly operations: () => readonly Operation[]
  readonly examples: () => readonly Pick<RequestDocument, "product" | "example">[]
}

/**
 * Returns the `extensions` of a product's 402, made at its first quote. Its only member is `bazaar` (x402 extension): how the route is
 * called, for indexes that read 402 answers. Undefined for a product without a served route.
 */
export function quoteExtensions(parts: QuoteExtensionParts): (product: string) => PaymentRequired["extensions"] {
  const made = new Map<string, PaymentRequired["extensions"]>()
  return (product) => {
    if (!made.has(product)) made.set(product, extensionsOf(parts, product))
    return made.get(product)
  }
}

function extensionsOf(parts: QuoteExtensionParts, id: string): PaymentRequired["extensions"] {
  const sold = soldOperations(parts.operations()).find(({ product }) => product.id === id)
  const document = parts.examples().find(({ product }) => product === id)
  return sold && document && { bazaar: bazaar(sold, parts.baseUrl, document.example()) }
}

/** Bytes of JSON. A buyer sends the extension back in a header that has a limit, next to a signature of up to 8 KB. */
const EXAMPLE_BYTES_MAX = 1024

/**
 * CHOICE: the schema names only the top-level members of the body and where the whole schema is. A larger example is left out, and then no
 * member is required.
 */
function bazaar(sold: SoldOperation, baseUrl: string, example: object) {
  const text = canonicalize(example)
  const body = Buffer.byteLength(text) <= EXAMPLE_BYTES_MAX ? example : null
  const headers = requestHeaders(sold)
  const values = body === null ? null : headerValues(text)
  return {
    info: {
      input: {
        type: "http",
        method: sold.method,
        bodyType: "json",
        body: body ?? {},
        ...(headers.length > 0 && {
          headers: Object.fromEntries(headers.map(({ name, of, description }) => [name, values?.[of] ?? description])),
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
            method: { type: "string", enum: [sold.method] },
            bodyType: { type: "string", enum: ["json"] },
            body: bodySchema(sold, `${baseUrl}${sold.path}/schema`, body !== null),
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

/** Values of the headers for a body that is sent as canonical JSON. */
function headerValues(text: string): Readonly<Record<RequestHeader["of"], string>> {
  const { idempotency_key: key } = JSON.parse(text) as { readonly idempotency_key: string }
  return { IDEMPOTENCY_KEY: key, BODY_DIGEST: digestBytes(text) }
}

function headerSchema(headers: readonly RequestHeader[]) {
  return {
    type: "object",
    properties: Object.fromEntries(headers.map(({ name, description }) => [name, { type: "string", description }])),
    required: headers.map(({ name }) => name),
  }
}

function bodySchema({ body }: SoldOperation, uri: string, isComplete: boolean) {
  const { properties = {}, required = [] } = (body ?? {}) as {
    readonly properties?: Readonly<Record<string, { readonly type?: string }>>
    readonly required?: readonly string[]
  }
  return {
    type: "object",
    description: `Whole JSON Schema: GET ${uri}`,
    properties: Object.fromEntries(Object.entries(properties).map(([name, { type }]) => [name, type ? { type } : {}])),
    ...(isComplete && { required }),
  }
}
