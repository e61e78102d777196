import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import type { AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import { mayContinue } from "../../checks/policy/answer.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { FinalBody, SoldTo, StoredRequest } from "../../delivery/sale.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { keepAnswerRecord } from "../../store/sales/answer-records.ts"
import type { ComputedDelivery } from "../../store/sales/deliveries.ts"
import { joinSupplier } from "../../store/sales/supplier-joins.ts"
import { issueToken } from "../../store/tokens/authorization-tokens.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import type { AnswerRequest } from "./answer-rules.ts"

/** Stores the decision as a record that later answers to the same payer read. From now on its token can be redeemed. */
export function* rememberAnswer(
  product: AnyBusinessAnswerProduct,
  stored: StoredRequest,
  computed: ComputedDelivery,
  { tokenHash }: FinalBody,
): Unit<SoldTo> {
  const request = JSON.parse(stored.requestJson) as AnswerRequest
  const facts = JSON.parse(computed.factsJson) as AnswerFacts
  const core = JSON.parse(computed.coreJson) as AnswerCore
  const { payload } = JSON.parse(computed.capsuleJson) as AnswerCapsule
  const subject = product.record(request, facts, core)
  const supplier = mayContinue(core) ? (product.supplier?.(request, facts) ?? null) : null
  const delivered = supplier && {
    ...supplier,
    requestId: stored.id,
    destination: subject.destinationFingerprint ?? "",
    decidedAt: facts.at,
    isVerified: false,
  }
  const { organizationId, keyId } = stored
  yield* keepAnswerRecord({
    requestId: stored.id,
    product: product.id,
    owner: stored.scope,
    organizationId,
    keyId,
    executionId: facts.execution_id,
    coreDigest: payload.core_digest,
    ...subject,
    supplierId: delivered && (yield* joinSupplier({ ...delivered, ownerId: stored.scope, keyId: null })),
    organizationSupplierId:
      delivered && organizationId !== null
        ? yield* joinSupplier({ ...delivered, ownerId: organizationId, keyId })
        : null,
    decision: core.decision,
    decidedAt: facts.at,
    validUntil: core.valid_until,
  })
  const soldTo = { payer: stored.scope, party: product.about(request, facts) }
  const terms = product.token?.(request, facts)
  if (!terms || tokenHash === null) return soldTo
  yield* issueToken({
    tokenHash,
    requestId: stored.id,
    executionId: facts.execution_id,
    product: product.id,
    country: product.country,
    kind: terms.kind,
    bindingJson: canonicalize(terms.binding),
    wallet: stored.scope,
    evidenceReference: payload.core_digest,
    issuedAt: facts.at,
    expiresAt: core.valid_until,
  })
  return soldTo
}
