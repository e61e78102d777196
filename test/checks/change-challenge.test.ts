import { describe, expect, test } from "bun:test"
import type { ChangeChallenge } from "../../schemas/caller-evidence.ts"
import type { ChangeFacts } from "../../schemas/change-facts.ts"
import { challengeEvidence, changeChallengeGate, type ProposedChange } from "../../src/checks/change-challenge.ts"
import { digestOf } from "../../src/core/digest.ts"
import { DAY, formatInstant, HOUR } from "../../src/core/time.ts"
import { DECIDED_AT as AT } from "../fixtures/decision.ts"
import { challenge, GB_NUMBER, GB_OTHER_PAYEE, GB_PAYEE } from "../fixtures/gb.ts"
import { changeFacts } from "../fixtures/gb-facts.ts"

const LIMITS = { challenge_hours_max: 24 }

function codesOf(
  changes: Partial<ChangeChallenge> = {},
  facts: ChangeFacts = changeFacts(),
  change: Partial<ProposedChange> = {},
): readonly string[] {
  const proposed = { subject: GB_NUMBER, currentFingerprint: GB_PAYEE, challenge: challenge(changes, AT), ...change }
  return changeChallengeGate(proposed, facts, LIMITS, AT).codes
}

const prior = changeFacts().prior_authorization
const priorWith = (changes: Partial<NonNullable<ChangeFacts["prior_authorization"]>>) =>
  changeFacts({ prior_authorization: prior && { ...prior, ...changes } })

describe("the age and the end of a challenge", () => {
  test.each<[string, Partial<ChangeChallenge>, string[]]>([
    ["a fresh challenge", {}, []],
    ["verified now", { verified_at: formatInstant(AT) }, []],
    ["verified a moment after now", { verified_at: formatInstant(AT + 1) }, ["CHALLENGE_NOT_FRESH"]],
    ["verified a day ago", { verified_at: formatInstant(AT - 24 * HOUR) }, []],
    ["verified a day and a moment ago", { verified_at: formatInstant(AT - 24 * HOUR - 1) }, ["CHALLENGE_NOT_FRESH"]],
    ["a moment before its end", { valid_until: formatInstant(AT + 1) }, []],
    ["at its end", { valid_until: formatInstant(AT) }, ["CHALLENGE_EXPIRED"]],
  ])("%s", (_, changes, codes) => {
    expect(codesOf(changes)).toEqual(codes)
  })

  test("the challenge must be later than the prior authorization", () => {
    const at = formatInstant(AT - HOUR)
    expect(codesOf({ verified_at: at }, priorWith({ decided_at: at }))).toEqual(["CHALLENGE_NOT_FRESH"])
    expect(codesOf({ verified_at: at }, priorWith({ decided_at: formatInstant(AT - HOUR - 1) }))).toEqual([])
  })

  test("a reused challenge is reported", () => {
    expect(codesOf({}, changeFacts({ challenge_reused: true }))).toEqual(["CHALLENGE_REUSED"])
  })
})

describe("the prior authorization", () => {
  test("must exist, name the same company and pay the current payee", () => {
    expect(codesOf({}, changeFacts({ prior_authorization: null }))).toEqual(["PRIOR_AUTHORIZATION_NOT_FOUND"])
    expect(codesOf({}, priorWith({ subject: "00000001" }))).toEqual(["PRIOR_AUTHORIZATION_DIFFERS"])
    expect(codesOf({}, priorWith({ payee_fingerprint: GB_OTHER_PAYEE }))).toEqual(["PRIOR_AUTHORIZATION_DIFFERS"])
  })

  test("is not required if nothing was paid before", () => {
    const first = { currentFingerprint: null }
    expect(codesOf({}, changeFacts({ prior_authorization: null }), first)).toEqual([])
  })
})

test("the challenge is a caller attestation; a challenge that is too old or has expired is stale", () => {
  const given = challenge({}, AT)
  expect(challengeEvidence(given, LIMITS, AT)).toMatchObject({
    source_id: "INDEPENDENT_PAYEE_BINDING_EVIDENCE",
    source_url: "urn:svc:evidence:vendor-challenge",
    raw_sha256: digestOf(given),
    freshness: "FRESH",
    claims: ["CALLER_ATTESTATION", "CHALLENGE_TYPE:CALL_BACK_TO_KNOWN_NUMBER"],
  })
  for (const changes of [{ verified_at: formatInstant(AT - 2 * DAY) }, { valid_until: formatInstant(AT) }]) {
    expect(challengeEvidence(challenge(changes, AT), LIMITS, AT).freshness).toBe("STALE")
  }
})
