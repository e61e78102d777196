import type { CompanyCheckRequest } from "../../../../schemas/us/company-check.ts"
import { companyCheckRules } from "../../../../src/products/us/company-check/rules.ts"
import { usBody } from "../../../fixtures/answers.ts"
import type { ProductRow } from "../../../fixtures/products.ts"
import { US_LIST_FAULTS } from "../../../fixtures/source-faults.ts"
import { usRefused } from "../../../fixtures/us-refused.ts"

const { id, country, path, price, schemas } = companyCheckRules

export const ROW: ProductRow = {
  id,
  country,
  path,
  price,
  request: schemas.request,
  body: () => usBody(),
  otherBody: (body: CompanyCheckRequest) => ({ ...body, correlation: { correlation_id: "po-2", trace_id: "run-2" } }),
  refused: usRefused(usBody),
  sourceFaults: US_LIST_FAULTS,
  contended: {},
  recovery: null,
}
