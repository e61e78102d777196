/** One value that a schema accepts, the same each time. The vectors of documents that the service signs are made with it. */
import { type TSchema, TypeGuard } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"

/** Texts that members with a pattern or a length may have. The first one that the schema accepts is taken. */
const TEXTS = [
  "2026-11-23T09:00:00Z",
  "example",
  "EXAMPLE",
  "EXAMPLE:sandbox",
  "1.0.0",
  "example-0001",
  "example-nonce-0000000000000000000",
  `sha256:${"0".repeat(64)}`,
  "0".repeat(64),
  "A".repeat(32),
  "A".repeat(43),
  "A".repeat(86),
  `svc:agent:${"A".repeat(32)}`,
  `ed25519-${"A".repeat(43)}`,
  ...["ofr", "jrn", "psp", "pln", "cnt", "dgn", "rev"].map((prefix) => `${prefix}_${"A".repeat(22)}`),
  "http-api",
  "https://svc.example",
  "https://svc.example/v1/example",
  "/v1/example",
  "1",
  "1250.00",
  "USD",
  "eip155:8453",
  `0x${"11".repeat(20)}`,
  "uei:ZQGGHJH74DW7",
]

/** `members`: values for members by name, at any depth, where the schema of the member accepts them. Optional members are left out. */
export function valueOfSchema(schema: TSchema, members: Readonly<Record<string, unknown>>): unknown {
  if (TypeGuard.IsLiteral(schema)) return schema.const
  if (TypeGuard.IsNull(schema)) return null
  if (TypeGuard.IsBoolean(schema)) return false
  if (TypeGuard.IsInteger(schema) || TypeGuard.IsNumber(schema)) return schema.minimum ?? 1
  if (TypeGuard.IsUnion(schema)) return valueOfSchema(firstOf(schema.anyOf), members)
  if (TypeGuard.IsTuple(schema)) return (schema.items ?? []).map((item) => valueOfSchema(item, members))
  if (TypeGuard.IsArray(schema)) {
    const { items, minItems = 0 } = schema
    return Array.from({ length: minItems }, () => valueOfSchema(items, members))
  }
  if (TypeGuard.IsObject(schema)) {
    const named = (schema.required ?? []).map((name) => {
      const member = schema.properties[name]
      if (member === undefined) throw new Error(`no schema of the member ${name}`)
      const given = members[name]
      return [name, given !== undefined && Value.Check(member, given) ? given : valueOfSchema(member, members)] as const
    })
    return Object.fromEntries(named)
  }
  const found = [...TEXTS, {}].find((candidate) => Value.Check(schema, candidate))
  if (found === undefined) throw new Error(`no example text for ${JSON.stringify(schema)}`)
  return found
}

function firstOf(variants: readonly TSchema[]): TSchema {
  const [first] = variants
  if (first === undefined) throw new Error("a union without variants")
  return first
}
