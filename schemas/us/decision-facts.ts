import { type Static, Type } from "@sinclair/typebox"
import { closed, DateTime, Digest, enumeration } from "../common.ts"
import { StatedEnvironment } from "../environment.ts"
import { ScreeningFact } from "../screening-facts.ts"
import { SourceFact } from "../source-fact.ts"
import { WalletHits } from "./invoice-facts.ts"
import { Tolerance } from "./payment-decision.ts"
import { Decision } from "./proof-capsule.ts"
import { RecordedSupplier } from "./recorded-supplier.ts"
import { RegistrationFact } from "./registration-fact.ts"

/** Format of the facts of new decisions. */
export const DECISION_FACTS_FORMAT = "svc.payment-decision-facts.v2"
/** The same with an `entry` of a hit. */
export const DECISION_ENTRY_FACTS_FORMAT = "svc.payment-decision-facts.v3"

/** An earlier decision that was delivered to this organization. Keys are normalised as in `checks`. */
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
  /** True if the supplier is the request's own, or linked to it by a name (rulings 89). Absent before rules 3: the keys decide. */
  same_supplier: Type.Optional(Type.Boolean()),
})
export type EarlierDecision = Static<typeof EarlierDecision>

/**
 * A destination that this organization has paid or verified for this supplier. Destinations that do not count (rulings 47) are left out.
 */
export const KnownDestination = closed({
  fingerprint: Digest,
  basis: enumeration("ALLOW", "CHANGE_AUTHORIZATION", "PAYEE_VERIFICATION"),
  reference: Digest,
  recorded_at: DateTime,
  /** False for the last destination of another supplier that is linked to the request by a name. Absent before rules 3: true. */
  same_supplier: Type.Optional(Type.Boolean()),
  /** True if the request names an anchor that the record named. Absent before rules 3: true. */
  vouches: Type.Optional(Type.Boolean()),
})
export type KnownDestination = Static<typeof KnownDestination>

/**
 * An earlier answer of this service that `evidence_references` names, found and usable by this organization (unused if it can be used only
 * once).
 */
export const ResolvedReference = closed({
  reference: Digest,
  kind: enumeration("DECISION", "CHANGE_AUTHORIZATION", "PAYEE_VERIFICATION"),
  payee_fingerprint: Digest,
  destination_fingerprint: Digest,
  decided_at: DateTime,
})
export type ResolvedReference = Static<typeof ResolvedReference>

const Authority = closed({ state: enumeration("ACTIVE", "REVOKED"), valid_until: DateTime })

/** What this organization's own records know of the supplier that the request names (rulings 89). */
export const SupplierSetFact = closed({
  /** CONTRADICTED: the request names two suppliers. It is decided only if the buyer has paid already. */
  state: enumeration("NEW", "KNOWN", "CONTRADICTED"),
  /** True if the name is new to the supplier, and is the register's current one. */
  name_changed: Type.Boolean(),
  /** True if more suppliers bear the name than are compared. */
  more_linked: Type.Boolean(),
})
export type SupplierSetFact = Static<typeof SupplierSetFact>

/**
 * All inputs of `decide` other than the request and the policy. They are gathered once, stored whole and exported, so that another machine
 * can repeat the decision. Plain JSON; times are RFC 3339.
 */
export const DecisionFacts = closed({
  /** Members that v2 and v3 add are optional, and facts of an earlier format have none of them. */
  format: enumeration("svc.payment-decision-facts.v1", DECISION_FACTS_FORMAT, DECISION_ENTRY_FACTS_FORMAT),
  /**
   * The version of the rules in `decide` that are not part of the policy, because the interface fixes the policy version at 1.0.0. Absent:
   * the first rules. 2: `LIMITED_COVERAGE` is in every decision (rulings 77). 3: suppliers are identity sets (rulings 89).
   */
  rules: Type.Optional(Type.Union([Type.Literal(2), Type.Literal(3)])),
  at: DateTime,
  request_id: Type.String(),
  decision_request_id: Type.String(),
  decision_id: Type.String(),
  delivery_reference: Type.String(),
  base_url: Type.String(),
  issuer: Type.String(),
  environment: StatedEnvironment,
  sources: Type.Array(SourceFact),
  screening: ScreeningFact,
  wallet_hits: WalletHits,
  registration: Type.Union([RegistrationFact, Type.Null()]),
  buyer_tolerance: Tolerance,
  mandate: Authority,
  delegation: Authority,
  earlier_decisions: Type.Array(EarlierDecision),
  known_destinations: Type.Array(KnownDestination),
  resolved_references: Type.Array(ResolvedReference),
  /** Absent before rules 3. */
  supplier_set: Type.Optional(SupplierSetFact),
  recorded_supplier: Type.Optional(RecordedSupplier),
  prior_authorization: Type.Union([
    closed({ decision_id: Type.String(), response_digest: Digest, decided_at: DateTime, screening: ScreeningFact }),
    Type.Null(),
  ]),
})
export type DecisionFacts = Static<typeof DecisionFacts>
