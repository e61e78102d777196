import { SUPPLIER_APPROVAL_PRODUCT } from "../../../../schemas/us/supplier-approval.ts"
import type { VendorContinuationRequest } from "../../../../schemas/us/vendor-continuation.ts"
import { companySubject } from "../../../../src/products/us/company-record.ts"
import { vendorContinuationExample } from "../../../../src/products/us/vendor-continuation/example.ts"
import { vendorContinuationRules } from "../../../../src/products/us/vendor-continuation/rules.ts"
import { freshCall } from "../../../fixtures/answers.ts"
import { screeningFact } from "../../../fixtures/decision.ts"
import { enterAnswer } from "../../../fixtures/enter-answer.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import type { Records } from "../../../fixtures/test-server.ts"
import { usRefused } from "../../../fixtures/us-refused.ts"

const { id, country, path, price, schemas } = vendorContinuationRules

const PRIOR = `exe_${"K".repeat(22)}`
const OTHER_PRIOR = `exe_${"L".repeat(22)}`

const body = (changes: Partial<VendorContinuationRequest> = {}): VendorContinuationRequest => ({
  ...vendorContinuationExample(freshCall()),
  prior_authorization_reference: PRIOR,
  ...changes,
})

/** The authorizations that the bodies name. */
async function enterPriors(server: Records): Promise<void> {
  const { subject, nameKey } = companySubject(body().company)
  const facts = { sources: [], screening: screeningFact(), registration: null }
  for (const executionId of [PRIOR, OTHER_PRIOR])
    await enterAnswer(server, { product: SUPPLIER_APPROVAL_PRODUCT, executionId, subject, nameKey, facts })
}

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  prepare: enterPriors,
  body: () => body(),
  otherBody: (one: VendorContinuationRequest) => ({
    ...one,
    prior_authorization_reference: OTHER_PRIOR,
  }),
  refused: {
    ...usRefused(body),
    "a reference to nothing": [
      "REFERENCE_NOT_USABLE",
      () => body({ prior_authorization_reference: "no authorization" }),
    ],
  },
  sourceFaults: US_LIST_FAULTS,
  contended: {},
  recovery: null,
}
