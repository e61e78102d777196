import type { EarlierDecision, ResolvedReference } from "../../schemas/us/decision-facts.ts"
import { instant } from "../core/time.ts"
import { found, type GateFindings } from "./gate.ts"

/**
 * CHOICE: an ALLOW_WITH_CONDITIONS counts as an authorization too, since its holder may release the payment on it once the
 * conditions are met; otherwise two conditional answers would pay one invoice twice.
 */
export function isAuthorization({ decision }: Pick<EarlierDecision, "decision">): boolean {
  return decision === "ALLOW" || decision === "ALLOW_WITH_CONDITIONS"
}

/** Wallets against listed addresses; the obligation and its document against what this organization was told before. */
export function invoicePayeeGate(input: {
  readonly walletListed: boolean
  readonly supplierKey: string
  readonly obligationKey: string
  readonly documentDigest: string
  readonly earlierDecisions: readonly EarlierDecision[]
  readonly references: readonly ResolvedReference[]
  /** ms. */
  readonly mandateValidFrom: number
  /** ms. */
  readonly at: number
}): GateFindings {
  const authorizations = input.earlierDecisions.filter(isAuthorization)
  const isSameObligation = (earlier: EarlierDecision) =>
    earlier.supplier_key === input.supplierKey && earlier.obligation_key === input.obligationKey
  const sameObligation = authorizations.filter(isSameObligation)
  const expired = sameObligation.filter((earlier) => instant(earlier.valid_until) <= input.at)
  // Rulings 46: naming the earlier answer says it is known; the newer mandate says the organization wants it paid again.
  const isAcknowledged = (earlier: EarlierDecision) =>
    input.mandateValidFrom > instant(earlier.decided_at) &&
    input.references.some((named) => named.kind === "DECISION" && named.reference === earlier.response_digest)
  return found([
    input.walletListed && "WALLET_RESTRICTED",
    sameObligation.length > expired.length && "OBLIGATION_ALREADY_AUTHORIZED",
    !expired.every(isAcknowledged) && "OBLIGATION_AUTHORIZED_BEFORE",
    sameObligation.some((earlier) => earlier.document_digest !== input.documentDigest) && "OBLIGATION_DOCUMENT_CHANGED",
    authorizations.some((earlier) => earlier.document_digest === input.documentDigest && !isSameObligation(earlier)) &&
      "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
  ])
}
