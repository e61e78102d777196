import { type Static, Type } from "@sinclair/typebox"
import { closed, enumeration } from "../common.ts"
import { Freshness } from "../observation.ts"
import { publicationMembers } from "../publication.ts"

/** One identifier of the supplier looked up in the register that assigns it, with the snapshot it was looked up in. */
export const RegisterLookup = closed({
  source_id: Type.String(),
  snapshot_id: Type.String(),
  ...publicationMembers,
  freshness: Freshness,
  scheme: enumeration("lei", "uei", "cage", "cik"),
  value: Type.String(),
  found: Type.Boolean(),
  /** Present where nothing was found in a register that has fewer entries than its least size: that proves nothing. */
  is_incomplete: Type.Optional(Type.Literal(true)),
  /** Null where nothing was found. */
  registered_name: Type.Union([Type.String(), Type.Null()]),
  /** The register's own word for the state of the registration. */
  status: Type.Union([Type.String(), Type.Null()]),
  is_current: Type.Union([Type.Boolean(), Type.Null()]),
  /** True too when nothing was found, or no name was given, that could disagree. */
  name_agrees: Type.Boolean(),
  /** Null where no two names were compared. */
  name_score: Type.Union([Type.Number({ minimum: 0, maximum: 1 }), Type.Null()]),
})
export type RegisterLookup = Static<typeof RegisterLookup>

export const RegistrationFact = closed({
  /** Of the lookup that decides: one whose name disagrees, else one that found nothing, else that of the strongest identifier. */
  source_id: Type.String(),
  snapshot_id: Type.String(),
  /** Whether every identifier that was looked up was found. */
  found: Type.Boolean(),
  /** Whether the registered name agrees with the legal name given; true when nothing was found to disagree. */
  name_agrees: Type.Boolean(),
  /** Strongest identifier first. */
  lookups: Type.Optional(Type.Array(RegisterLookup)),
})
export type RegistrationFact = Static<typeof RegistrationFact>
