/** What the free identity is and what the Intent Beacon would take, for an agent that decides whether to use either. */
import { type Static, Type } from "@sinclair/typebox"
import { AgentIdBootstrap } from "../agent-id/descriptor.ts"
import { closed, enumeration } from "../common.ts"
import { BEACON_POLICY_VERSION, EVENT_KINDS, EVENTS_PER_DAY_MAX, RETAINED } from "./beacon.ts"
import { contractMembers, endMembers } from "./notation.ts"

const { product_id, solution_id, price, claim, enrollment, limitations } = AgentIdBootstrap.properties
const Path = Type.String({ pattern: "^https?://[!-~]{1,2000}$" })

/** CHOICE: a consent lasts 90 days at most. An agent that still wants the Beacon consents again. */
export const CONSENT_DAYS_MAX = 90

export const IdentityAdoption = closed(
  {
    ...contractMembers,
    identity: closed({ product_id, solution_id, price, claim, enrollment, limitations }),
    beacon: closed({
      default: Type.Literal("OFF"),
      enabled: Type.Boolean({ description: "Whether the service takes consents and events now" }),
      consent_required: Type.Literal(true),
      policy_version: Type.Literal(BEACON_POLICY_VERSION),
      event_kinds: Type.Array(enumeration(...EVENT_KINDS), { minItems: 5, maxItems: 5, uniqueItems: true }),
      retained: Type.Array(enumeration(...RETAINED), { minItems: 1, uniqueItems: true }),
      validity_days_max: Type.Literal(CONSENT_DAYS_MAX),
      events_per_day_max: Type.Literal(EVENTS_PER_DAY_MAX),
      content_accepted: Type.Literal(false),
      routes: closed({ consent: Path, revoke: Path, event: Path }),
    }),
    adoption_required: Type.Literal(false),
    ...endMembers,
  },
  { $id: "IdentityAdoption" },
)
export type IdentityAdoption = Static<typeof IdentityAdoption>
