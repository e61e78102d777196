import type { GbVendorChangeRequest } from "../../../../schemas/gb/vendor-change.ts"
import { formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { gbVendorChangeRules } from "../../../../src/products/gb/vendor-change/rules.ts"
import { challenge, GB_PAYEE, gbChangeBody } from "../../../fixtures/gb.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { GB_SOURCE_FAULTS } from "../../../fixtures/source-faults.ts"

const { id, country, path, price, schemas } = gbVendorChangeRules

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  body: () => gbChangeBody(),
  otherBody: ({ idempotency_key }: GbVendorChangeRequest) => gbChangeBody({ idempotency_key }),
  refused: {
    "a change to the current payee": [
      "NO_CHANGE_PROPOSED",
      () => gbChangeBody({ proposed_payee_fingerprint: GB_PAYEE }),
    ],
    "a challenge that ends within ten minutes": [
      "EVIDENCE_ENDS_TOO_SOON",
      () => gbChangeBody({ challenge: challenge({ valid_until: formatInstant(Date.now() + MINUTE) }) }),
    ],
  },
  sourceFaults: GB_SOURCE_FAULTS,
  contended: {
    "one challenge": {
      bodies: (count) => {
        const shown = challenge()
        return Array.from({ length: count }, () => gbChangeBody({ challenge: shown }))
      },
      afterwards: { reason: "CHALLENGE_REUSED" },
    },
  },
  recovery: null,
}
