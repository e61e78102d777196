import type { GbVendorChangeRequest } from "../../../../schemas/gb/vendor-change.ts"
import { formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { gbVendorChangeRules } from "../../../../src/products/gb/vendor-change/rules.ts"
import { challenge, enterGbPrior, GB_PAYEE, GB_PRIOR, gbChangeBody } from "../../../fixtures/gb.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { GB_SOURCE_FAULTS } from "../../../fixtures/source-faults.ts"

const { id, country, path, price, schemas } = gbVendorChangeRules

const body = (changes: Partial<GbVendorChangeRequest> = {}) =>
  gbChangeBody({ prior_authorization_reference: GB_PRIOR, ...changes })

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  prepare: enterGbPrior,
  body: () => body(),
  otherBody: ({ idempotency_key }: GbVendorChangeRequest) => body({ idempotency_key }),
  refused: {
    "a change to the current payee": ["NO_CHANGE_PROPOSED", () => body({ proposed_payee_fingerprint: GB_PAYEE })],
    "a change of what nobody authorized": [
      "REFERENCE_NOT_USABLE",
      () => body({ prior_authorization_reference: "no authorization" }),
    ],
    "a challenge that ends within ten minutes": [
      "EVIDENCE_ENDS_TOO_SOON",
      () => body({ challenge: challenge({ valid_until: formatInstant(Date.now() + MINUTE) }) }),
    ],
  },
  sourceFaults: GB_SOURCE_FAULTS,
  contended: {
    "one challenge": {
      bodies: (count) => {
        const shown = challenge()
        return Array.from({ length: count }, () => body({ challenge: shown }))
      },
      afterwards: { refusal: "REFERENCE_NOT_USABLE" },
    },
  },
  recovery: null,
}
