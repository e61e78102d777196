import { expect, test } from "bun:test"
import type { SignatureOutcomes } from "../../../schemas/agent-id/signature-outcomes.ts"
import { nextSignatureAction } from "../../../src/products/agent-id/signature-next-action.ts"

interface Words {
  cryptographic?: string
  lifecycle?: string
  relation?: string | null
  replay?: string
  temporal?: string
  distribution?: string
}

function outcomes(words: Words): SignatureOutcomes {
  const { cryptographic = "VALID", lifecycle = "KEY_ACTIVE", relation = "WITHIN_KEY_VALIDITY" } = words
  return {
    cryptographic: { outcome: cryptographic },
    lifecycle: { outcome: lifecycle, claimed_time_relation: relation },
    replay: { outcome: words.replay ?? "NOT_SEEN" },
    temporal: { outcome: words.temporal ?? "WITHIN_WINDOW" },
    distribution: { outcome: words.distribution ?? "NOT_REGISTERED" },
  } as unknown as SignatureOutcomes
}

/** Read from top to bottom: each row fixes the fault of the row above and keeps the later ones. */
test.each<[string, Words]>([
  ["REFRESH_AND_RETRY", { lifecycle: "NOT_EVALUATED", cryptographic: "NOT_EVALUATED", replay: "NOT_EVALUATED" }],
  ["REJECT_SIGNATURE", { cryptographic: "INVALID", replay: "SEEN", lifecycle: "KEY_REVOKED", temporal: "EXPIRED" }],
  ["REJECT_SIGNATURE", { cryptographic: "NOT_EVALUATED", lifecycle: "AGENT_NOT_FOUND", replay: "NOT_EVALUATED" }],
  ["REJECT_SIGNATURE", { cryptographic: "NOT_EVALUATED", lifecycle: "KEY_NOT_FOUND", replay: "NOT_EVALUATED" }],
  ["REJECT_REPLAY", { replay: "SEEN", lifecycle: "KEY_REVOKED", temporal: "EXPIRED" }],
  ["REVIEW_LIFECYCLE", { lifecycle: "KEY_ROTATED", temporal: "EXPIRED" }],
  ["REVIEW_LIFECYCLE", { lifecycle: "KEY_REVOKED", temporal: "EXPIRED" }],
  ["REVIEW_LIFECYCLE", { lifecycle: "IDENTITY_REVOKED", distribution: "REGISTERED" }],
  ["REVIEW_LIFECYCLE", { relation: "BEFORE_KEY", temporal: "EXPIRED" }],
  ["REVIEW_LIFECYCLE", { relation: "AFTER_ROTATION" }],
  ["REVIEW_LIFECYCLE", { relation: "AFTER_COMPROMISE" }],
  ["REFRESH_AND_RETRY", { temporal: "EXPIRED" }],
  ["REFRESH_AND_RETRY", { temporal: "NOT_YET_VALID" }],
  ["REFRESH_AND_RETRY", { temporal: "WINDOW_TOO_LONG" }],
  ["REFRESH_AND_RETRY", { temporal: "NOT_EVALUATED", relation: "NO_TIME_CLAIM" }],
  ["ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY", {}],
  ["ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY", { distribution: "REGISTERED" }],
  [
    "ACCEPT_AS_KEY_CONTROL_EVIDENCE_ONLY",
    { temporal: "NO_TIME_CLAIM", relation: "NO_TIME_CLAIM", replay: "NOT_TRACKED", distribution: "NOT_EVALUATED" },
  ],
])("the next action is %s for %o", (action, words) => {
  expect(nextSignatureAction(outcomes(words))).toBe(action as never)
})
