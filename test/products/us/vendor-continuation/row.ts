import type { VendorContinuationRequest } from "../../../../schemas/us/vendor-continuation.ts"
import { vendorContinuationExample } from "../../../../src/products/us/vendor-continuation/example.ts"
import { vendorContinuationRules } from "../../../../src/products/us/vendor-continuation/rules.ts"
import { freshCall } from "../../../fixtures/answers.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import { usRefused } from "../../../fixtures/us-refused.ts"

const { id, country, path, price, schemas } = vendorContinuationRules

/** The body names no bought authorization: the answer is a REVIEW, delivered and paid like any other. */
const body = (changes: Partial<VendorContinuationRequest> = {}): VendorContinuationRequest => ({
  ...vendorContinuationExample(freshCall()),
  ...changes,
})

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  body: () => body(),
  otherBody: (one: VendorContinuationRequest) => ({
    ...one,
    prior_authorization_reference: "exe_BBBBBBBBBBBBBBBBBBBBBB",
  }),
  refused: usRefused(body),
  sourceFaults: US_LIST_FAULTS,
  contended: {},
  recovery: null,
}
