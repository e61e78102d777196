import { GB_PAYMENT_PRODUCT } from "../../../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT } from "../../../../schemas/gb/vendor-change.ts"
import type { BusinessAnswerProduct } from "../../../business-answers/answer-product.ts"
import { checkEndsLater, checkIsChange } from "../../../business-answers/request-faults.ts"
import { reserveChange } from "../../../business-answers/reserve-change.ts"
import { gatherSupplier } from "../supplier-facts.ts"
import { checkReachable, companyRegister, type GbSources, gbSourceStates } from "../supplier-sources.ts"
import { changeResult } from "./decide.ts"
import { type GbVendorChange, gbVendorChangeRules } from "./rules.ts"

export function gbVendorChange(context: GbSources): BusinessAnswerProduct<GbVendorChange> {
  return {
    ...gbVendorChangeRules,
    validations: [
      {
        id: "CHANGE",
        needs: ["current_payee_fingerprint", "proposed_payee_fingerprint"],
        judge: ({ request }) => checkIsChange(request, ""),
      },
    ],
    checksBeforeQuote: [
      {
        id: "EVIDENCE_END",
        needs: ["challenge"],
        judge: ({ request, at }) => checkEndsLater(request.challenge, "/challenge", at),
      },
      companyRegister(context),
    ],
    sourcesNeed: ["company_number"],
    sources: (request, at) => gbSourceStates(context, at, request?.company_number ?? null),
    unreachableSource: (at) => checkReachable(context, at, null),
    reserve: ({ prior_authorization_reference: prior, challenge: { reference: challenge } }, owner) =>
      reserveChange(owner, { prior, challenge }, [GB_PAYMENT_PRODUCT, GB_VENDOR_CHANGE_PRODUCT]),
    gather: async (request, base, change) => ({
      ...(await gatherSupplier(context, request.company_number, null, base)),
      change,
    }),
    undecided: (request) => changeResult(request, "NO_DECISION"),
    record: ({ company_number, proposed_payee_fingerprint: proposed }) => ({
      subject: company_number,
      nameKey: "",
      obligationKey: null,
      documentDigest: null,
      payeeFingerprint: proposed,
      destinationFingerprint: null,
    }),
    token: ({ company_number, current_payee_fingerprint, proposed_payee_fingerprint }, { payer: wallet }) => ({
      kind: "VENDOR_CHANGE",
      binding: { company_number, current_payee_fingerprint, proposed_payee_fingerprint, wallet },
    }),
  }
}
