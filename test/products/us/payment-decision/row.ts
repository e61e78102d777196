import {
  DecisionRequest,
  PAYMENT_DECISION_PATH,
  PAYMENT_DECISION_PRICE,
  PAYMENT_DECISION_PRODUCT,
  type DecisionRequest as Request,
} from "../../../../schemas/us/payment-decision.ts"
import { HOUR } from "../../../../src/core/time.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { recoveryOf } from "../../../fixtures/recovery.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import { freshRequest } from "../../../fixtures/test-server.ts"

export const ROW: ProductRow = {
  id: PAYMENT_DECISION_PRODUCT,
  country: "US",
  path: PAYMENT_DECISION_PATH,
  price: PAYMENT_DECISION_PRICE.amount,
  request: DecisionRequest,
  body: () => freshRequest(),
  otherBody: (body: Request) => freshRequest({ request: { idempotency_key: body.idempotency_key } }),
  refused: {
    "a fingerprint of another payee": [
      "DIGEST_MISMATCH",
      () => freshRequest({ request: { payee: { ...freshRequest().payee, value: `0x${"12".repeat(20)}` } } }),
    ],
    "an amount of zero": ["AMOUNT_ZERO", () => freshRequest({ request: { amount: "0.00" } })],
    "a signature of another request": [
      "REQUEST_SIGNATURE_INVALID",
      () => {
        const [mine, other] = [freshRequest(), freshRequest()]
        const { request_signature } = other.requesting_agent
        return { ...mine, requesting_agent: { ...mine.requesting_agent, request_signature } }
      },
    ],
    "an unsupported kind of identifier": [
      "IDENTIFIER_UNSUPPORTED",
      () =>
        freshRequest({ request: { supplier: { entity_id: "s:1", legal_name: "Harbor", identifiers: { duns: "1" } } } }),
    ],
    "a name in Arabic letters": [
      "NAME_SCRIPT_UNSUPPORTED",
      () =>
        freshRequest({
          request: { supplier: { entity_id: "s:1", legal_name: "شركة النور", identifiers: { uei: "ZQGGHJH74DW7" } } },
        }),
    ],
    "a request of an hour ago": ["EVALUATED_AT_OUT_OF_WINDOW", () => freshRequest({ at: Date.now() - HOUR })],
  },
  sourceFaults: US_LIST_FAULTS,
  contended: {
    "one obligation": {
      bodies: (count) => {
        const { invoice } = freshRequest()
        return Array.from({ length: count }, () => freshRequest({ request: { invoice } }))
      },
      afterwards: { refusal: "OBLIGATION_ALREADY_AUTHORIZED" },
    },
  },
  recovery: recoveryOf,
}
