import { operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { BuyerDelegation, DelegationAnswer } from "./buyer-delegation.ts"
import { DelegationId, DelegationRevocation, MandateRevocation, RevocationAnswer } from "./buyer-revocation.ts"
import { delegationExample, delegationRevocationExample, mandateRevocationExample } from "./example-bodies.ts"

export const BUYER_ONBOARDING_PATH = "/v1/us/decision-gates/buyer-onboarding"

const unreadable = {
  422: problem("Closed schema, audience or limits not met"),
  503: problem("The store is unavailable; nothing was written"),
}

export const enrollBuyerDelegation = operation({
  id: "enroll_buyer_delegation",
  method: "POST",
  path: `${BUYER_ONBOARDING_PATH}/enroll`,
  summary: "Delegate an agent signing key for an independently verified buyer organization",
  body: BuyerDelegation,
  exampleBody: delegationExample,
  responses: {
    200: { description: "Enrolled before; the original record", schema: DelegationAnswer },
    201: { description: "Signed delegation record", schema: DelegationAnswer },
    403: problem("Organization, its verification, or a signature not accepted"),
    409: problem("Nonce or idempotency key used for other content, or the key holds a conflicting role"),
    ...unreadable,
  },
  authentication: "MANDATE_KEY",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  bankData: "REFUSED",
  rateLimit: { group: "buyer-onboarding", perMinute: 30 },
  intent: {
    name: "ENROLL_BUYER_DELEGATION",
    notFor: ["VERIFYING_AN_ORGANIZATION", "MOVING_MONEY"],
    planning: ["AGENT"],
  },
})

export const revokeBuyerDelegation = operation({
  id: "revoke_buyer_delegation",
  method: "POST",
  path: `${BUYER_ONBOARDING_PATH}/delegations/{delegationId}/revoke`,
  summary: "Revoke a delegation, effective when the service responds",
  parameters: { delegationId: DelegationId },
  body: DelegationRevocation,
  exampleBody: delegationRevocationExample,
  responses: {
    200: {
      description: "Signed revocation record; the original one if it was revoked before",
      schema: RevocationAnswer,
    },
    403: problem("Organization, key or signature not accepted"),
    404: problem("No such delegation of this organization"),
    409: problem("Nonce used for another revocation"),
    ...unreadable,
  },
  authentication: "MANDATE_KEY",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  bankData: "REFUSED",
  // A separate budget, so that enrolments by others at the same address cannot delay the revocation of a lost key.
  rateLimit: { group: "buyer-revocation", perMinute: 60 },
  intent: { name: "REVOKE_DELEGATION", notFor: ["REVOKING_AN_AGENT_KEY", "REFUND"] },
})

export const revokeBuyerMandate = operation({
  id: "revoke_buyer_mandate",
  method: "POST",
  path: `${BUYER_ONBOARDING_PATH}/mandates/revoke`,
  summary: "Revoke a payment mandate, whether or not it was ever presented",
  body: MandateRevocation,
  exampleBody: mandateRevocationExample,
  responses: {
    200: {
      description: "Signed revocation record; the original one if it was revoked before",
      schema: RevocationAnswer,
    },
    403: problem("Organization, key or signature not accepted"),
    409: problem("Nonce used for another revocation"),
    ...unreadable,
  },
  authentication: "MANDATE_KEY",
  lifecycle: "ACTIVE",
  price: null,
  cors: "NONE",
  bankData: "REFUSED",
  rateLimit: { group: "buyer-revocation", perMinute: 60 },
  intent: { name: "REVOKE_MANDATE", notFor: ["REVOKING_AN_AGENT_KEY", "REFUND"] },
})
