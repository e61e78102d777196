import type { PayeeVerificationRequest } from "../../../../schemas/us/payee-verification.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { DAY, formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { payeeVerificationRules } from "../../../../src/products/us/payee-verification/rules.ts"
import { freshKey } from "../../../fixtures/answers.ts"
import { destination } from "../../../fixtures/decision.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import { bindingEvidence } from "../../../fixtures/us-invoice.ts"
import { usRefused } from "../../../fixtures/us-refused.ts"
import { verificationBody } from "./reasons.ts"

const { id, country, path, price, schemas } = payeeVerificationRules

function body(changes: Partial<PayeeVerificationRequest> = {}): PayeeVerificationRequest {
  const obligation_id = freshKey()
  return verificationBody(Date.now(), {
    invoice: { obligation_id, document_digest: digestOf(obligation_id) },
    ...changes,
  })
}

const foreign = { ...destination(), fingerprint: digestOf("another destination") }
const stated = (changes: Parameters<typeof bindingEvidence>[1]) =>
  body({ binding_evidence: bindingEvidence(Date.now(), changes) })

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  body: () => body(),
  otherBody: (one: PayeeVerificationRequest) => ({ ...one, invoice: body().invoice }),
  refused: {
    ...usRefused(body),
    "a payee's fingerprint that does not recompute": ["DIGEST_MISMATCH", () => body({ payee: foreign })],
    "a destination's fingerprint that does not recompute": [
      "DIGEST_MISMATCH",
      () => body({ payment_destination: foreign }),
    ],
    "evidence of tomorrow": ["EVIDENCE_NOT_YET_VALID", () => stated({ verified_at: formatInstant(Date.now() + DAY) })],
    "evidence that ends within ten minutes": [
      "EVIDENCE_ENDS_TOO_SOON",
      () => stated({ valid_until: formatInstant(Date.now() + 9 * MINUTE) }),
    ],
  },
  sourceFaults: US_LIST_FAULTS,
  contended: {},
  recovery: null,
}
