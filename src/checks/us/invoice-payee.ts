import { found, type GateFindings } from "../policy/gate.ts"

/** An earlier answer to the same buyer about an invoice. Keys are normalised; times are milliseconds. */
export interface EarlierInvoice {
  /** About the supplier of this invoice. */
  readonly isSameSupplier: boolean
  readonly obligationKey: string
  readonly documentDigest: string
  /** Its holder could pay until this time. Null for an answer that only checked the invoice. */
  readonly authorizedUntil: number | null
  /** True if the buyer states that it knows this answer and wants to pay the obligation again (rulings 46). */
  readonly isAcknowledged: boolean
}

/** Compares wallets with listed addresses, and the obligation and its document with earlier answers to this buyer. */
export function invoicePayeeGate(input: {
  readonly walletListed: boolean
  readonly obligationKey: string
  readonly documentDigest: string
  readonly earlier: readonly EarlierInvoice[]
  /** Milliseconds. */
  readonly at: number
}): GateFindings {
  const { earlier, documentDigest, at } = input
  const isSameObligation = (one: EarlierInvoice) => one.isSameSupplier && one.obligationKey === input.obligationKey
  const sameObligation = earlier.filter(isSameObligation)
  const authorizations = sameObligation.flatMap(({ authorizedUntil: until, isAcknowledged }) =>
    until === null ? [] : { isCurrent: until > at, isAcknowledged },
  )
  return found([
    input.walletListed && "WALLET_RESTRICTED",
    authorizations.some(({ isCurrent }) => isCurrent) && "OBLIGATION_ALREADY_AUTHORIZED",
    authorizations.some(({ isCurrent, isAcknowledged }) => !isCurrent && !isAcknowledged) &&
      "OBLIGATION_AUTHORIZED_BEFORE",
    sameObligation.some((one) => one.documentDigest !== documentDigest) && "OBLIGATION_DOCUMENT_CHANGED",
    earlier.some((one) => one.documentDigest === documentDigest && !isSameObligation(one)) &&
      "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
  ])
}
