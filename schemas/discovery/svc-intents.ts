import { type Static, Type } from "@sinclair/typebox"
import { AtomicAmount, closed, enumeration } from "../common.ts"
import { Lifecycle, Method, Name, NameOrNull } from "./document-members.ts"

/** What one call costs. A quote may not ask for more. */
export const Charge = closed({ amount: Type.String(), amount_atomic: AtomicAmount, asset: Name, network: Name })
export type Charge = Static<typeof Charge>

export const ChargeOrNull = Type.Union([Charge, Type.Null()])

/** Where a route is. CHOICE: a path with parameters is a `uri_template` (RFC 6570 level 1), as in the agent map, because it is no URI. */
export const Where = { uri: Type.Optional(Type.String()), uri_template: Type.Optional(Type.String()) }

/**
 * `required_inputs`: pointers of the members that every body has. `not_for`: codes of the needs that the route does not meet. `needs`: what
 * a caller must have before the route can meet the need; planning judges it.
 */
export const SvcIntent = closed({
  intent: Name,
  product_id: NameOrNull,
  solution_id: NameOrNull,
  operation_id: Name,
  method: Method,
  ...Where,
  jurisdiction: enumeration("GB", "US", "GLOBAL"),
  coverage: NameOrNull,
  charge: ChargeOrNull,
  required_inputs: Type.Array(Type.String({ description: "JSON pointer (RFC 6901) into the body" })),
  not_for: Type.Array(Name),
  needs: Type.Array(enumeration("AGENT", "MANDATE", "DELEGATION")),
  lifecycle: Lifecycle,
})
export type SvcIntent = Static<typeof SvcIntent>

/** A need that no route meets. Planning answers NOT_IMPLEMENTED and names the routes of the nearest intents. */
const UnservedIntent = closed({ intent: Name, nearest_intents: Type.Array(Name) })

export const SvcIntents = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    issuer: Name,
    intents: Type.Array(SvcIntent),
    not_implemented: Type.Array(UnservedIntent),
    runtime_statement: Type.Literal("RUNTIME_DESCRIPTOR_NOT_INDEXING_PROOF"),
  },
  { $id: "SvcIntents" },
)
export type SvcIntents = Static<typeof SvcIntents>
