import { type Static, Type } from "@sinclair/typebox"
import { closed } from "../common.ts"
import { Authentication, ExternalIndexChannel, Method, Name } from "./document-members.ts"
import { ChargeOrNull, Where } from "./svc-intents.ts"

/** One call. `auth` NONE and no charge at a paid route: the call without a payment, which returns the quote. */
export const JourneyStep = closed({
  operation_id: Name,
  method: Method,
  ...Where,
  auth: Authentication,
  charge: ChargeOrNull,
})
export type JourneyStep = Static<typeof JourneyStep>

export const AgentMap = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    service: closed({ name: Name, issuer: Name, base_url: Type.String(), version: Name }),
    entry_points: Type.Array(closed({ purpose: Type.String(), uri: Type.String(), media_type: Name })),
    journeys: Type.Array(closed({ id: Name, steps: Type.Array(JourneyStep, { minItems: 1 }) })),
    external_index_channels: Type.Array(ExternalIndexChannel),
  },
  { $id: "AgentMap" },
)
export type AgentMap = Static<typeof AgentMap>
