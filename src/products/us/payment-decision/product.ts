/** The row of the US Payment Decision: its owner is the organization that signs, its capsule is inside it, and a failed list is refused. */
import {
  type DecisionRequest,
  PAYMENT_DECISION_PATH,
  PAYMENT_DECISION_PRICE,
  PAYMENT_DECISION_PRODUCT,
} from "../../../../schemas/us/payment-decision.ts"
import { ServiceError } from "../../../base/errors.ts"
import { requestTexts } from "../../../checks/policy/digests.ts"
import { ValidSignatures } from "../../../core/crypto/valid-signatures.ts"
import { amountMillionths } from "../../../core/money.ts"
import type { SignerOwner } from "../../common/owner.ts"
import type { ProductRow } from "../../common/product-row.ts"
import { US_SOURCES_NEED } from "../company-checks.ts"
import { usSourceStates } from "../company-facts.ts"
import { named } from "../registered-name.ts"
import { lookUpRegistration } from "../registration.ts"
import { coverage } from "./core-response.ts"
import { decide } from "./decide.ts"
import { type DecisionDeps, gatherFacts } from "./gather-facts.ts"
import { obligationOf } from "./holds.ts"
import { PAYMENT_DECISION_POLICY } from "./policy.ts"
import { AUTHORITY_END, checksBeforeQuote, DECISION_MEMBERS, entryChecks, readForQuote } from "./pre-quote-checks.ts"
import { scopeOf } from "./records.ts"
import { decisionSoldTo, rememberDecision } from "./remember.ts"
import { reserveDecision } from "./reserve-records.ts"
import type { PaymentDecision } from "./rules.ts"
import { embeddedCapsule } from "./seal.ts"
import { collisionRefusal } from "./supplier-checks.ts"

export function paymentDecision(deps: DecisionDeps): ProductRow<PaymentDecision> {
  // A failed list is refused, whether or not it was ever set up.
  const lists = { sources: deps.sources, fetching: true }
  const signatures = new ValidSignatures(deps.machine.processors > 1)
  return {
    id: PAYMENT_DECISION_PRODUCT,
    country: "US",
    path: PAYMENT_DECISION_PATH,
    description: "US Payment Decision, one delivered decision",
    price: PAYMENT_DECISION_PRICE.amount,
    reviewDuty: "REVIEW_QUOTE_BEFORE_PAYMENT",
    requiredMembers: DECISION_MEMBERS,
    owner: OWNER,
    entryChecks: entryChecks(signatures),
    checksBeforeQuote: checksBeforeQuote({ ...deps, signatures }),
    readForChecks: readForQuote,
    lastCheck: AUTHORITY_END,
    sourcesNeed: US_SOURCES_NEED,
    sources: (request, at) => usSourceStates(lists, request, at),
    uncharged: null,
    coverage: ({ supplier }, at) => {
      const isRegistered = supplier && lookUpRegistration(deps.registers, supplier, at) !== null
      return coverage(isRegistered ? [] : ["ENTITY_REGISTRATION_NOT_CHECKED"])
    },
    reserve: (request, stored, at, ifCovered) =>
      reserveDecision(request, stored, { at, ifCovered, baseUrl: deps.baseUrl() }),
    gather(request, given, records) {
      const facts = gatherFacts(deps, request, given, records)
      // If the register that supplied the name became unusable since the quote, there is no name to screen. Then nothing is charged.
      if (named(request.supplier, facts.registration).legal_name === undefined) throw registerUnavailable()
      return facts
    },
    decide: (request, facts) => decide(request, facts, PAYMENT_DECISION_POLICY),
    // Only the name can be left, which no register confirmed. The rest was refused before.
    judgeSellable: ({ request, facts, records, ifCovered }) =>
      ifCovered === "DECIDE" || facts.supplier_set?.state !== "CONTRADICTED"
        ? null
        : collisionRefusal(request, records.supplier.set.contradictions),
    capsule: embeddedCapsule,
    remember: rememberDecision,
    soldTo: ({ requestJson }, factsJson) => decisionSoldTo(JSON.parse(requestJson), JSON.parse(factsJson)),
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

function registerUnavailable(): ServiceError {
  return new ServiceError("SOURCE_UNAVAILABLE", "The register that names this supplier cannot be asked now.", {
    reasonCodes: ["REGISTER_UNAVAILABLE"],
    retryAfterSeconds: 300,
  })
}
