import type { VendorContinuationRequest } from "../../../../schemas/us/vendor-continuation.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { EXAMPLE_EXECUTION, usExample } from "../example-members.ts"

export function vendorContinuationExample(call: ExampleCall): VendorContinuationRequest {
  return { ...usExample(call), prior_authorization_reference: EXAMPLE_EXECUTION }
}
