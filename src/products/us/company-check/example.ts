import type { CompanyCheckRequest } from "../../../../schemas/us/company-check.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { usExample } from "../example-members.ts"

export function companyCheckExample(call: ExampleCall): CompanyCheckRequest {
  return usExample(call)
}
