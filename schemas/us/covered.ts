/** The coverage of the US routes, as constants in their bodies. For any other text, the reply names what is supported instead. */
import { Type } from "@sinclair/typebox"
import { COVERED, type Covered } from "../hints.ts"

const jurisdiction: Covered = {
  code: "COVERAGE_UNSUPPORTED",
  detail:
    "Supported here: jurisdiction US with coverage FEDERAL_ONLY. For a company of the UK register call POST /v1/gb/payments/authorize or POST /v1/gb/vendors/authorize-payment-detail-change. No other jurisdiction is covered; nothing was charged.",
}
const coverage: Covered = {
  code: "COVERAGE_UNSUPPORTED",
  detail:
    "Supported: coverage FEDERAL_ONLY, which is federal lists and registers. State registers are not covered: ask the state's own register; nothing was charged.",
}
const intent: Covered = {
  code: "INTENT_UNSUPPORTED",
  detail:
    "Supported: intent RELEASE_PAYMENT_TO_SUPPLIER. To check a company call POST /v1/us/company-check, to approve a supplier POST /v1/us/suppliers/approve, to change where a vendor is paid POST /v1/us/vendors/payment-details/authorize-change; nothing was charged.",
}

export const Jurisdiction = Type.Literal("US", { [COVERED]: jurisdiction })
export const Coverage = Type.Literal("FEDERAL_ONLY", { [COVERED]: coverage })
export const PAYMENT_INTENT = "RELEASE_PAYMENT_TO_SUPPLIER"
export const Intent = Type.Literal(PAYMENT_INTENT, { [COVERED]: intent })
