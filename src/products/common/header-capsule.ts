/** The capsule of a business answer travels in a header beside the answer (rulings 16). It is sealed before the settlement. */
import type { AnswerCore, BusinessAnswer } from "../../../schemas/business-answer.ts"
import { mayContinue } from "../../checks/policy/answer.ts"
import { authorizationToken, tokenHash } from "../../core/authorization-token.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { answerCapsulePayload } from "../../core/capsule/answer-capsule.ts"
import { sealCapsule } from "../../core/capsule/seal-capsule.ts"
import { digestBytes } from "../../core/digest.ts"
import type { SettlementFacts } from "../../delivery/sale.ts"
import type { ComputedDelivery } from "../../store/sales/deliveries.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import type { AnyBusinessAnswer } from "./answer-rules.ts"
import { presentToPayer } from "./present-answer.ts"
import type { CapsuleForm } from "./product-row.ts"

/** `tokenKey`: 32 bytes. */
export function headerCapsule(product: AnyBusinessAnswerProduct, tokenKey: Uint8Array): CapsuleForm<AnyBusinessAnswer> {
  return {
    seal: ({ core, facts, requestDigest }, signer) =>
      sealCapsule(answerCapsulePayload(core, facts, requestDigest), signer),
    idsOf: (facts) => ({ answerId: facts.execution_id, deliveryReference: facts.delivery_id }),
    finish: (computed, settlement) => {
      const answer = finished(computed, settlement, Number(product.price))
      const body = canonicalize(answer)
      const token = product.token && mayContinue(answer) ? authorizationToken(tokenKey, answer.execution_id) : null
      return {
        body,
        responseDigest: digestBytes(body),
        decision: answer.decision,
        tokenHash: token === null ? null : tokenHash(token),
      }
    },
    present: (stored, replayed) => presentToPayer(stored, tokenKey, replayed),
  }
}

/** The stored body has no token. The token is added when the answer is sent to the payer. */
function finished(computed: ComputedDelivery, settlement: SettlementFacts, priceUsd: number): BusinessAnswer {
  const core = JSON.parse(computed.coreJson) as AnswerCore
  return {
    ...core,
    economic_activity: { charged: true, quote_created: true, settlement_created: true },
    payment: {
      protocol: "x402",
      payment_status: "SETTLED",
      charged_price_usd: priceUsd,
      network: settlement.network,
      asset: "USDC",
      persistence_status: "PERSISTED",
    },
  }
}
