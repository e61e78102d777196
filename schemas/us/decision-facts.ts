import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest, enumeration } from "../common.ts"
import { Freshness } from "./observation.ts"
import { Tolerance } from "./payment-decision.ts"
import { Decision } from "./proof-capsule.ts"
import { ScreeningFact, ScreeningHit } from "./screening-facts.ts"

export const DECISION_FACTS_FORMAT = "svc.payment-decision-facts.v1"

/** One required source as the screening index held it: the snapshot the index was built from, never a later pointer. */
export const SourceFact = closed({
  source_id: Type.String(),
  health: enumeration("HEALTHY", "STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"),
  freshness: Freshness,
  snapshot_id: Type.String(),
  source_url: Type.String(),
  source_version: Type.String(),
  source_timestamp: DateTime,
  retrieved_at: DateTime,
  stale_at: DateTime,
  parser_version: Type.String(),
  raw_sha256: Digest,
  entries: Type.Integer({ minimum: 0 }),
})
export type SourceFact = Static<typeof SourceFact>

/** A decision delivered to this organization before. Keys are normalised as `checks` does it. */
export const EarlierDecision = closed({
  decision_id: Type.String(),
  response_digest: Digest,
  decision: Decision,
  supplier_key: Type.String(),
  obligation_key: Type.String(),
  document_digest: Digest,
  payment_instruction_digest: Digest,
  payee_fingerprint: Digest,
  destination_fingerprint: Digest,
  decided_at: DateTime,
  valid_until: DateTime,
})
export type EarlierDecision = Static<typeof EarlierDecision>

/** A destination this organization has paid or proven for this supplier; what does not count (rulings 47) is not listed. */
export const KnownDestination = closed({
  fingerprint: Digest,
  basis: enumeration("ALLOW", "CHANGE_AUTHORIZATION", "PAYEE_VERIFICATION"),
  reference: Digest,
  recorded_at: DateTime,
})
export type KnownDestination = Static<typeof KnownDestination>

/** An answer of ours that `evidence_references` names, found and usable by this organization (unspent where it is spent by use). */
export const ResolvedReference = closed({
  reference: Digest,
  kind: enumeration("DECISION", "CHANGE_AUTHORIZATION", "PAYEE_VERIFICATION"),
  payee_fingerprint: Digest,
  destination_fingerprint: Digest,
  decided_at: DateTime,
})
export type ResolvedReference = Static<typeof ResolvedReference>

/** One identifier of the supplier looked up in the register that assigns it, with the snapshot it was looked up in. */
export const RegisterLookup = closed({
  source_id: Type.String(),
  snapshot_id: Type.String(),
  source_url: Type.String(),
  source_version: Type.String(),
  source_timestamp: DateTime,
  retrieved_at: DateTime,
  stale_at: DateTime,
  parser_version: Type.String(),
  raw_sha256: Digest,
  freshness: Freshness,
  scheme: enumeration("lei", "uei", "cage", "cik"),
  value: Type.String(),
  found: Type.Boolean(),
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

const Authority = closed({ state: enumeration("ACTIVE", "REVOKED"), valid_until: DateTime })

/**
 * Everything `decide` knows beside the request and the policy, gathered once, stored whole and exported, so that the same
 * decision can be made again from it on another machine. Plain JSON; times RFC 3339.
 */
export const DecisionFacts = closed({
  format: Type.Literal(DECISION_FACTS_FORMAT),
  at: DateTime,
  request_id: Type.String(),
  decision_request_id: Type.String(),
  decision_id: Type.String(),
  delivery_reference: Type.String(),
  base_url: Type.String(),
  issuer: Type.String(),
  environment: enumeration("live", "test"),
  sources: Type.Array(SourceFact),
  screening: ScreeningFact,
  wallet_hits: closed({
    payee: Type.Union([ScreeningHit, Type.Null()]),
    payment_destination: Type.Union([ScreeningHit, Type.Null()]),
  }),
  registration: Type.Union([RegistrationFact, Type.Null()]),
  buyer_tolerance: Tolerance,
  mandate: Authority,
  delegation: Authority,
  earlier_decisions: Type.Array(EarlierDecision),
  known_destinations: Type.Array(KnownDestination),
  resolved_references: Type.Array(ResolvedReference),
  prior_authorization: Type.Union([
    closed({ decision_id: Type.String(), response_digest: Digest, decided_at: DateTime, screening: ScreeningFact }),
    Type.Null(),
  ]),
})
export type DecisionFacts = Static<typeof DecisionFacts>
