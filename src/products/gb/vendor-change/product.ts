import { GB_PAYMENT_PRODUCT } from "../../../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT } from "../../../../schemas/gb/vendor-change.ts"
import { CHANGE_POINTERS, changeFindings, proposedChange } from "../../../checks/change-challenge.ts"
import type { BusinessAnswerProduct } from "../../common/answer-product.ts"
import { policyInForce } from "../../common/answer-rules.ts"
import { checkIsChange } from "../../common/request-faults.ts"
import { namedChange, reserveChange } from "../../common/reserve-change.ts"
import { gatherSupplier, gbParty } from "../supplier-facts.ts"
import { checkReachable, companyRegister, type GbSources, gbSourceStates } from "../supplier-sources.ts"
import { changeResult } from "./decide.ts"
import { type GbVendorChange, gbVendorChangeRules } from "./rules.ts"

/** Products whose answers name a payee. A change may name such an answer as the authorization it changes. */
const PRIOR: readonly string[] = [GB_PAYMENT_PRODUCT, GB_VENDOR_CHANGE_PRODUCT]
const { thresholds } = policyInForce(gbVendorChangeRules)

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
    checksBeforeQuote: [companyRegister(context)],
    fixedOutcome: {
      needs: ["company_number", "current_payee_fingerprint", "prior_authorization_reference", "challenge"],
      evidence: ({ challenge: attested }) => [{ pointer: "/challenge", attested }],
      named: ({ prior_authorization_reference: prior }) => namedChange(prior, PRIOR),
      findings: (request, named, at) =>
        changeFindings(proposedChange(request.company_number, request), named, thresholds, at),
      pointer: (code) => CHANGE_POINTERS[code] ?? "",
    },
    sourcesNeed: ["company_number"],
    sources: (request, at) => gbSourceStates(context, at, request?.company_number ?? null),
    unreachableSource: (at) => checkReachable(context, at, null),
    reserve: ({ prior_authorization_reference: prior, challenge: { reference: challenge } }, owner) =>
      reserveChange(owner, { prior, challenge }, PRIOR),
    gather: async (request, base, change) => ({
      ...(await gatherSupplier(context, request.company_number, null, base)),
      change,
    }),
    undecided: (request) => changeResult(request, "NO_DECISION"),
    about: ({ company_number: number }, { company }) => gbParty(number, company),
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
