/** The free capability catalogue: what is sold, and what can be sold now. CHOICE: the interface does not show the body. */
import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, enumeration, SourceState } from "../common.ts"
import { operation, PUBLIC_READ } from "../operation.ts"
import {
  CoverageLine,
  Jurisdiction,
  Lifecycle,
  Method,
  Name,
  NameOrNull,
  Price,
  RoutePath,
} from "./document-members.ts"

const Names = Type.Array(Name)

export const CapabilityProduct = closed({
  product_id: Name,
  solution_id: NameOrNull,
  operation_id: Name,
  method: Method,
  route: RoutePath,
  schema: Type.Union([RoutePath, Type.Null()], { description: "Path of the JSON Schema of the body" }),
  example: Type.Union([RoutePath, Type.Null()], { description: "Path of a complete synthetic body" }),
  jurisdiction: Jurisdiction,
  coverage: Name,
  price: Price,
  network: Name,
  sellable_now: Type.Boolean({ description: "False if a quote would now be refused for every request" }),
  why_not: Type.Union([Type.String({ pattern: "^[A-Z_]{1,64}$" }), Type.Null()], {
    description: "Code of the refusal; null if the product is sellable",
  }),
})

export const SourceHealthOfProducts = closed({
  source_id: Name,
  health: SourceState,
  reason_codes: Names,
  stale_at: Type.Union([DateTime, Type.Null()]),
  product_ids: Type.Array(Name, { minItems: 1 }),
})

export const Capabilities = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    products: Type.Array(CapabilityProduct),
    solutions: Type.Array(closed({ solution_id: Name, operation_ids: Names, product_ids: Names })),
    free_operations: Type.Array(
      closed({
        operation_id: Name,
        method: Method,
        path: RoutePath,
        lifecycle: Lifecycle,
        enabled: Type.Boolean({ description: "False if the operator has switched the operation off" }),
      }),
    ),
    coverage: Type.Array(CoverageLine),
    /** Products may judge one source differently: a Payment Decision uses no source that an operator accepted although it is old. */
    source_health: Type.Array(SourceHealthOfProducts),
    limits: closed({
      request_body_bytes_max: Type.Integer({ minimum: 0 }),
      payment_timeout_seconds: Type.Integer({ minimum: 0, description: "Longest validity of a payment authorization" }),
      calls_per_minute: Type.Array(closed({ group: Name, per_minute: Type.Integer({ minimum: 1 }) }), {
        description:
          "Budget of one client address for all routes of a group; none if the server itself limits no calls",
      }),
    }),
    limitations: Names,
    valid_as_of: DateTime,
    next_machine_action: enumeration("REQUEST_QUOTE", "RETRY_LATER_WITHOUT_PAYMENT", "USE_FREE_OPERATIONS"),
  },
  { $id: "Capabilities" },
)
export type Capabilities = Static<typeof Capabilities>

export const getCapabilities = operation({
  ...PUBLIC_READ,
  id: "get_capabilities",
  path: "/v1/agent/capabilities",
  summary: "What this service sells, what it can sell now and why not, what is free, and the state of its sources",
  responses: {
    200: { description: "Capability catalogue, at most one second old", schema: Capabilities },
    304: { description: "Unchanged since the ETag sent" },
  },
  tool: "READ",
})
