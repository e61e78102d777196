/** Payee verifications and payment authorizations of the corpus. */
import type { PayeeVerificationRequest } from "../../schemas/us/payee-verification.ts"
import type { PaymentAuthorizationRequest } from "../../schemas/us/payment-authorization.ts"
import { digestOf } from "../../src/core/digest.ts"
import { DAY, formatInstant } from "../../src/core/time.ts"
import { payeeVerificationRules } from "../../src/products/us/payee-verification/rules.ts"
import { paymentAuthorizationRules } from "../../src/products/us/payment-authorization/rules.ts"
import { supplierApprovalRules } from "../../src/products/us/supplier-approval/rules.ts"
import { freshKey } from "../../test/fixtures/answers.ts"
import { destination } from "../../test/fixtures/decision.ts"
import { LISTED_WALLET } from "../../test/fixtures/sample-parties.ts"
import { bindingEvidence } from "../../test/fixtures/us-invoice.ts"
import { verificationBody } from "../../test/products/us/payee-verification/reasons.ts"
import { authorizationBody } from "../../test/products/us/payment-authorization/reasons.ts"
import { approvalBody } from "../../test/products/us/supplier-approval/reasons.ts"
import { casesOf, PASSED } from "./case.ts"
import type { CorpusServer, SourceStates } from "./corpus-server.ts"
import { LISTED_SINCE } from "./listed-parties.ts"
import { NAMES, newCompany, samRegister } from "./parties.ts"

function freshInvoice() {
  const obligation_id = freshKey()
  return { obligation_id, document_digest: digestOf(obligation_id) }
}

const verify =
  (changes: () => Partial<PayeeVerificationRequest> = () => ({}), sources: Partial<SourceStates> = {}) =>
  (server: CorpusServer) =>
    server.within(sources, () => server.buy(payeeVerificationRules.path, verification(changes())))

const verification = (changes: Partial<PayeeVerificationRequest>) =>
  verificationBody(Date.now(), { company: newCompany(), invoice: freshInvoice(), ...changes })

const of = (name: string) => verify(() => ({ company: newCompany(name) }))
const missing = newCompany()
const listedSince = newCompany(LISTED_SINCE.drilling)

type Company = ReturnType<typeof newCompany>

async function approvalOf(server: CorpusServer, company: Company): Promise<string> {
  return (await server.buy(supplierApprovalRules.path, approvalBody({ company }))).id
}

/** Approves the supplier first and references that approval. */
const authorize =
  (
    changes: Partial<PaymentAuthorizationRequest> = {},
    company: Company = newCompany(),
    sources: Partial<SourceStates> = {},
  ) =>
  async (server: CorpusServer) => {
    const supplier_approval_reference = await approvalOf(server, company)
    const body = authorizationBody({ company, supplier_approval_reference, invoice: freshInvoice(), ...changes })
    return server.within(sources, () => server.buy(paymentAuthorizationRules.path, body))
  }

/** References what approves nothing. The money had moved, so an answer is delivered. */
async function authorizeWithout(server: CorpusServer, supplier_approval_reference: string) {
  const body = authorizationBody({ company: newCompany(), supplier_approval_reference, invoice: freshInvoice() })
  return server.buyMoved(paymentAuthorizationRules, body)
}

/** The same obligation of the same payer, authorized a moment before. */
async function twice(server: CorpusServer) {
  const company = newCompany()
  const invoice = freshInvoice()
  await authorize({ invoice }, company)(server)
  return { company, invoice }
}

export const US_PAYMENT_CASES = [
  ...casesOf(payeeVerificationRules.id, {
    APPROVE: [["called-back", PASSED, "The payee was verified by a call back.", verify()]],
    CONDITIONAL: [
      [
        "weak-binding",
        "PAYEE_BINDING_WEAK",
        "Only the supplier's own statement binds the payee.",
        verify(() => ({ binding_evidence: bindingEvidence(Date.now(), { type: "SUPPLIER_STATEMENT" }) })),
      ],
      [
        "not-registered",
        "REGISTRATION_NOT_FOUND",
        "The imported register does not have the identifier.",
        verify(() => ({ company: missing }), { registers: samRegister(missing, null) }),
      ],
    ],
    REVIEW: [
      [
        "document-reused",
        "DOCUMENT_REUSED_FOR_OTHER_OBLIGATION",
        "The document was verified for another obligation before.",
        async (server) => {
          const invoice = freshInvoice()
          const company = newCompany()
          await verify(() => ({ company, invoice }))(server)
          return verify(() => ({ company, invoice: { ...invoice, obligation_id: freshKey() } }))(server)
        },
      ],
      [
        "binding-expired",
        "PAYEE_BINDING_EXPIRED",
        "The binding evidence ended yesterday, and the money had moved.",
        (server) => {
          const binding_evidence = bindingEvidence(Date.now(), { valid_until: formatInstant(Date.now() - DAY) })
          return server.buyMoved(payeeVerificationRules, verification({ binding_evidence }))
        },
      ],
      ["name-unscreenable", "EVIDENCE_INSUFFICIENT", "The name has no word to screen.", of(NAMES.unscreenable)],
    ],
    BLOCK: [
      [
        "wallet",
        "WALLET_RESTRICTED",
        "A listed party holds the wallet.",
        verify(() => ({ payee: destination(LISTED_WALLET) })),
      ],
      [
        "obligation-authorized",
        "OBLIGATION_ALREADY_AUTHORIZED",
        "The obligation has a current authorization.",
        async (server) => {
          const authorized = await twice(server)
          return verify(() => authorized)(server)
        },
      ],
    ],
  }),
  ...casesOf(paymentAuthorizationRules.id, {
    APPROVE: [["token", PASSED, "A token is issued.", authorize()]],
    CONDITIONAL: [
      [
        "program",
        "RESTRICTED_PARTY_PROGRAM_CONDITION",
        "On a list that only restricts; a token is issued.",
        authorize({}, newCompany(NAMES.condition)),
      ],
    ],
    REVIEW: [
      [
        "no-approval",
        "SUPPLIER_APPROVAL_NOT_FOUND",
        "The approval is none, and the money had moved; NO_TOKEN_ISSUED.",
        (server) => authorizeWithout(server, "our order 4711"),
      ],
      [
        "approval-differs",
        "SUPPLIER_APPROVAL_DIFFERS",
        "The approval is another company's, and the money had moved.",
        async (server) => authorizeWithout(server, await approvalOf(server, newCompany())),
      ],
    ],
    BLOCK: [
      [
        "listed-since",
        "RESTRICTED_PARTY_MATCH",
        "The supplier came onto a blocking list after its approval; NO_TOKEN_ISSUED.",
        authorize({}, listedSince, { us: "NEWER" }),
      ],
    ],
  }),
]
