import type { GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { DAY, formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { gbPaymentRules } from "../../../../src/products/gb/payment/rules.ts"
import {
  binding,
  challenge,
  enterGbPrior,
  GB_NUMBER,
  GB_OTHER_PAYEE,
  GB_PAYEE,
  GB_PRIOR,
  gbPaymentBody,
} from "../../../fixtures/gb.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { GB_SOURCE_FAULTS } from "../../../fixtures/source-faults.ts"

const { id, country, path, price, schemas } = gbPaymentRules

const change = (shown = challenge()) => ({
  current_payee_fingerprint: GB_PAYEE,
  proposed_payee_fingerprint: GB_OTHER_PAYEE,
  prior_authorization_reference: GB_PRIOR,
  challenge: shown,
})

/** Every body contains a change, so that the rules for a challenge apply to this product too. */
function body(changes: Partial<GbPaymentRequest> = {}): GbPaymentRequest {
  const { payee, ...rest } = gbPaymentBody()
  return {
    ...rest,
    payee: { ...payee, payee_fingerprint: GB_OTHER_PAYEE },
    vendor_change: change(),
    ...changes,
  }
}

const paidTo = (payee_fingerprint: string, binding_evidence = binding()) =>
  body({ payee: { company_number: GB_NUMBER, payee_fingerprint, binding_evidence } })

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  prepare: enterGbPrior,
  body: () => body(),
  otherBody: ({ idempotency_key }: GbPaymentRequest) => body({ idempotency_key }),
  refused: {
    "an amount of zero": ["AMOUNT_ZERO", () => body({ amount: "0.0" })],
    "a currency that is not in use": ["CURRENCY_UNKNOWN", () => body({ currency: "ZZZ" })],
    "a change to another payee than the paid one": ["PROPOSED_PAYEE_DIFFERS", () => paidTo(GB_PAYEE)],
    "a binding that ends within ten minutes": [
      "EVIDENCE_ENDS_TOO_SOON",
      () => paidTo(GB_OTHER_PAYEE, binding({ valid_until: formatInstant(Date.now() + MINUTE) })),
    ],
    "an invoice of another company": [
      "REQUEST_CONTRADICTS_ITSELF",
      () => body({ invoice: { company_number: "00000001", invoice_company_name: "Harbour Lantern Joinery Ltd" } }),
    ],
    "a binding of tomorrow": [
      "EVIDENCE_NOT_YET_VALID",
      () => paidTo(GB_OTHER_PAYEE, binding({ verified_at: formatInstant(Date.now() + DAY) })),
    ],
    "a change of what nobody authorized": [
      "REFERENCE_NOT_USABLE",
      () => body({ vendor_change: { ...change(), prior_authorization_reference: "no authorization" } }),
    ],
    "a name in an unsupported script": [
      "NAME_SCRIPT_UNSUPPORTED",
      () => body({ invoice: { company_number: GB_NUMBER, invoice_company_name: "北京港光仪器有限公司" } }),
    ],
    "a name in Arabic letters": [
      "NAME_SCRIPT_UNSUPPORTED",
      () => body({ invoice: { company_number: GB_NUMBER, invoice_company_name: "شركة النور" } }),
    ],
  },
  sourceFaults: GB_SOURCE_FAULTS,
  contended: {
    "one challenge": {
      bodies: (count) => {
        const shown = challenge()
        return Array.from({ length: count }, () => body({ vendor_change: change(shown) }))
      },
      afterwards: { refusal: "REFERENCE_NOT_USABLE" },
    },
  },
  recovery: null,
}
