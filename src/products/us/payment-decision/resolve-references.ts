/** Returns the entries of `evidence_references` that this organization may rely on. It ignores every other entry. */
import type { KnownDestination, ResolvedReference } from "../../../../schemas/us/decision-facts.ts"
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { GATES } from "../../../checks/policy/gate.ts"
import { lastDestination } from "../../../checks/us/vendor-change.ts"
import type { TokenBinding } from "../../../core/token-binding.ts"
import { findCompromisedKeys, stillVouches } from "../../../store/buyers/compromised-keys.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { type AnswerRecord, answerOfCore } from "../../../store/sales/answer-records.ts"
import { recordOfResponse } from "../../../store/sales/authorization-records.ts"
import { findChangeAuthorization } from "../../../store/sales/change-authorizations.ts"
import { isAnchoredBy } from "../../../store/sales/record-anchors.ts"
import { rootOf } from "../../../store/sales/supplier-sets.ts"
import { feePayer, type RecordContext } from "./destinations.ts"

export function* resolveReferences(
  request: DecisionRequest,
  context: RecordContext,
  known: readonly KnownDestination[],
): Unit<ResolvedReference[]> {
  const resolved: ResolvedReference[] = []
  for (const reference of new Set(request.evidence_references)) {
    const one =
      (yield* earlierDecision(request, reference)) ?? (yield* earlierAnswer(request, context, known, reference))
    // A change is made once. If several authorizations cover it, the first named is used and the others remain usable.
    const isSecond = one?.kind === "CHANGE_AUTHORIZATION" && resolved.some(({ kind }) => kind === one.kind)
    if (one && !isSecond) resolved.push(one)
  }
  return resolved
}

function* earlierDecision({ buyer }: DecisionRequest, reference: string): Unit<ResolvedReference | null> {
  const record = yield* recordOfResponse(buyer.organization_id, reference)
  return (
    record && {
      reference: record.responseDigest,
      kind: "DECISION",
      payee_fingerprint: record.payeeFingerprint,
      destination_fingerprint: record.destinationFingerprint,
      decided_at: record.decidedAt,
    }
  )
}

/** Looks up an answer of the six US operations by the digest in its capsule. */
function* earlierAnswer(
  request: DecisionRequest,
  context: RecordContext,
  known: readonly KnownDestination[],
  reference: string,
): Unit<ResolvedReference | null> {
  const record = yield* answerOfCore(reference)
  if (!record) return null
  const { payeeFingerprint: payee, destinationFingerprint: destination, product } = record
  if (payee === null || destination === null) return null
  const fingerprints = { reference, payee_fingerprint: payee, destination_fingerprint: destination }
  if (product === GATES.INVOICE_PAYEE) {
    const isTheirs = record.owner === feePayer(request) && record.decision === "APPROVE"
    return isTheirs && (yield* isAnchoredBy(record.owner, context.anchors, record.requestId))
      ? { ...fingerprints, kind: "PAYEE_VERIFICATION", decided_at: record.decidedAt }
      : null
  }
  const usable = product === GATES.VENDOR_CHANGE && (yield* isUsableChange(request, context, known, record))
  return usable ? { ...fingerprints, kind: "CHANGE_AUTHORIZATION", decided_at: record.decidedAt } : null
}

/** Whether the answer is about the request's supplier, and named an anchor that the request names. */
function* isAboutSupplier(
  organizationId: string,
  { set, anchors }: RecordContext,
  { organizationSupplierId: id, requestId }: AnswerRecord,
): Unit<boolean> {
  if (id === null || (yield* rootOf(organizationId, id)) !== set.root) return false
  return yield* isAnchoredBy(organizationId, anchors, requestId)
}

/**
 * True if the authorization was bought for this organization, signed by another key than the request (rulings 48), is for this destination,
 * unused, and needed: it is not used for a destination that equals the last one. CHOICE: it changes the destination that it names as the
 * current one, which may be that of a supplier linked by its name. If the last money went elsewhere, it authorized another change.
 */
function* isUsableChange(
  request: DecisionRequest,
  context: RecordContext,
  known: readonly KnownDestination[],
  record: AnswerRecord,
): Unit<boolean> {
  const { organizationId, keyId, destinationFingerprint, coreDigest, decidedAt } = record
  const { fingerprint } = request.payment_destination
  const last = lastDestination(known.filter((one) => one.same_supplier))
  const others = known.filter((one) => !one.same_supplier && one.fingerprint !== fingerprint)
  if (organizationId !== request.buyer.organization_id || keyId === null) return false
  if (keyId === request.requesting_agent.key_id) return false
  const isUnchanged = last?.fingerprint === fingerprint
  const isVouched = known.some((one) => one.vouches && one.fingerprint === fingerprint)
  if (destinationFingerprint !== fingerprint || (isUnchanged && isVouched && others.length === 0)) return false
  if (!stillVouches({ keyId, signedAt: decidedAt }, yield* findCompromisedKeys(organizationId, [keyId]))) return false
  if (!(yield* isAboutSupplier(organizationId, context, record))) return false
  const authorization = yield* findChangeAuthorization(coreDigest, context.at)
  if (!authorization) return false
  const { current_payee_fingerprint: current } = JSON.parse(authorization.bindingJson) as TokenBinding
  if (isUnchanged) return current === null || others.some((one) => one.fingerprint === current)
  return last === null || current === last.fingerprint
}
