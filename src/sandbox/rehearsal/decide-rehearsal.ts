/**
 * Decides one completed request of any product: the schema and the checks of its route, then the gates over the operator's lists, on an
 * empty database. Where the route would quote and settle, a rehearsal goes on without either.
 */
import type { TSchema } from "@sinclair/typebox"
import type { Operation } from "../../../schemas/operation.ts"
import { releasePaymentDecision } from "../../../schemas/us/operations.ts"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import type { AnswerSlice } from "../../business-answers/answer-route.ts"
import type { AnswerRequest } from "../../business-answers/answer-rules.ts"
import { firstRefusal } from "../../business-answers/pre-quote-check.ts"
import { checkInputOf, quoteChecks } from "../../business-answers/quote-checks.ts"
import { SourceFailure } from "../../business-answers/source-failure.ts"
import { unchargedReply } from "../../business-answers/uncharged-reply.ts"
import { answerSlices } from "../../catalogue/answer-products.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { formatInstant } from "../../core/time.ts"
import { type Computed, newRequest, type PaidProduct, type Sale, type StoredRequest } from "../../delivery/sale.ts"
import { ServiceError } from "../../errors.ts"
import { bankDataGuard } from "../../http/bank-data-guard.ts"
import { compile, requireSchema } from "../../http/read-body.ts"
import { USDC_BASE } from "../../payments/usdc.ts"
import { paymentDecision } from "../../products/us/payment-decision/product.ts"
import { saleOf } from "../../products/us/payment-decision/sell.ts"
import { screenWallet } from "../../sources/screening/screen.ts"
import { claimRequest, findRequest } from "../../store/sales/requests.ts"
import type { Unit } from "../../store/unit.ts"
import type { RehearsalLists } from "./rehearsal-lists.ts"
import type { RehearsalWorld } from "./rehearsal-world.ts"

/** A decision, or the answer that decides nothing because a source failed. */
export type Rehearsed =
  | { readonly kind: "DECIDED"; readonly answer: object; readonly capsule: object; readonly facts: object }
  | { readonly kind: "UNDECIDED"; readonly answer: object }

export interface RehearsalRun {
  readonly operation: Operation<TSchema>
  run(): Promise<Rehearsed>
}

const ENVIRONMENT = "sandbox"

/** Throws ServiceError where the product's route would refuse. */
export function rehearsalOf(
  world: RehearsalWorld,
  lists: RehearsalLists,
  productId: string,
  request: object,
): RehearsalRun {
  const { machine, store, signer, baseUrl } = world
  const us = { sources: lists.us, registers: lists.registers, suppressions: lists.suppressions, fetching: false }
  if (productId === releasePaymentDecision.product?.id) {
    const deps = { machine, ...us, environment: ENVIRONMENT, signer, baseUrl } as const
    const product = paymentDecision(deps)
    return {
      operation: releasePaymentDecision,
      run: () => decidePayment(world, lists, product, request as DecisionRequest),
    }
  }
  const slice = answerSlices({
    machine,
    store,
    signer,
    baseUrl,
    environment: ENVIRONMENT,
    tokenKey: new Uint8Array(32),
    us,
    gb: {
      machine,
      list: lists.gb,
      live: null,
      registers: lists.registers,
      suppressions: lists.suppressions,
      fetching: false,
    },
  }).find(({ product }) => product.id === productId)
  if (!slice) throw new Error(`no product ${productId} is sold`)
  return { operation: slice.operation, run: () => decideAnswer(world, lists, slice, request as AnswerRequest) }
}

async function decidePayment(
  world: RehearsalWorld,
  lists: RehearsalLists,
  product: PaidProduct,
  request: DecisionRequest,
): Promise<Rehearsed> {
  requireBody(releasePaymentDecision, request)
  const { store, machine, baseUrl } = world
  const at = machine.now()
  const sale = await saleOf({ store, sources: lists.us, registers: lists.registers, product, baseUrl }, request, at)
  await sale.requireChecksPass("QUOTE", at)
  return decided(world, product, sale)
}

async function decideAnswer(
  world: RehearsalWorld,
  lists: RehearsalLists,
  { operation, product, paid }: AnswerSlice,
  request: AnswerRequest,
): Promise<Rehearsed> {
  requireBody(operation, request)
  const { machine, payer } = world
  const at = machine.now()
  const checks = quoteChecks(product, (address) => screenWallet(lists.us.index(), address) !== null)
  try {
    const entry = { request, payer: null, paid: false, at, recordsForChecks: null }
    const fault = await firstRefusal(checks.validations, entry)
    const refusal = fault ?? (await firstRefusal(checks.rest, await checkInputOf(product, { ...entry, payer })))
    if (refusal) throw refusal
    const requestJson = canonicalize(request)
    const digest = digestBytes(requestJson)
    const signer = product.signer?.(request)
    return await decided(world, paid, {
      product: paid,
      scope: payer,
      key: request.idempotency_key,
      requestDigest: digest,
      bodyDigest: digest,
      rawBodyDigest: null,
      requestJson,
      organizationId: signer?.organizationId ?? null,
      agentId: signer?.agentId ?? null,
      keyId: signer?.keyId ?? null,
      amountMillionths: null,
    })
  } catch (error) {
    if (!(error instanceof SourceFailure)) throw error
    const reply = unchargedReply({ machine, network: USDC_BASE.network }, product, request, error, at)
    return { kind: "UNDECIDED", answer: reply.body as object }
  }
}

type NewSale = Omit<Sale, "subject" | "expectedPayer" | "records" | "requireChecksPass">

/** Reserves as a paid call would, and computes the answer. Nothing is settled, so nothing is delivered or remembered. */
async function decided({ store, machine }: RehearsalWorld, product: PaidProduct, sale: NewSale): Promise<Rehearsed> {
  const at = machine.now()
  const id = formatId("drq", machine.random(ID_RANDOM_BYTES))
  const row = newRequest(sale as Sale, id, formatInstant(at))
  const reserved = await store.run(function* (): Unit<{ request: StoredRequest; records: unknown } | ServiceError> {
    yield* claimRequest(row)
    const request = yield* findRequest(id)
    if (!request) throw new Error("a claimed request is missing")
    const outcome = yield* product.reserve(request, at, "NAME")
    return "refused" in outcome
      ? new ServiceError(outcome.refused, outcome.detail, outcome.context)
      : { request, records: outcome.records }
  })
  if (reserved instanceof ServiceError) throw reserved
  return answerOf(await product.compute(reserved.request, reserved.records, at))
}

function answerOf({ coreJson, capsuleJson, factsJson }: Computed): Rehearsed {
  const [answer, capsule, facts] = [coreJson, capsuleJson, factsJson].map((json) => JSON.parse(json) as object)
  if (!answer || !capsule || !facts) throw new Error("a computed answer lacks a part")
  return { kind: "DECIDED", answer, capsule, facts }
}

function requireBody(operation: Operation<TSchema>, request: object): void {
  requireSchema(compile(operation.body), request)
  bankDataGuard(operation)?.(request)
}
