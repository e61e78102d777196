/** Adapts a business answer to the delivery path. */

import type { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import { ANSWER_FACTS_FORMAT, type AnswerFacts } from "../../../schemas/answer-facts.ts"
import type { AnswerCore, BusinessAnswer } from "../../../schemas/business-answer.ts"
import type { StatedEnvironment } from "../../../schemas/environment.ts"
import type { Machine } from "../../base/machine.ts"
import { mayContinue } from "../../checks/policy/answer.ts"
import { authorizationToken, tokenHash } from "../../core/authorization-token.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { answerCapsulePayload, sealAnswer } from "../../core/capsule/answer-capsule.ts"
import { digestBytes } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { parseAmount } from "../../core/money.ts"
import type { Signer } from "../../core/signer.ts"
import { formatInstant, instant } from "../../core/time.ts"
import type { IfCovered } from "../../delivery/covered-sale.ts"
import type { Computed, FinalBody, PaidProduct, Refused, SettlementFacts, StoredRequest } from "../../delivery/sale.ts"
import type { Unit } from "../../store/engine/unit.ts"
import { keepAnswerRecord } from "../../store/sales/answer-records.ts"
import type { ComputedDelivery } from "../../store/sales/deliveries.ts"
import { joinSupplier } from "../../store/sales/supplier-joins.ts"
import { issueToken } from "../../store/tokens/authorization-tokens.ts"
import type { AnyBusinessAnswerProduct } from "./answer-product.ts"
import { type AnswerRequest, policyInForce } from "./answer-rules.ts"
import { judgeFixedOutcome, requireSellable } from "./fixed-outcome.ts"
import { presentToPayer } from "./present-answer.ts"
import { judgeRequiredSources, requireSources } from "./source-failure.ts"

export interface AnswerDeps {
  readonly machine: Machine
  readonly signer: () => Signer
  readonly baseUrl: () => string
  readonly environment: StatedEnvironment
  /** 32 bytes. A token is the HMAC of its execution id with this key. */
  readonly tokenKey: Uint8Array
}

export function paidAnswer(deps: AnswerDeps, product: AnyBusinessAnswerProduct): PaidProduct {
  const price = parseAmount(product.price)
  if (price === null) throw new TypeError("not a price")
  const requestOf = (stored: StoredRequest) => JSON.parse(stored.requestJson) as AnswerRequest

  async function compute(stored: StoredRequest, reserved: unknown, at: number): Promise<Computed> {
    const request = requestOf(stored)
    const { records, ifCovered } = reserved as ReservedAnswer
    requireSources(product.sources(request, at), at)
    const signer = deps.signer()
    const facts = await product.gather(request, baseFacts(deps, product.id, stored, signer, at), records)
    const core = product.decide(request, facts, policyInForce(product))
    requireSellable(product, request, { core, records, at: instant(facts.at), ifCovered })
    const capsule = sealAnswer(answerCapsulePayload(core, facts, stored.requestDigest), signer)
    const attachment = product.attachment?.({ request, facts, core, signer }) ?? null
    return {
      answerId: facts.execution_id,
      deliveryReference: facts.delivery_id,
      coreJson: canonicalize(core),
      factsJson: canonicalize(facts),
      capsuleJson: canonicalize(capsule),
      capsuleDigest: capsule.capsule_digest,
      keyId: signer.keyId,
      validUntil: core.valid_until,
      computedAt: facts.at,
      attachmentId: attachment?.id ?? null,
      attachmentJson: attachment?.json ?? null,
      snapshotIds: facts.sources.map((source) => source.snapshot_id),
    }
  }

  /** Stores the decision as a record that later answers to the same payer read. From now on its token can be redeemed. */
  function* remember(stored: StoredRequest, computed: ComputedDelivery, { tokenHash }: FinalBody): Unit<void> {
    const request = requestOf(stored)
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
    const terms = product.token?.(request, facts)
    if (!terms || tokenHash === null) return
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
  }

  return {
    id: product.id,
    path: product.path,
    description: product.description,
    priceAtomic: price,
    price: product.price,
    reviewDuty: product.country === "GB" ? "HUMAN_REVIEW_BEFORE_PAYMENT" : "REVIEW_QUOTE_BEFORE_PAYMENT",
    owner: "PAYER",
    recoverPath: null,
    subjectOf: () => null,
    *reserve(stored, at, ifCovered) {
      const request = requestOf(stored)
      const records = yield* product.reserve(
        request,
        { payer: stored.scope, storedRequestId: stored.id },
        at,
        ifCovered,
      )
      if (isRefused(records)) return records
      const refusal = judgeFixedOutcome(product, request, records, at, ifCovered)
      if (refusal) return { refused: refusal.code, detail: refusal.detail, context: refusal.context, error: refusal }
      const delegationsUsed = product.delegationsUsed?.(records) ?? { delegationId: null, mandateDelegationId: null }
      return { records: { records, ifCovered } satisfies ReservedAnswer, delegationsUsed }
    },
    compute,
    finish: (computed, settlement) => {
      const answer = finished(computed, settlement, Number(product.price))
      const body = canonicalize(answer)
      const token = product.token && mayContinue(answer) ? authorizationToken(deps.tokenKey, answer.execution_id) : null
      return {
        body,
        responseDigest: digestBytes(body),
        decision: answer.decision,
        tokenHash: token === null ? null : tokenHash(token),
      }
    },
    judgeSources: async (at) => {
      const sources = product.sources(null, at)
      return {
        sources,
        refusal: judgeRequiredSources(sources, at) ?? (await product.unreachableSource?.(at)) ?? null,
      }
    },
    present: (stored, replayed) => presentToPayer(stored, deps.tokenKey, replayed),
    remember,
  }
}

/** What the reserving transaction passes to the decision. */
interface ReservedAnswer {
  readonly records: object
  readonly ifCovered: IfCovered
}

function isRefused(records: object): records is Refused {
  return "refused" in records
}

function baseFacts(
  { machine, baseUrl, environment }: AnswerDeps,
  product: string,
  stored: StoredRequest,
  signer: Signer,
  at: number,
): AnswerFacts {
  return {
    format: ANSWER_FACTS_FORMAT,
    product,
    at: formatInstant(at),
    request_id: formatId("req", machine.random(ID_RANDOM_BYTES)),
    stored_request_id: stored.id,
    execution_id: formatId("exe", machine.random(ID_RANDOM_BYTES)),
    delivery_id: formatId("dlv", machine.random(ID_RANDOM_BYTES)),
    base_url: baseUrl(),
    issuer: signer.issuer,
    environment,
    payer: stored.scope,
    sources: [],
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
