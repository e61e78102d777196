import type { GbPaymentRequest } from "../../../../schemas/gb/payment.ts"
import { GB_PAYMENT_PRODUCT } from "../../../../schemas/gb/payment.ts"
import { GB_VENDOR_CHANGE_PRODUCT } from "../../../../schemas/gb/vendor-change.ts"
import type { AnswerProduct } from "../../../answers/answer-product.ts"
import { refuseAmount, refuseAt, refuseChange, refuseEndingSoon } from "../../../answers/request-faults.ts"
import { reserveChange } from "../../../answers/reserve-change.ts"
import { ServiceError } from "../../../errors.ts"
import { nameProblemsOf, screen } from "../../../sources/screening/screen.ts"
import { nameQuery } from "../supplier-facts.ts"
import { type GbSources, gbStandings, refuseUnreachable } from "../supplier-sources.ts"
import { gatherPayment } from "./facts.ts"
import { type GbPayment, gbPaymentRules } from "./rules.ts"

export function gbPayment(context: GbSources): AnswerProduct<GbPayment> {
  return {
    ...gbPaymentRules,
    entry,
    refusal: async (request, { at }) =>
      refuseEnding(request, at) ??
      refuseInvoiceName(context, request.invoice.invoice_company_name) ??
      (await refuseUnreachable(context, at)),
    sources: (_request, at) => gbStandings(context, at),
    *reserve({ vendor_change: change }, owner) {
      if (!change) return { change: null }
      const references = { prior: change.prior_authorization_reference, challenge: change.challenge.reference }
      const reserved = yield* reserveChange(owner, references, [GB_PAYMENT_PRODUCT, GB_VENDOR_CHANGE_PRODUCT])
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

function entry(request: GbPaymentRequest): ServiceError | null {
  const { payee, vendor_change: change } = request
  const fault = refuseAmount(request)
  if (fault || !change) return fault
  if (change.proposed_payee_fingerprint !== payee.payee_fingerprint) {
    return refuseAt(
      "PROPOSED_PAYEE_DIFFERS",
      "The change proposes another payee than the one to be paid.",
      "/vendor_change/proposed_payee_fingerprint",
      "the fingerprint at /payee/payee_fingerprint",
    )
  }
  return refuseChange(change, "/vendor_change")
}

function refuseEnding({ payee, vendor_change: change }: GbPaymentRequest, at: number): ServiceError | null {
  return (
    refuseEndingSoon(payee.binding_evidence, "/payee/binding_evidence", at) ??
    (change ? refuseEndingSoon(change.challenge, "/vendor_change/challenge", at) : null)
  )
}

/** A name we can only half read may still be a listed one, and then the answer is a decision (rulings 51). */
function refuseInvoiceName({ list }: GbSources, name: string): ServiceError | null {
  const query = nameQuery(name)
  if (nameProblemsOf(query).length === 0) return null
  const { state, nameProblems } = screen(list.index(), query)
  if (state !== "SCRIPT_UNSUPPORTED") return null
  return new ServiceError("NAME_SCRIPT_UNSUPPORTED", "Give the name in one supported script, as it is registered.", {
    errors: [
      { pointer: "/invoice/invoice_company_name", code: "NAME_SCRIPT_UNSUPPORTED", expected: "name in Latin script" },
    ],
    reasonCodes: nameProblems,
  })
}
