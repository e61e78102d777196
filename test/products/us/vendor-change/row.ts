import type { VendorChangeRequest } from "../../../../schemas/us/vendor-change.ts"
import { formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { vendorChangeRules } from "../../../../src/products/us/vendor-change/rules.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import { usRefused } from "../../../fixtures/us-refused.ts"
import { CURRENT_PAYEE, enterChangeKey, PROPOSED, vendorChangeBody } from "../../../fixtures/vendor-change.ts"

const { id, country, path, price, schemas } = vendorChangeRules

const challenged = (changes: Partial<VendorChangeRequest["challenge"]>) => {
  const { challenge } = vendorChangeBody()
  return vendorChangeBody({ challenge: { ...challenge, ...changes } })
}

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  prepare: (server) => enterChangeKey(server),
  body: () => vendorChangeBody(),
  otherBody: ({ idempotency_key }: VendorChangeRequest) => vendorChangeBody({ idempotency_key }),
  refused: {
    ...usRefused((changes) => vendorChangeBody(changes)),
    "a change to the current payee": [
      "NO_CHANGE_PROPOSED",
      () =>
        vendorChangeBody({
          current_payee_fingerprint: PROPOSED.fingerprint,
          prior_authorization_reference: "exe_AAAAAAAAAAAAAAAAAAAAAA",
        }),
    ],
    "a change signed for another service": [
      "SCHEMA_INVALID",
      () => vendorChangeBody({ audience: "https://other.example" }),
    ],
    "a signature of another change": [
      "REQUEST_SIGNATURE_INVALID",
      () => ({ ...vendorChangeBody(), requesting_agent: vendorChangeBody().requesting_agent }),
    ],
    "a change of what nobody authorized": [
      "REFERENCE_NOT_USABLE",
      () =>
        vendorChangeBody({
          current_payee_fingerprint: CURRENT_PAYEE,
          prior_authorization_reference: "no authorization",
        }),
    ],
    "a challenge that ends within ten minutes": [
      "EVIDENCE_ENDS_TOO_SOON",
      () => challenged({ valid_until: formatInstant(Date.now() + MINUTE) }),
    ],
  },
  sourceFaults: US_LIST_FAULTS,
  contended: {
    "one challenge": {
      bodies: (count) => {
        const { challenge } = vendorChangeBody()
        return Array.from({ length: count }, () => vendorChangeBody({ challenge }))
      },
      afterwards: { refusal: "REFERENCE_NOT_USABLE" },
    },
  },
  recovery: null,
}
