/** Checks that this organization lets this agent key request this payment: buyer, delegation, mandate. */
import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../../base/errors.ts"
import { type DelegatedAct, type DelegationJudgement, judgeDelegations } from "../../../checks/us/delegation.ts"
import { mandateFault } from "../../../checks/us/mandate.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { endsTooSoon } from "../../../core/capsule/validity.ts"
import type { ValidSignatures } from "../../../core/crypto/valid-signatures.ts"
import { amountMillionths } from "../../../core/money.ts"
import { formatInstant, instant } from "../../../core/time.ts"
import type { Delegation } from "../../../store/buyers/delegations.ts"
import { judgeOrganization } from "../signing-agent.ts"
import { conflictRefusal } from "./holds.ts"
import type { AuthorityRecords, MandateSigner } from "./records.ts"

export interface AuthorityInquiry {
  readonly request: DecisionRequest
  /** Computed once per call, or taken from the stored request. */
  readonly requestDigest: string
  readonly at: number
  readonly authority: AuthorityRecords
}

export function judgeBuyer(inquiry: AuthorityInquiry): ServiceError | null {
  return judgeOrganization(inquiry.request.buyer, inquiry.authority.organization, inquiry.at)
}

/** Returns the delegation of the requesting agent key, or the reason why none covers the request. */
export function requestDelegation(inquiry: AuthorityInquiry): DelegationJudgement<Delegation> {
  const { delegations } = inquiry.authority
  return judgeDelegations(delegations, actOf(inquiry), "SIGN_REQUEST")
}

/** The same for the key that signed the mandate. Null if the organization signed it itself. */
export function mandateDelegation(inquiry: AuthorityInquiry): DelegationJudgement<Delegation> | null {
  const { mandateSigner } = inquiry.authority
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
    uses: inquiry.authority.uses,
  }
}

export function judgeDelegation(inquiry: AuthorityInquiry): ServiceError | null {
  const { fault } = requestDelegation(inquiry)
  return fault
    ? new ServiceError(fault, "A delegation with SIGN_REQUEST must be current and cover intent, amount and currency.")
    : null
}

export async function judgeMandate(
  inquiry: AuthorityInquiry,
  signatures: ValidSignatures,
): Promise<ServiceError | null> {
  return (await isMandateSigned(inquiry, signatures))
    ? judgeMandateState(inquiry)
    : new ServiceError(
        "MANDATE_SIGNATURE_INVALID",
        "The organization's mandate key, or a key delegated SIGN_MANDATE, signs the canonical payload.",
      )
}

/** The cryptographic part. It never runs inside a transaction. */
async function isMandateSigned(
  { request, authority }: AuthorityInquiry,
  signatures: ValidSignatures,
): Promise<boolean> {
  const { payload, signature } = request.buyer_mandate
  const key = authority.mandateSigner?.key
  return key !== undefined && signatures.isValid(key, canonicalize(payload), signature.value)
}

/** The parts of the mandate that can change or be bound wrongly. The reserving transaction checks them again. */
export function judgeMandateState(inquiry: AuthorityInquiry): ServiceError | null {
  const { request, requestDigest, at } = inquiry
  const { mandateSigner, mandateRevoked, conflict } = inquiry.authority
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

/**
 * Returns the end of the authority behind a decision in milliseconds: the earliest end of the mandate, the delegations and the
 * organization's verification.
 */
export function authorityEnd(inquiry: AuthorityInquiry): number {
  const { organization } = inquiry.authority
  const delegations = [requestDelegation(inquiry).delegation, mandateDelegation(inquiry)?.delegation ?? null]
  const ends = [
    inquiry.request.buyer_mandate.payload.valid_until,
    ...delegations.flatMap((delegation) => (delegation ? [delegation.validUntil] : [])),
    ...(organization ? [organization.verification.validUntil] : []),
  ]
  return Math.min(...ends.map(instant))
}

/** Returns 422 if mandate, delegation or verification ends within ten minutes. */
export function judgeAuthorityEnd(inquiry: AuthorityInquiry): ServiceError | null {
  const end = authorityEnd(inquiry)
  if (!endsTooSoon(end, inquiry.at)) return null
  return new ServiceError("VALIDITY_TOO_SHORT", `The authority behind this request ends at ${formatInstant(end)}.`)
}
