/** The destinations of a supplier that this organization authorized (rulings 47). */
import type { KnownDestination } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { GATES } from "../../../checks/policy/gate.ts"
import { lastDestination } from "../../../checks/us/vendor-change.ts"
import { instant } from "../../../core/time.ts"
import type { TokenBinding } from "../../../core/token-binding.ts"
import { findCompromisedKeys, stillVouches } from "../../../store/buyers/compromised-keys.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { answerOfRequest } from "../../../store/sales/answer-records.ts"
import {
  type AuthorizationRecord,
  allowedOfSupplier,
  newestFirst,
  RECORDS_MAX,
  recordsOfRequests,
} from "../../../store/sales/authorization-records.ts"
import { type SpentChange, spentChangesOf } from "../../../store/sales/change-authorizations.ts"
import { vouchingRequests } from "../../../store/sales/record-anchors.ts"
import type { SupplierSet } from "../../../store/sales/supplier-sets.ts"

/** What earlier records say of the request's supplier. */
export interface RecordContext {
  readonly set: SupplierSet
  /** The request's identifiers that can vouch. */
  readonly anchors: readonly string[]
  /** Milliseconds. */
  readonly at: number
}

/**
 * Returns the supplier's delivered ALLOWs and used change authorizations, newest first in each group, the verifications that the fee wallet
 * bought for this payee and destination, and the last destination of each linked supplier. It leaves out entries that are invalid because the
 * signing key was compromised. The policy limits the age of a verification.
 */
export function* readDestinations(request: DecisionRequest, context: RecordContext): Unit<KnownDestination[]> {
  const { organization_id: organizationId } = request.buyer
  const { set, anchors } = context
  const { fingerprint } = request.payment_destination
  const own = yield* destinationsOf(request, set.members)
  const vouching = yield* vouchingRequests(organizationId, anchors, fingerprint)
  const known: Judged[] = own.map(({ requestId, ...one }) => ({
    ...one,
    same_supplier: true,
    vouches: one.fingerprint === fingerprint && vouching.has(requestId),
  }))
  // The record that vouches may be older than all that were read.
  if (!known.some(({ vouches }) => vouches)) known.push(...(yield* olderVouching(organizationId, context, vouching)))
  known.push(...(yield* verificationsOf(request, anchors)))
  for (const linked of set.linked) {
    const last = lastDestination(yield* destinationsOf(request, linked.members))
    if (last === null) continue
    const { fingerprint, basis, reference, recorded_at } = last
    known.push({ fingerprint, basis, reference, recorded_at, same_supplier: false, vouches: false })
  }
  return known
}

/** With both members that facts before rules 3 lack. */
type Judged = Required<KnownDestination>
type Recorded = Omit<KnownDestination, "same_supplier" | "vouches"> & { readonly requestId: string }

/** What was released or changed for one supplier, newest first in each group. */
function* destinationsOf(request: DecisionRequest, supplierIds: readonly string[]): Unit<Recorded[]> {
  const { organization_id: organizationId } = request.buyer
  const decided: AuthorizationRecord[] = []
  const changes: SpentChange[] = []
  for (const supplierId of supplierIds) {
    decided.push(...(yield* allowedOfSupplier(organizationId, supplierId)))
    changes.push(...(yield* spentChangesOf(organizationId, supplierId)))
  }
  decided.sort(newestFirst)
  changes.sort((one, other) => newestFirst(changed(one), changed(other)))
  const signers = [...decided.map(({ mandateKeyId }) => mandateKeyId), ...changes.map(({ keyId }) => keyId)]
  const compromised = yield* findCompromisedKeys(organizationId, signers)
  const allowed = decided
    .slice(0, RECORDS_MAX)
    .filter((record) => stillVouches({ keyId: record.mandateKeyId, signedAt: record.decidedAt }, compromised))
    .map(allowedDestination)
  const spent = changes.filter(
    ({ keyId, decidedAt }) => keyId !== null && stillVouches({ keyId, signedAt: decidedAt }, compromised),
  )
  return [...allowed, ...changesMade(spent, allowed, request.requesting_agent.key_id)]
}

const changed = ({ changedAt, requestId }: SpentChange) => ({ decidedAt: changedAt ?? "", requestId })

function allowedDestination(record: AuthorizationRecord): Recorded {
  return {
    requestId: record.requestId,
    fingerprint: record.destinationFingerprint,
    basis: "ALLOW",
    reference: record.responseDigest,
    recorded_at: record.decidedAt,
  }
}

/** Delivered ALLOWs of the supplier among the requests that vouch. */
function* olderVouching(organizationId: string, { set }: RecordContext, vouching: ReadonlySet<string>): Unit<Judged[]> {
  for (const record of yield* recordsOfRequests(vouching)) {
    if (record.decision !== "ALLOW" || record.supplierId === null || !set.members.includes(record.supplierId)) continue
    const lost = yield* findCompromisedKeys(organizationId, [record.mandateKeyId])
    if (!stillVouches({ keyId: record.mandateKeyId, signedAt: record.decidedAt }, lost)) continue
    const { requestId: _, ...known } = allowedDestination(record)
    return [{ ...known, same_supplier: true, vouches: true }]
  }
  return []
}

/** Verifications that the fee wallet bought for this payee and destination, and that named one of the anchors. */
function* verificationsOf(request: DecisionRequest, anchors: readonly string[]): Unit<Judged[]> {
  const { fingerprint } = request.payment_destination
  const found: Judged[] = []
  const payer = feePayer(request)
  for (const id of yield* vouchingRequests(payer, anchors, fingerprint)) {
    const record = yield* answerOfRequest(id)
    if (record?.product !== GATES.INVOICE_PAYEE || record.decision !== "APPROVE" || record.owner !== payer) continue
    const { payeeFingerprint: payee, destinationFingerprint: destination } = record
    if (payee !== request.payee.fingerprint || destination !== fingerprint) continue
    const { coreDigest: reference, decidedAt: recorded_at } = record
    found.push({ fingerprint, basis: "PAYEE_VERIFICATION", reference, recorded_at, same_supplier: true, vouches: true })
  }
  return found
}

/**
 * Newest first. A token redeemed by its holder counts like one that a decision used, under the same conditions (rulings 48): another key
 * than the request's signed it, and it changed the destination that was the last one then. Otherwise one key could add its own claim to the
 * history.
 */
function changesMade(spent: readonly SpentChange[], allowed: readonly Recorded[], ownKey: string) {
  const made: Recorded[] = []
  for (const change of spent.toReversed()) {
    const { requestId, keyId, changedAt, destinationFingerprint: fingerprint, evidenceReference: reference } = change
    if (changedAt === null || fingerprint === null) continue
    const before = [...allowed, ...made].filter(({ recorded_at: at }) => instant(at) <= instant(changedAt))
    const last = lastDestination(before)?.fingerprint ?? null
    const { current_payee_fingerprint: current } = JSON.parse(change.bindingJson) as TokenBinding
    const continues = last === null || last === current || last === fingerprint
    if (change.spentBy === null && (keyId === ownKey || !continues)) continue
    made.push({ requestId, fingerprint, basis: "CHANGE_AUTHORIZATION", reference, recorded_at: changedAt })
  }
  return made.reverse()
}

/** The wallet in the form in which records of the answer products name their owner. */
export function feePayer({ decision_fee_payer: wallet }: Pick<DecisionRequest, "decision_fee_payer">): string {
  return wallet.toLowerCase()
}
