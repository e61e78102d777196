/** Stored documents as files, for the tests of `bizauth verify`. */
import { formatInstant, SECOND } from "../../../src/core/time.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { passportOf } from "../../fixtures/company-passport.ts"
import {
  DECIDED_AT,
  decisionFacts,
  deliveredDecision,
  issuerJwks,
  issuerKey,
  screeningHit,
  screeningOf,
  signedRequest,
} from "../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"

export const delivered = deliveredDecision()

export const held = (() => {
  const request = signedRequest()
  return deliveredDecision(request, decisionFacts(request, { known_destinations: [] }))
})()

export const requests = companyCheckRequest()

export const answered = deliveredAnswer(companyCheckRules, requests, companyCheckFacts())

export const doubted = deliveredAnswer(
  companyCheckRules,
  requests,
  companyCheckFacts({ screening: screeningOf("POSSIBLE_MATCH", [screeningHit()]) }),
)

export const passport = passportOf()

const live = (() => {
  const request = signedRequest()
  return deliveredDecision(request, decisionFacts(request, { environment: "live" }))
})()

const liveAnswer = deliveredAnswer(companyCheckRules, requests, companyCheckFacts({ environment: "live" }))

export const WHILE_VALID = formatInstant(DECIDED_AT + SECOND)

export const FILES: Record<string, Uint8Array | string> = {
  "delivery.json": delivered.bytes,
  "bundle.json": delivered.bundle,
  "live.json": live.bytes,
  "live-bundle.json": live.bundle,
  "live-answer.json": liveAnswer.copies.paid,
  "live-answer.json.capsule": liveAnswer.capsuleBytes,
  "conditional.json": held.bytes,
  "pretty.json": JSON.stringify(delivered.response, null, 2),
  "line-feed.json": `${Buffer.from(delivered.bytes).toString()}\n`,
  "pretty-forged.json": JSON.stringify({ ...delivered.response, machine_action: "HOLD_PAYMENT" }, null, 2),
  "two-issuers.json": JSON.stringify({
    ...delivered.response,
    proof_capsule: {
      ...delivered.response.proof_capsule,
      signature: { ...delivered.response.proof_capsule.signature, issuer: "another" },
    },
  }),
  "revoked-jwks.json": JSON.stringify(issuerJwks(issuerKey, { svc_status: "REVOKED" })),
  "broken.json": "{",
  "jwks.json": JSON.stringify(issuerJwks()),
  "empty-jwks.json": '{"keys":[]}',
  "request.json": JSON.stringify(delivered.request),
  "answer.json": answered.copies.paid,
  "answer.json.capsule": answered.capsuleBytes,
  "again.json": answered.copies.fetched,
  "capsule.json": answered.capsuleBytes,
  "pretty-capsule.json": JSON.stringify(answered.capsule, null, 2),
  "header.json": `${answered.capsuleHeader}\n`,
  "edited.json": Buffer.from(answered.copies.paid).toString().replace("ATTESTED_ONLY", "REGISTERED"),
  "edited.json.capsule": answered.capsuleBytes,
  "edited-unsigned.json": Buffer.from(answered.copies.paid).toString().replace('"replayed":false', '"replayed":true'),
  "edited-unsigned.json.capsule": answered.capsuleBytes,
  "review.json": doubted.copies.paid,
  "review.json.capsule": doubted.capsuleBytes,
  "answer-bundle.json": answered.bundleBytes,
  "passport.json": passport.bytes,
  "edited-passport.json": Buffer.from(passport.bytes).toString().replace("ATTESTED_ONLY", "REGISTERED"),
  "asked.json": JSON.stringify(requests),
  "other-request.json": JSON.stringify(signedRequest({ request: { amount: "1" } })),
}

export interface Judged {
  readonly version: number
  readonly genuine: string
  readonly current: string | null
  readonly permitted: { readonly decision: string; readonly reasons: readonly { readonly why: string }[] } | null
  readonly result: string
  readonly decision: string | null
  readonly machine_action: string | null
  readonly checks: readonly { readonly check: string; readonly state: string; readonly detail: string }[]
}
