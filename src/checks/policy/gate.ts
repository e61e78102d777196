// Gates and their findings. A gate returns codes; the policy data defines the outcome of a code (PASS, HOLD, …).

/** The gates of a US Payment Decision. Each one is one of the six paid operations (Interface, "Products"). */
export const GATES = {
  COMPANY_IDENTITY: "us.company.check.v1",
  RESTRICTED_PARTY: "us.supplier.approve.v1",
  INVOICE_PAYEE: "us.invoice_payee.verify.v1",
  PAYMENT_AUTHORITY: "us.payment.authorize.v1",
  VENDOR_CHANGE: "us.vendor.payment_detail_change.authorize.v1",
  CONTINUATION: "us.vendor.authorization.continue.v1",
} as const

export type GateId = keyof typeof GATES

export const GATE_IDS = Object.keys(GATES) as readonly GateId[]

/** The findings of one gate. `waived` says why the gate had nothing to check; a waived gate has no codes. */
export interface GateFindings {
  readonly codes: readonly string[]
  readonly limitations: readonly string[]
  readonly waived: string | null
}

export interface GateResult<Gate extends string> extends GateFindings {
  readonly gate: Gate
}

export function found(codes: readonly (string | false)[], limitations: readonly (string | false)[] = []): GateFindings {
  return { codes: codes.filter(isSaid), limitations: limitations.filter(isSaid), waived: null }
}

export function waived(reason: string): GateFindings {
  return { codes: [], limitations: [], waived: reason }
}

function isSaid(word: string | false): word is string {
  return word !== false
}
