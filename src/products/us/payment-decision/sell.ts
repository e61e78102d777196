/** Handles the request for a decision: runs the entry checks, then the delivery path with the other checks. */

import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { type RequestTexts, requestTexts } from "../../../checks/policy/digests.ts"
import { digestBytes } from "../../../core/digest.ts"
import { amountMillionths } from "../../../core/money.ts"
import type { PaidProduct, Sale, SaleRecords } from "../../../delivery/sale.ts"
import { readSaleRecords } from "../../../delivery/sale-records.ts"
import type { SourceBoard } from "../../../sources/boards/source-board.ts"
import type { Store, Unit } from "../../../store/engine/unit.ts"
import type { Registers } from "../registration.ts"
import { readAgentKey } from "../signing-agent.ts"
import { judgeValidity } from "../source-checks.ts"
import { authorityEnd } from "./authority.ts"
import { obligationOf } from "./holds.ts"
import type { Inquiry, JudgedRecords } from "./inquiry.ts"
import {
  AUTHORITY_CHECKS,
  ENTRY_CHECKS,
  EVALUATION_TIME,
  PAYMENT_CHECKS,
  readForChecks,
  requireAll,
} from "./pre-quote-checks.ts"
import { scopeOf } from "./records.ts"

export interface SellDeps {
  readonly store: Store
  readonly sources: SourceBoard
  readonly registers: Registers
  readonly product: PaidProduct
  readonly baseUrl: () => string
}

/** Throws the first rejection of the entry checks: amount, digests, agent key, request signature. */
export async function saleOf(deps: SellDeps, request: DecisionRequest, at: number): Promise<Sale> {
  const agentKey = await deps.store.read(() => readAgentKey(request))
  const texts = requestTexts(request)
  const entry: Inquiry = {
    request,
    requestDigest: texts.requestDigest,
    texts,
    at,
    agentKey,
    authority: null,
    supplier: null,
    earlier: null,
    baseUrl: deps.baseUrl(),
    sources: deps.sources,
    registers: deps.registers,
  }
  requireAll(ENTRY_CHECKS, entry)

  const { agent_id: agentId, key_id: keyId } = request.requesting_agent
  const records = saleKeys(request, texts)
  // Read only after the agent key is proved, because the use of a limited delegation is a sum over all its payments.
  const first = await deps.store.read(() => readForQuote(deps.product.id, records, request, at))
  return {
    ...records,
    product: deps.product,
    bodyDigest: digestBytes(texts.whole),
    rawBodyDigest: null,
    requestJson: texts.whole,
    organizationId: request.buyer.organization_id,
    agentId,
    keyId,
    amountMillionths: amountMillionths(request.amount),
    expectedPayer: request.decision_fee_payer,
    records: first.records,
    requireChecksPass: async (step, now) => {
      const { judged } =
        step === "QUOTE" ? first : await deps.store.read(() => readForQuote(deps.product.id, records, request, now))
      const inquiry: Inquiry = { ...entry, ...judged, at: now }
      if (step === "QUOTE") requireAll([EVALUATION_TIME], inquiry)
      requireAll(step === "PAYMENT" ? PAYMENT_CHECKS : AUTHORITY_CHECKS, inquiry)
      const tooShort = judgeValidity(authorityEnd(inquiry), now)
      if (tooShort) throw tooShort
    },
  }
}

/** The keys under which a sale of the request is stored. */
export function saleKeys(request: DecisionRequest, { requestDigest }: Pick<RequestTexts, "requestDigest">) {
  return {
    scope: scopeOf(request),
    key: request.idempotency_key,
    requestDigest,
    subject: obligationOf(request),
  }
}

/** Reads the record under the request's idempotency key and the records that its checks use, from one database snapshot. */
export function* readForQuote(
  productId: string,
  ownRecords: Pick<Sale, "scope" | "key" | "requestDigest" | "subject">,
  request: DecisionRequest,
  at: number,
): Unit<{ records: SaleRecords; judged: JudgedRecords }> {
  const records = yield* readSaleRecords(productId, ownRecords, at)
  return { records, judged: yield* readForChecks(request, at, records.requestRecord?.id ?? null) }
}
