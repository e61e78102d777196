import { type Static, Type } from "@sinclair/typebox"
import { closed, enumeration } from "../common.ts"
import { Freshness } from "../observation.ts"
import { publicationMembers } from "../publication.ts"

/** One identifier of the supplier, looked up in the register that assigns it, and the snapshot that was used. */
export const RegisterLookup = closed({
  source_id: Type.String(),
  snapshot_id: Type.String(),
  ...publicationMembers,
  freshness: Freshness,
  scheme: enumeration("lei", "uei", "cage", "cik"),
  value: Type.String(),
  found: Type.Boolean(),
  /** Present if nothing was found in a register with fewer entries than its minimum size. Then the absence proves nothing. */
  is_incomplete: Type.Optional(Type.Literal(true)),
  /** Null if nothing was found. */
  registered_name: Type.Union([Type.String(), Type.Null()]),
  /** The register's own word for the status of the registration. */
  status: Type.Union([Type.String(), Type.Null()]),
  is_current: Type.Union([Type.Boolean(), Type.Null()]),
  /** Also true if nothing was found, or no name was given, to compare. */
  name_agrees: Type.Boolean(),
  /** Null if no two names were compared. */
  name_score: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]),
})
export type RegisterLookup = Static<typeof RegisterLookup>

export const RegistrationFact = closed({
  /** The source of the deciding look-up: one whose name disagrees, else one that found nothing, else that of the strongest identifier. */
  source_id: Type.String(),
  snapshot_id: Type.String(),
  /** True if every identifier that was looked up was found. */
  found: Type.Boolean(),
  /** True if the registered name agrees with the given legal name, or if there is no registered name to compare. */
  name_agrees: Type.Boolean(),
  /** Strongest identifier first. */
  lookups: Type.Optional(Type.Array(RegisterLookup)),
})
export type RegistrationFact = Static<typeof RegistrationFact>
