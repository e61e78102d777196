import { CHECK_ELIGIBILITY } from "../eligibility.ts"
import { operation, type SoldProduct } from "../operation.ts"
import { PendingRecovery, unpaidReplies } from "../payment-replies.ts"
import { problem } from "../problem.ts"
import { requestDocuments } from "../request-documents.ts"
import { DecisionResponse } from "./decision-response.ts"
import { EligibilityRequest, EligibilityResponse } from "./eligibility.ts"
import { decisionEligibilityExample } from "./example-bodies.ts"
import {
  DecisionRequest,
  PAYMENT_DECISION_PATH,
  PAYMENT_DECISION_PRICE,
  PAYMENT_DECISION_PRODUCT,
} from "./payment-decision.ts"
import { RecoveryRequest } from "./recovery.ts"

const PRODUCT: SoldProduct = {
  id: PAYMENT_DECISION_PRODUCT,
  solution: null,
  jurisdiction: "US",
  coverage: "FEDERAL_ONLY",
}

export const releasePaymentDecision = operation({
  id: "release_payment_to_supplier",
  method: "POST",
  path: PAYMENT_DECISION_PATH,
  summary: "Decide whether a payment to a US supplier may be released; never executes the payment",
  body: DecisionRequest,
  responses: {
    200: { description: "Signed decision, delivered once and charged once", schema: DecisionResponse },
    ...unpaidReplies,
    403: problem("Agent, buyer, delegation, mandate or fee wallet not accepted"),
    409: problem("Acquired already, in progress, or bound to another request"),
    422: problem("Closed schema, digests, supplier identity or limits not met"),
    503: problem("A required source, the chain or the store is unavailable; nothing was charged"),
  },
  authentication: "X402",
  lifecycle: "ACTIVE",
  price: PAYMENT_DECISION_PRICE,
  product: PRODUCT,
  intent: {
    name: "RELEASE_PAYMENT_TO_SUPPLIER",
    notFor: ["MOVING_MONEY", "STATE_GOOD_STANDING", "CONTINUOUS_MONITORING", "RAW_BANK_DATA"],
    planning: ["AGENT", "MANDATE"],
  },
  cors: "NONE",
  bankData: "REFUSED",
  rateLimit: { group: "quotes", perMinute: 60 },
})

export const recoverPaymentDecision = operation({
  id: "recover_payment_decision",
  method: "POST",
  path: `${PAYMENT_DECISION_PATH}/recover`,
  summary: "Return an acquired decision again to its owner, without payment",
  body: RecoveryRequest,
  responses: {
    200: { description: "The original signed delivery, byte for byte", schema: DecisionResponse },
    202: { description: "Pending; retry after Retry-After without paying again", schema: PendingRecovery },
    400: problem("Invalid authentication or forbidden payment header"),
    404: problem("No matching request; this does not authorize a new payment"),
    422: problem("Owner authentication rejected"),
    503: problem("Unavailable; retry recovery only"),
  },
  authentication: "OWNER_SIGNATURE",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  schemaFaultStatus: 400,
  bankData: "REFUSED",
  rateLimit: { group: "recover", perMinute: 10 },
  partOf: PRODUCT,
  intent: { name: "RECOVER_PAYMENT_DECISION", notFor: ["NEW_DECISION", "NEW_PAYMENT"], planning: ["AGENT"] },
})

export const checkPaymentDecisionEligibility = operation({
  id: "check_payment_decision_eligibility",
  method: "POST",
  path: `${PAYMENT_DECISION_PATH}/eligibility`,
  summary: "Free checks before a quote, on a partial request",
  body: EligibilityRequest,
  exampleBody: decisionEligibilityExample,
  responses: {
    200: { description: "One line per check", schema: EligibilityResponse },
    422: problem("A member that is present does not match the closed schema"),
  },
  authentication: "NONE",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  bankData: "REFUSED",
  rateLimit: { group: "eligibility", perMinute: 30 },
  partOf: PRODUCT,
  intent: { ...CHECK_ELIGIBILITY, name: "CHECK_PAYMENT_DECISION_ELIGIBILITY" },
})

export const { schema: getPaymentDecisionSchema, example: getPaymentDecisionExample } = requestDocuments({
  name: "payment_decision",
  path: PAYMENT_DECISION_PATH,
})
