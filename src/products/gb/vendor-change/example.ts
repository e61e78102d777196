import type { GbVendorChangeRequest } from "../../../../schemas/gb/vendor-change.ts"
import type { ExampleCall } from "../../common/example-call.ts"
import { EXAMPLE_NUMBER, EXAMPLE_OTHER_PAYEE, EXAMPLE_PAYEE, exampleChallenge } from "../example-members.ts"

/** The execution id of the earlier authorization in this example belongs to no answer. */
export function gbVendorChangeExample({ at, key }: ExampleCall): GbVendorChangeRequest {
  return {
    company_number: EXAMPLE_NUMBER,
    current_payee_fingerprint: EXAMPLE_PAYEE,
    proposed_payee_fingerprint: EXAMPLE_OTHER_PAYEE,
    prior_authorization_reference: `exe_${"A".repeat(22)}`,
    challenge: exampleChallenge(at, `call-${key}`),
    idempotency_key: key,
  }
}
