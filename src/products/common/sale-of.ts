/** One request as the sale that the delivery path sells: under which keys it is stored, and which checks it must pass. */
import { canonicalize } from "../../core/canonical-json.ts"
import { digestBytes } from "../../core/digest.ts"
import type { PaidProduct, Sale, SaleRecords } from "../../delivery/sale.ts"
import { readSaleRecords } from "../../delivery/sale-records.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { findAgentKey } from "../../store/identity/agent-identity.ts"
import { findRequestRecord } from "../../store/sales/requests.ts"
import type { AnswerRequest } from "./answer-rules.ts"
import type { AnyCheckInput, AnyRecordsForChecks } from "./check-input.ts"
import type { SaleTexts, SignerOwner } from "./owner.ts"
import { firstRefusal } from "./pre-quote-check.ts"
import type { AnyProductRow } from "./product-row.ts"
import type { QuoteChecks } from "./quote-checks.ts"

/** One request for a product. `at` in milliseconds. */
interface SaleRequest {
  readonly request: AnswerRequest
  readonly at: number
  readonly isPaid: boolean
  /** The payer that the payment header claims, in lower case. Null without one, and if the signer is the owner. */
  readonly payer: string | null
  /** See {@link Sale.rawBodyDigest}. Null also if the body is the arguments of a tool, or comes from a job. */
  readonly rawBodyDigest: string | null
}

/** Throws the first refusal of the entry checks. */
export async function saleOf(
  store: Store,
  { product, paid }: { readonly product: AnyProductRow; readonly paid: PaidProduct },
  checks: QuoteChecks,
  { request, at, isPaid, payer, rawBodyDigest }: SaleRequest,
): Promise<Sale> {
  const { owner } = product
  const entry = await entryInput(store, product, request, at)
  const fault = await firstRefusal(checks.entry, entry)
  if (fault) throw fault
  const { texts } = entry
  const isSigned = owner.kind === "SIGNER"
  const all = isSigned ? keysOfSigner(owner, request, texts) : keysOfPayer(payer, request, texts)
  // A payment replaces no late decision.
  const keys = isPaid ? { ...all, subject: null } : all
  const readSigned = (now: number) => store.read(() => readForSale(product, keys, request, now))
  // The records of a signed request are read only after its key is proved; for a quote in one view with those of its checks.
  const first = isSigned && !isPaid ? await readSigned(at) : null
  const signer = owner.signer?.(request)
  return {
    ...keys,
    product: paid,
    rawBodyDigest,
    requestJson: texts.whole,
    organizationId: signer?.organizationId ?? null,
    agentId: signer?.agentId ?? null,
    keyId: signer?.keyId ?? null,
    records: first?.records ?? (await recordsOfPaidCall(store, product, keys, at)),
    requireChecksPass: async (step, now) => {
      const again = () => (isSigned ? readSigned(now) : readForPayer(store, product, request, now))
      const { recordsForChecks, named } = step === "QUOTE" && first !== null ? first : await again()
      const input = { ...entry, recordsForChecks, named, payer, paid: step !== "QUOTE", at: now }
      const refusal = await firstRefusal(step === "PAYMENT" ? checks.paid : checks.rest, input)
      if (refusal) throw refusal
    },
  }
}

/** What a sale is stored under, and who may buy it. */
type SaleKeys = Pick<
  Sale,
  "scope" | "key" | "requestDigest" | "subject" | "bodyDigest" | "amountMillionths" | "expectedPayer"
>

export function keysOfSigner(owner: SignerOwner<AnswerRequest>, request: AnswerRequest, texts: SaleTexts): SaleKeys {
  return {
    scope: owner.scope(request),
    key: request.idempotency_key,
    requestDigest: texts.requestDigest,
    subject: owner.subject(request),
    bodyDigest: digestBytes(texts.whole),
    amountMillionths: owner.amountMillionths(request),
    expectedPayer: owner.payer(request),
  }
}

function keysOfPayer(payer: string | null, request: AnswerRequest, { requestDigest }: SaleTexts): SaleKeys {
  return {
    scope: payer ?? "",
    key: request.idempotency_key,
    requestDigest,
    subject: null,
    bodyDigest: requestDigest,
    amountMillionths: null,
    expectedPayer: null,
  }
}

/** A complete request as the entry checks see it. */
export async function entryInput(
  store: Store,
  { owner }: AnyProductRow,
  request: AnswerRequest,
  at: number,
): Promise<AnyCheckInput & { readonly texts: SaleTexts }> {
  const input = { request, at, payer: null, paid: false, recordsForChecks: null, named: null }
  if (owner.kind === "PAYER") {
    const whole = canonicalize(request)
    return { ...input, texts: { whole, signing: null, requestDigest: digestBytes(whole) }, agentKey: null }
  }
  const { agentId, keyId } = owner.signer(request)
  const agentKey = await store.read(() => findAgentKey(agentId, keyId))
  return { ...input, texts: owner.texts(request), agentKey }
}

/** Reads what is stored under the keys of a signed request, and the records of its checks, from one view of the database. */
export function* readForSale(
  product: AnyProductRow,
  keys: SaleKeys,
  request: AnswerRequest,
  at: number,
): Unit<AnyRecordsForChecks & { readonly records: SaleRecords }> {
  const records = yield* readSaleRecords(product.id, keys, at)
  const ownRequestId = records.requestRecord?.id ?? null
  const read = product.readForChecks ? yield* product.readForChecks(request, at, ownRequestId) : NO_RECORDS
  return { records, ...read }
}

const NO_RECORDS: AnyRecordsForChecks = { recordsForChecks: undefined, named: null }

/** Reads the records of the checks for a request whose payer is its owner. */
export async function readForPayer(
  store: Store,
  product: AnyProductRow,
  request: AnswerRequest,
  at: number,
): Promise<AnyRecordsForChecks> {
  const unit = product.readForChecks?.bind(product, request, at, null)
  return unit ? store.read(unit) : NO_RECORDS
}

/** Without those of the checks, which a repeated payment does not need. */
async function recordsOfPaidCall(
  store: Store,
  { id, owner }: AnyProductRow,
  keys: SaleKeys,
  at: number,
): Promise<SaleRecords> {
  if (owner.kind === "SIGNER") return store.read(() => readSaleRecords(id, keys, at))
  const { scope, key } = keys
  const requestRecord = scope === "" ? null : await store.read(() => findRequestRecord(id, scope, key))
  return { requestRecord, soldTo: null, late: null }
}
