/** Gathers all facts that `decide` needs, once, for one instant: lists from the index in use, records from the reserving transaction. */
import type { StatedEnvironment } from "../../../../schemas/environment.ts"
import {
  DECISION_FACTS_FORMAT,
  type DecisionFacts,
  type EarlierDecision,
  type SupplierSetFact,
} from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { RegistrationFact } from "../../../../schemas/us/registration-fact.ts"
import type { Machine } from "../../../base/machine.ts"
import { formatId, ID_RANDOM_BYTES } from "../../../core/ids.ts"
import { formatInstant } from "../../../core/time.ts"
import type { SourceBoard } from "../../../sources/boards/source-board.ts"
import { requestStaleAt, sourceFact } from "../../../sources/boards/source-fact.ts"
import type { SuppressionBook } from "../../../sources/screening/suppress.ts"
import type { AuthorizationRecord } from "../../../store/sales/authorization-records.ts"
import { isRegisteredName } from "../../../store/sales/supplier-joins.ts"
import { linkedIds } from "../../../store/sales/supplier-sets.ts"
import type { GatheredFor } from "../../common/product-row.ts"
import { supplierFacts } from "../recorded-supplier.ts"
import type { Registers } from "../registration.ts"
import { walletHits } from "../screening.ts"
import { registeredNames } from "../supplier-naming.ts"
import type { ReservedRecords, ReservedSupplier } from "./reserve-records.ts"
import { stricterTolerance } from "./tolerance.ts"

export interface DecisionDeps {
  readonly machine: Machine
  readonly sources: SourceBoard
  /** The operator's suppressions that are not revoked. */
  readonly suppressions: () => SuppressionBook
  readonly registers: Registers
  readonly baseUrl: () => string
  readonly environment: StatedEnvironment
}

/** The caller must have checked that the sources are healthy at the given time. */
export function gatherFacts(
  deps: DecisionDeps,
  request: DecisionRequest,
  { stored, signer, at }: GatheredFor,
  reserved: ReservedRecords,
): DecisionFacts {
  const { machine, sources, registers } = deps
  const tolerance = stricterTolerance(request.risk_policy.tolerance, reserved.buyerTolerance)
  const index = sources.index()
  const supplier = supplierFacts(
    { index, registers, suppressions: deps.suppressions(), tolerance, at },
    request.supplier,
    { identifiers: reserved.supplier.set.recorded, names: reserved.supplier.otherNames },
  )
  const { registration, screening } = supplier
  const { prior } = reserved
  return {
    format: DECISION_FACTS_FORMAT,
    rules: 3,
    at: formatInstant(at),
    request_id: formatId("req", machine.random(ID_RANDOM_BYTES)),
    decision_request_id: stored.id,
    decision_id: formatId("dec", machine.random(ID_RANDOM_BYTES)),
    delivery_reference: formatId("dlv", machine.random(ID_RANDOM_BYTES)),
    base_url: deps.baseUrl(),
    issuer: signer.issuer,
    environment: deps.environment,
    sources: sources.states(at).flatMap((state) => {
      const staleAt = requestStaleAt(state, request.freshness_requirements.max_age_seconds)
      return staleAt === null ? [] : (sourceFact(state, staleAt) ?? [])
    }),
    ...supplier,
    wallet_hits: walletHits(index, request),
    buyer_tolerance: reserved.buyerTolerance,
    mandate: reserved.mandate,
    delegation: reserved.delegation,
    earlier_decisions: reserved.earlier.map((record) => earlierDecision(record, linkedIds(reserved.supplier.set))),
    known_destinations: [...reserved.knownDestinations],
    resolved_references: [...reserved.resolvedReferences],
    supplier_set: supplierSetFact(reserved.supplier, registration),
    prior_authorization: prior
      ? { decision_id: prior.decisionId, response_digest: prior.responseDigest, decided_at: prior.decidedAt, screening }
      : null,
  }
}

/** Records of this product contain only decisions of this product. */
function earlierDecision(record: AuthorizationRecord, linked: readonly string[]): EarlierDecision {
  return {
    decision_id: record.decisionId,
    response_digest: record.responseDigest,
    decision: record.decision as EarlierDecision["decision"],
    supplier_key: record.supplierKey,
    obligation_key: record.obligationKey,
    document_digest: record.documentDigest,
    payment_instruction_digest: record.instructionDigest,
    payee_fingerprint: record.payeeFingerprint,
    destination_fingerprint: record.destinationFingerprint,
    decided_at: record.decidedAt,
    valid_until: record.validUntil,
    same_supplier: record.supplierId !== null && linked.includes(record.supplierId),
  }
}

function supplierSetFact({ set, anchors }: ReservedSupplier, registration: RegistrationFact | null): SupplierSetFact {
  const isRenamed = set.contradictions.some(({ member }) => member === "legal_name")
  const isRegistered = isRegisteredName(set.naming.nameKey, registeredNames(registration), anchors)
  const isContradicted = set.contradictions.some(({ member }) => member !== "legal_name" || !isRegistered)
  return {
    state: isContradicted ? "CONTRADICTED" : set.root === null ? "NEW" : "KNOWN",
    name_changed: isRenamed && isRegistered,
    more_linked: set.hasMoreLinked,
  }
}
