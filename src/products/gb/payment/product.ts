import type { GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { GB_PAYMENT_PRODUCT } from "../../../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT } from "../../../../schemas/gb/vendor-change.ts"
import type { ServiceError } from "../../../base/errors.ts"
import { changeFindings, proposedChange } from "../../../checks/change-challenge.ts"
import { companyNumberFindings } from "../../../checks/gb/company-numbers.ts"
import { requiredInformation } from "../../../checks/gb/required-information.ts"
import { payeeBindingFindings } from "../../../checks/us/payee-binding.ts"
import type { BusinessAnswerProduct, FixedOutcome } from "../../common/answer-product.ts"
import { policyInForce } from "../../common/answer-rules.ts"
import { checkNameReadable, judgeUnscreenedName } from "../../common/check-name.ts"
import { checkAmount, checkIsChange, refusalAt } from "../../common/request-faults.ts"
import { namedChange, reserveChange } from "../../common/reserve-change.ts"
import { gbParty, nameQuery } from "../supplier-facts.ts"
import { checkReachable, companyRegister, type GbSources, gbSourceStates } from "../supplier-sources.ts"
import { gatherPayment } from "./facts.ts"
import { type GbPayment, gbPaymentRules } from "./rules.ts"

/** Products whose answers name a payee. A change may name such an answer as the authorization it changes. */
const PRIOR: readonly string[] = [GB_PAYMENT_PRODUCT, GB_VENDOR_CHANGE_PRODUCT]

export function gbPayment(context: GbSources): BusinessAnswerProduct<GbPayment> {
  return {
    ...gbPaymentRules,
    validations: [
      { id: "AMOUNT_AND_CURRENCY", needs: ["amount", "currency"], judge: ({ request }) => checkAmount(request) },
      { id: "CHANGE", needs: ["payee", "vendor_change"], judge: ({ request }) => checkVendorChange(request) },
    ],
    checksBeforeQuote: [
      {
        id: "INVOICE_NAME",
        needs: ["invoice"],
        judge: ({ request: { invoice } }) => {
          const { invoice_company_name: name } = invoice
          return checkNameReadable(context.list.index(), name, "/invoice/invoice_company_name", () => nameQuery(name))
        },
        judgeFree: ({ request: { invoice } }) =>
          judgeUnscreenedName(invoice.invoice_company_name, "/invoice/invoice_company_name"),
      },
      companyRegister(context),
    ],
    fixedOutcome,
    sourcesNeed: ["company_number"],
    sources: (request, at) => gbSourceStates(context, at, request?.company_number ?? null),
    unreachableSource: (at) => checkReachable(context, at, null),
    *reserve({ vendor_change: change }, owner) {
      if (!change) return { change: null }
      const references = { prior: change.prior_authorization_reference, challenge: change.challenge.reference }
      const reserved = yield* reserveChange(owner, references, PRIOR)
      return "refused" in reserved ? reserved : { change: reserved }
    },
    gather: (request, base, { change }) => gatherPayment(context, request, base, change),
    undecided: ({ company_number, payee, amount, currency }) => ({
      company_number,
      payee_fingerprint: payee.payee_fingerprint,
      gates: { supplier: "HOLD", invoice: "HOLD", payee: "HOLD" },
      amount,
      currency,
      authorization_token: "",
      single_use: true,
    }),
    about: ({ company_number: number, invoice }, { company }) => gbParty(number, company, invoice.invoice_company_name),
    record: ({ company_number, payee }) => ({
      subject: company_number,
      nameKey: "",
      obligationKey: null,
      documentDigest: null,
      payeeFingerprint: payee.payee_fingerprint,
      destinationFingerprint: null,
    }),
    token: ({ company_number, payee: { payee_fingerprint }, amount, currency }, { payer: wallet }) => ({
      kind: "PAYMENT",
      binding: { company_number, payee_fingerprint, amount, currency, wallet },
    }),
  }
}

function checkVendorChange({ payee, vendor_change: change }: GbPaymentRequest): ServiceError | null {
  if (!change) return null
  if (change.proposed_payee_fingerprint !== payee.payee_fingerprint) {
    return refusalAt(
      "PROPOSED_PAYEE_DIFFERS",
      "The change proposes another payee than the one to be paid.",
      "/vendor_change/proposed_payee_fingerprint",
      "the fingerprint at /payee/payee_fingerprint",
    )
  }
  return checkIsChange(change, "/vendor_change")
}

const { thresholds } = policyInForce(gbPaymentRules)

const fixedOutcome: FixedOutcome<GbPayment> = {
  needs: ["company_number", "supplier", "invoice", "payee", "vendor_change"],
  evidence: ({ payee, vendor_change: change }) => [
    { pointer: "/payee/binding_evidence", attested: payee.binding_evidence },
    ...(change ? [{ pointer: "/vendor_change/challenge", attested: change.challenge }] : []),
  ],
  *named({ vendor_change: change }) {
    return { change: change ? yield* namedChange(change.prior_authorization_reference, PRIOR) : null }
  },
  findings: (request, named, at) => {
    const { company_number: number, payee, vendor_change: change } = request
    return [
      ...companyNumberFindings(request),
      ...payeeBindingFindings(payee.binding_evidence, thresholds, at),
      ...(change ? changeFindings(proposedChange(number, change), named?.change ?? null, thresholds, at) : []),
    ]
  },
  pointer: (code) => requiredInformation([code], "/vendor_change")[0] ?? "",
}
