/** The Payment Decision as one of the products that are sold in one way. */
import {
  type DecisionRequest,
  PAYMENT_DECISION_PATH,
  PAYMENT_DECISION_PRODUCT,
} from "../../../../schemas/us/payment-decision.ts"
import { requestTexts } from "../../../checks/policy/digests.ts"
import { amountMillionths } from "../../../core/money.ts"
import type { SignerOwner } from "../../common/owner.ts"
import type { ProductRow } from "../../common/product-row.ts"
import { US_SOURCES_NEED } from "../company-checks.ts"
import { usSourceStates } from "../company-facts.ts"
import { lookUpRegistration } from "../registration.ts"
import { authorityEnd } from "./authority.ts"
import { coverage } from "./core-response.ts"
import { obligationOf } from "./holds.ts"
import {
  authorityOf,
  type CheckContext,
  checksBeforeQuote,
  DECISION_MEMBERS,
  ENTRY_CHECKS,
  readForQuote,
} from "./pre-quote-checks.ts"
import { scopeOf } from "./records.ts"
import type { PaymentDecision } from "./rules.ts"

export function decisionRow(context: CheckContext): ProductRow<PaymentDecision> {
  // A failed list is refused, whether or not it was ever set up.
  const lists = { sources: context.sources, fetching: true }
  return {
    id: PAYMENT_DECISION_PRODUCT,
    country: "US",
    requiredMembers: DECISION_MEMBERS,
    owner: OWNER,
    entryChecks: ENTRY_CHECKS,
    checksBeforeQuote: checksBeforeQuote(context),
    readForChecks: readForQuote,
    authorityEnd: (input) => authorityEnd(authorityOf(input)),
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(lists, request, at),
    uncharged: null,
    coverage: ({ supplier }, at) =>
      coverage(
        supplier && lookUpRegistration(context.registers, supplier, at) !== null
          ? []
          : ["ENTITY_REGISTRATION_NOT_CHECKED"],
      ),
  }
}

const OWNER: SignerOwner<DecisionRequest> = {
  kind: "SIGNER",
  recoverPath: `${PAYMENT_DECISION_PATH}/recover`,
  signer: ({ buyer, requesting_agent: agent }) => ({
    organizationId: buyer.organization_id,
    agentId: agent.agent_id,
    keyId: agent.key_id,
  }),
  texts: requestTexts,
  scope: scopeOf,
  subject: obligationOf,
  payer: (request) => request.decision_fee_payer,
  amountMillionths: (request) => amountMillionths(request.amount),
}
