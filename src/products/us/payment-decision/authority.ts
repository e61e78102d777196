/** Whether this organization lets this agent key ask for this payment: buyer, delegation, mandate. */
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { type DelegatedAct, type DelegationJudgement, judgeDelegations } from "../../../checks/us/delegation.ts"
import { mandateFault } from "../../../checks/us/mandate.ts"
import { canonicalBytes } from "../../../core/canonical-json.ts"
import { verifySignature } from "../../../core/ed25519.ts"
import { amountMillionths } from "../../../core/money.ts"
import { instant } from "../../../core/time.ts"
import { ServiceError } from "../../../errors.ts"
import type { Delegation } from "../../../store/buyers/delegations.ts"
import { judgeOrganization } from "../signing-agent.ts"
import { conflictRefusal } from "./holds.ts"
import type { AuthorityRecords, MandateSigner } from "./records.ts"

export interface AuthorityInquiry {
  readonly request: DecisionRequest
  /** Recomputed once per call, or as it was when the request was stored. */
  readonly requestDigest: string
  readonly at: number
  readonly authority: AuthorityRecords | null
}

function known({ authority }: AuthorityInquiry): AuthorityRecords {
  if (!authority) throw new Error("authority was judged before its records were read")
  return authority
}

export function judgeBuyer(inquiry: AuthorityInquiry): ServiceError | null {
  return judgeOrganization(inquiry.request.buyer, known(inquiry).organization, inquiry.at)
}

/** The delegation under which the agent key asks, or why none covers it. */
export function requestDelegation(inquiry: AuthorityInquiry): DelegationJudgement<Delegation> {
  const { delegations } = known(inquiry)
  return judgeDelegations(delegations, actOf(inquiry), "SIGN_REQUEST")
}

/** The same for the key that signed the mandate; null when the organization signed it itself. */
export function mandateDelegation(inquiry: AuthorityInquiry): DelegationJudgement<Delegation> | null {
  const { mandateSigner } = known(inquiry)
  return mandateSigner?.kind === "DELEGATED"
    ? judgeDelegations(mandateSigner.delegations, actOf(inquiry), "SIGN_MANDATE")
    : null
}

function actOf(inquiry: AuthorityInquiry): DelegatedAct {
  const { request, at } = inquiry
  return {
    intent: request.intent,
    amountMillionths: amountMillionths(request.amount),
    currency: request.currency,
    at,
    uses: known(inquiry).uses,
  }
}

export function judgeDelegation(inquiry: AuthorityInquiry): ServiceError | null {
  const { fault } = requestDelegation(inquiry)
  return fault
    ? new ServiceError(fault, "A delegation with SIGN_REQUEST must be current and cover intent, amount and currency.")
    : null
}

export function judgeMandate(inquiry: AuthorityInquiry): ServiceError | null {
  return judgeMandateSignature(inquiry) ?? judgeMandateState(inquiry)
}

/** The crypto half; never inside a unit of work. */
function judgeMandateSignature(inquiry: AuthorityInquiry): ServiceError | null {
  const { payload, signature } = inquiry.request.buyer_mandate
  const { mandateSigner } = known(inquiry)
  const signed =
    mandateSigner !== null && verifySignature(mandateSigner.key.x, canonicalBytes(payload), signature.value)
  return signed
    ? null
    : new ServiceError(
        "MANDATE_SIGNATURE_INVALID",
        "The organization's mandate key, or a key delegated SIGN_MANDATE, signs the canonical payload.",
      )
}

/** Everything about the mandate that can change or be bound wrongly; judged once more in the reserving unit. */
export function judgeMandateState(inquiry: AuthorityInquiry): ServiceError | null {
  const { request, requestDigest, at } = inquiry
  const { mandateSigner, mandateRevoked, conflict } = known(inquiry)
  if (!mandateSigner || !isActive(mandateSigner)) {
    return new ServiceError("MANDATE_SIGNATURE_INVALID", "The key that signed the mandate is not active.")
  }
  const delegated = mandateDelegation(inquiry)
  if (delegated?.fault)
    return new ServiceError(delegated.fault, "The mandate key's delegation does not cover this request.")
  const fault = mandateFault(request.buyer_mandate.payload, request, {
    requestDigest,
    at,
    signerKind: mandateSigner.kind,
    signerAgentId: mandateSigner.kind === "DELEGATED" ? mandateSigner.key.agentId : null,
  })
  if (fault)
    return new ServiceError(fault, "The mandate must name this request, its parties and limits, and be current.")
  if (mandateRevoked) return new ServiceError("MANDATE_REVOKED", "The organization revoked this mandate.")
  return conflict ? conflictRefusal(conflict) : null
}

function isActive(signer: MandateSigner): boolean {
  return signer.kind === "ORGANIZATION"
    ? signer.key.state === "ACTIVE"
    : signer.key.role === "OPERATIONAL" && signer.key.status === "ACTIVE" && signer.key.identityStatus === "ACTIVE"
}

/** When the authority behind a decision ends: mandate, delegations, and the organization's verification. Milliseconds. */
export function authorityEnd(inquiry: AuthorityInquiry): number {
  const { organization } = known(inquiry)
  const delegations = [requestDelegation(inquiry).delegation, mandateDelegation(inquiry)?.delegation ?? null]
  const ends = [
    inquiry.request.buyer_mandate.payload.valid_until,
    ...delegations.flatMap((delegation) => (delegation ? [delegation.validUntil] : [])),
    ...(organization ? [organization.verification.validUntil] : []),
  ]
  return Math.min(...ends.map(instant))
}
