/**
 * Refuses a request whose outcome is already fixed, by its own members or by a record that it names (rulings 90). The checks before a quote,
 * the transaction that reserves the payment, and the guard after the decision share this file. After money has moved, nothing here refuses.
 */
import type { AnswerCore } from "../../../schemas/business-answer.ts"
import { type FieldError, type RefusalContext, ServiceError } from "../../base/errors.ts"
import { codesOf, type Finding, isNeverSold, type Origin, originsOf } from "../../checks/policy/origins.ts"
import type { IfCovered } from "../../delivery/covered-sale.ts"
import type { AnswerCheck, AnyBusinessAnswerProduct, FixedOutcome } from "./answer-product.ts"
import { type AnswerRequest, type BusinessAnswerShape, policyInForce } from "./answer-rules.ts"
import { NOT_EVALUATED } from "./pre-quote-check.ts"
import { checkEndsLater } from "./request-faults.ts"
import { type EvidenceCode, evidenceEnded, type SourceFailure } from "./source-failure.ts"

type AnyFixedOutcome = FixedOutcome<BusinessAnswerShape>
type AnyAnswerCheck = AnswerCheck<BusinessAnswerShape>
type FixedProduct = AnyBusinessAnswerProduct & { readonly fixedOutcome: AnyFixedOutcome }

function hasFixedOutcome(product: AnyBusinessAnswerProduct): product is FixedProduct {
  return product.fixedOutcome !== undefined
}

/** Returns the checks of a product before a quote. */
export function fixedOutcomeChecks(product: AnyBusinessAnswerProduct): AnyAnswerCheck[] {
  if (!hasFixedOutcome(product)) return []
  const { fixedOutcome: fixed } = product
  const { needs } = fixed
  const consistency: AnyAnswerCheck = {
    id: "CONSISTENCY",
    needs,
    inReserve: true,
    judge: ({ request, at }) => bodyRefusal(fixed, fixed.findings(request, null, at)),
  }
  const evidenceEnd: AnyAnswerCheck = {
    id: "EVIDENCE_END",
    needs,
    inReserve: true,
    judge: ({ request, at }) =>
      evidenceFailure(product, request, fixed.findings(request, null, at), at) ?? endsTooSoon(fixed, request, at),
  }
  const ownRecords: AnyAnswerCheck = {
    id: "OWN_RECORDS",
    needs,
    inReserve: true,
    private: fixed.isPrivate === true,
    // Only the payer's records pass this check, and before the payment the payer is unknown.
    judge: ({ request, named, at }) => {
      const found = named === null ? [] : fixed.findings(request, named, at)
      return recordRefusal(fixed, found, "NAME") ?? NOT_EVALUATED
    },
  }
  const has = (origin: Origin) => policyInForce(product).reasons.some((row) => originsOf(row).includes(origin))
  return [
    ...(has("BODY") ? [consistency] : []),
    ...(has("EVIDENCE_ENDED") ? [evidenceEnd] : []),
    ...(fixed.named ? [ownRecords] : []),
  ]
}

/** A request, and the records that the reserving transaction read. `at` in milliseconds. */
interface ReservedRequest {
  readonly request: AnswerRequest
  readonly records: object
  readonly at: number
  readonly ifCovered: IfCovered
}

/** The refusal of a request in the transaction that reserves its payment, or after its decision. */
export function judgeFixedOutcome(
  product: AnyBusinessAnswerProduct,
  { request, records, at, ifCovered }: ReservedRequest,
): ServiceError | null {
  if (ifCovered === "DECIDE" || !hasFixedOutcome(product)) return null
  const { fixedOutcome: fixed } = product
  const found = fixed.findings(request, records, at)
  return (
    bodyRefusal(fixed, found) ??
    evidenceFailure(product, request, found, at) ??
    recordRefusal(fixed, found, ifCovered) ??
    endsTooSoon(fixed, request, at)
  )
}

interface DecidedRequest extends ReservedRequest {
  readonly core: Pick<AnswerCore, "reason_codes">
}

/** Returns the refusal of a decision with a reason that is never sold. */
export function judgeSellable(product: AnyBusinessAnswerProduct, decided: DecidedRequest): ServiceError | null {
  const { core, ifCovered } = decided
  if (ifCovered === "DECIDE" || !core.reason_codes.some(isNeverSold)) return null
  const refusal = judgeFixedOutcome(product, decided)
  if (refusal === null) throw new Error(`${product.id} was decided for ${core.reason_codes}, and no check refuses it`)
  return refusal
}

const ofOrigin = (found: readonly Finding[], origin: Origin) => found.filter((one) => one.origin === origin)

/** Codes of evidence that is dated after the decision. */
const FUTURE: ReadonlySet<string> = new Set(["PAYEE_BINDING_NOT_YET_VALID", "CHALLENGE_NOT_FRESH"])

function bodyRefusal(fixed: AnyFixedOutcome, found: readonly Finding[]): ServiceError | null {
  const body = ofOrigin(found, "BODY")
  const future = body.filter(({ code }) => FUTURE.has(code))
  const others = body.filter((one) => !future.includes(one))
  if (others.length > 0) {
    const detail = "Members that must be equal differ, so no answer could allow the payment."
    return new ServiceError(
      "REQUEST_CONTRADICTS_ITSELF",
      detail,
      namedFaults(fixed, others, "the value of the request's other members"),
    )
  }
  if (future.length === 0) return null
  const detail = "The evidence is dated after now."
  return new ServiceError(
    "EVIDENCE_NOT_YET_VALID",
    detail,
    namedFaults(fixed, future, "date-time that is not after now", "/verified_at"),
  )
}

/** The caller's evidence is a required source, and a source that has ended is stale. */
function evidenceFailure(
  product: FixedProduct,
  request: AnswerRequest,
  found: readonly Finding[],
  at: number,
): SourceFailure | null {
  const ended = ofOrigin(found, "EVIDENCE_ENDED")
  if (ended.length === 0) return null
  const failed = ended.map(({ code }) => ({ code: code as EvidenceCode, pointer: product.fixedOutcome.pointer(code) }))
  return evidenceEnded(product.sources(request, at), failed)
}

/** `REFUSE`: the caller may have copied the payment, so nothing of its payer's records is named. */
function recordRefusal(fixed: AnyFixedOutcome, found: readonly Finding[], ifCovered: IfCovered): ServiceError | null {
  const own = ofOrigin(found, "OWN_RECORDS")
  if (own.length === 0) return null
  const named = ifCovered === "NAME" ? own : []
  const detail = "A reference of the request names nothing on which this payment could rely."
  return new ServiceError(
    "REFERENCE_NOT_USABLE",
    detail,
    namedFaults(fixed, named, "reference to a record that is current, unused and about this request"),
  )
}

function namedFaults(fixed: AnyFixedOutcome, found: readonly Finding[], expected: string, member = ""): RefusalContext {
  const errors = found.map(({ code }): FieldError => ({ pointer: fixed.pointer(code) + member, code, expected }))
  return { errors, reasonCodes: codesOf(found) }
}

function endsTooSoon(fixed: AnyFixedOutcome, request: AnswerRequest, at: number): ServiceError | null {
  for (const { attested, pointer } of fixed.evidence(request)) {
    const refusal = checkEndsLater(attested, pointer, at)
    if (refusal) return refusal
  }
  return null
}
