/** Free preflight of a Brazilian number: whether the number is right, and what the service covers in its place. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, enumeration } from "../common.ts"
import { operation, PUBLIC_READ } from "../operation.ts"
import { problem } from "../problem.ts"

/** CNPJ of either form. The `/` of the punctuated form arrives as `%2F`. */
export const CnpjParameter = Type.String({
  pattern: "^([0-9A-Z]{12}[0-9]{2}|[0-9A-Z]{2}\\.[0-9A-Z]{3}\\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2})$",
  description: "CNPJ, upper case, bare (14 characters) or with its punctuation; twelve equal characters are refused",
})

/** A product that the service does sell. */
export const PreflightAlternative = closed({
  intent: Type.Union([Type.String(), Type.Null()]),
  product_id: Type.String(),
  jurisdiction: enumeration("GB", "US"),
  coverage: Type.String(),
  operation_id: Type.String(),
  method: enumeration("GET", "POST"),
  uri: Type.String(),
  price: closed({ amount: Type.String(), asset: Type.String() }),
})

export const CnpjPreflight = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    identifier: closed({
      scheme: Type.Literal("br-cnpj"),
      value: Type.String({ pattern: "^[0-9A-Z]{12}[0-9]{2}$", description: "Without punctuation" }),
      format: enumeration("NUMERIC", "ALPHANUMERIC"),
      check_digits_valid: Type.Literal(true),
    }),
    supported: Type.Literal(false),
    coverage: closed({
      country: Type.Literal("BR"),
      supported: Type.Literal(false),
      limitations: Type.Array(Type.Literal("NO_BRAZIL_SOURCE"), { minItems: 1, maxItems: 1 }),
    }),
    outcome: Type.Literal("UNSUPPORTED"),
    maximum_price: Type.Null(),
    estimate: closed({ charge: Type.Literal("0") }),
    alternatives: Type.Array(PreflightAlternative),
    effects: closed({
      external_source_calls: Type.Literal(0),
      charged: Type.Literal(false),
      decision_created: Type.Literal(false),
      delivery_created: Type.Literal(false),
      reservation_created: Type.Literal(false),
    }),
    limitations: Type.Array(Type.String()),
    next_machine_action: Type.Literal("STOP_AND_SEEK_ALTERNATIVE"),
  },
  { $id: "CnpjPreflight" },
)
export type CnpjPreflight = Static<typeof CnpjPreflight>

/**
 * CHOICE: the interface shows only the path `/v1/agent/preflight/{cnpj}`. No product covers Brazil, so the honest estimate of a right number
 * is "not covered", with what is covered instead, and never a price.
 */
export const preflightCnpj = operation({
  ...PUBLIC_READ,
  id: "free_cnpj_preflight",
  path: "/v1/agent/preflight/{cnpj}",
  summary:
    "Free estimate for a Brazilian CNPJ: checks the number, names the missing coverage and the products that exist",
  parameters: { cnpj: CnpjParameter },
  responses: {
    200: { description: "The number is right; Brazil is not covered, and nothing is charged", schema: CnpjPreflight },
    404: problem("The path cannot be decoded"),
    422: problem("The text is no CNPJ, or its check digits are wrong; errors names which"),
  },
  tool: "READ",
})
