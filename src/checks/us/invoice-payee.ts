import { found, type GateFindings } from "../policy/gate.ts"

/** An earlier answer to the same buyer about an invoice. Keys are normalised, times in milliseconds. */
export interface EarlierInvoice {
  readonly supplierKey: string
  readonly obligationKey: string
  readonly documentDigest: string
  /** Until when its holder could pay on it; null of an answer that only looked at the invoice. */
  readonly authorizedUntil: number | null
  /** Whether the buyer says that it knows of it and wants the obligation paid again (rulings 46). */
  readonly isAcknowledged: boolean
}

/** Wallets against listed addresses; the obligation and its document against what this buyer was told before. */
export function invoicePayeeGate(input: {
  readonly walletListed: boolean
  readonly supplierKey: string
  readonly obligationKey: string
  readonly documentDigest: string
  readonly earlier: readonly EarlierInvoice[]
  /** ms. */
  readonly at: number
}): GateFindings {
  const { earlier, documentDigest, at } = input
  const isSameObligation = (one: EarlierInvoice) =>
    one.supplierKey === input.supplierKey && one.obligationKey === input.obligationKey
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
