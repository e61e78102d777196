import { expect, test } from "bun:test"
import { Value } from "@sinclair/typebox/value"
import { Observation } from "../../../schemas/observation.ts"
import { callerEvidence, callerStatement, ownRecords } from "../../../src/checks/attested-evidence.ts"
import { evidenceBundle } from "../../../src/checks/policy/evidence.ts"
import { screeningObservation } from "../../../src/checks/policy/observation.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, instant } from "../../../src/core/time.ts"
import { without } from "../../../src/core/without.ts"
import { screeningFact, screeningHit, sourceFact, suppressedHit } from "../../fixtures/decision.ts"

const sdn = sourceFact("US_OFAC_SDN")
const clean = screeningObservation(sdn, screeningFact(), [])
const AT = "2026-11-20T10:00:00.000Z"

test("an evidence id is the first 32 hex characters of the digest of the rest", () => {
  expect(clean.evidence_id).toBe(`ev_${digestOf(without(clean, "evidence_id")).slice(7, 39)}`)
  expect(Value.Check(Observation, clean)).toBe(true)
})

test("equal evidence has the same id, different evidence has different ids", () => {
  expect(screeningObservation(sdn, screeningFact(), []).evidence_id).toBe(clean.evidence_id)
  expect(screeningObservation({ ...sdn, entries: 101 }, screeningFact(), []).evidence_id).not.toBe(clean.evidence_id)
})

test("a clean list states how many entries were screened and the score at which nothing was found", () => {
  expect(clean.claims).toEqual(["ENTRIES_SCREENED:100", "BEST_SCORE:0.00", "NO_MATCH_AT_OR_ABOVE:0.75"])
})

test("a list claims its own hits only, each claim with one colon", () => {
  const hits = [
    screeningHit({ entry_id: "a:b", score: 0.9 }),
    screeningHit({ tier: "BLOCK", entry_id: "7" }),
    screeningHit({ source_id: "US_TRADE_CSL" }),
  ]
  const { claims } = screeningObservation(sdn, screeningFact({ hits }), [screeningHit({ entry_id: "9" })])
  expect(claims).toEqual(["ENTRIES_SCREENED:100", "BEST_SCORE:0.97", "POSSIBLE_MATCH:a_b", "MATCH:7", "WALLET_MATCH:9"])
  expect(claims.every((claim) => claim.split(":").length === 2)).toBe(true)
})

test("a name that was read only in part, or hits over the limit, never appear as a clean list", () => {
  const claimsOf = (changes: Parameters<typeof screeningFact>[0]) =>
    screeningObservation(sdn, screeningFact(changes), []).claims.slice(2)
  expect(claimsOf({ state: "SCRIPT_UNSUPPORTED", name_problems: ["MIXED_SCRIPT_WORD"] })).toEqual([
    "INCOMPLETE:MIXED_SCRIPT_WORD",
  ])
  expect(claimsOf({ state: "INSUFFICIENT" })).toEqual(["INCOMPLETE:NOTHING_TO_COMPARE"])
  const elsewhere = screeningHit({ source_id: "US_TRADE_CSL" })
  expect(claimsOf({ state: "MATCH", hits: [elsewhere], hit_count: 2 })).toEqual(["INCOMPLETE:HITS_OVER_LIMIT"])
  expect(claimsOf({ state: "MATCH", hits: [elsewhere], hit_count: 1 })).toEqual(["NO_MATCH_AT_OR_ABOVE:0.75"])
})

test("a suppressed hit is claimed as suppressed, and its list never appears as clean", () => {
  const fact = screeningFact({ suppressed_hits: [suppressedHit({ entry_id: "a:b", score: 0.9 })] })
  const { claims } = screeningObservation(sdn, fact, [])
  expect(claims).toEqual(["ENTRIES_SCREENED:100", "BEST_SCORE:0.90", "SUPPRESSED:a_b"])
  expect(screeningObservation(sourceFact("US_TRADE_CSL"), fact, []).claims).toContain("NO_MATCH_AT_OR_ABOVE:0.75")
})

test("a score below the threshold is never printed as the threshold", () => {
  const near = screeningFact({ threshold: 0.8, near_misses: [screeningHit({ score: 0.7999, tier: "NEAR_MISS" })] })
  const { claims } = screeningObservation(sdn, near, [])
  expect(claims).toContain("BEST_SCORE:0.79")
  expect(claims).toContain("NO_MATCH_AT_OR_ABOVE:0.80")
  expect(claims).toContain("NEAR_MISSES:1")
})

test("a caller's statement is labelled with its URN, and its digest covers all of it", () => {
  const said = { obligation_id: "1" }
  const given = { sourceId: "CALLER", kind: "invoice-fields", claims: ["COMPANY_NUMBER:1"] }
  const observed = callerStatement({ ...given, at: AT }, said)
  expect(without(observed, "evidence_id")).toEqual({
    source_id: "CALLER",
    source_url: "urn:svc:evidence:invoice-fields",
    source_version: "caller/1",
    source_timestamp: AT,
    retrieved_at: AT,
    parser_version: "caller/1",
    raw_sha256: digestOf(said),
    freshness: "FRESH",
    claims: ["CALLER_ATTESTATION", "COMPANY_NUMBER:1"],
  })
  const earlier = { observedAt: instant(AT) - DAY, retrievedAt: instant(AT), isCurrent: false }
  expect(callerEvidence({ ...given, ...earlier }, said)).toMatchObject({
    source_timestamp: "2026-11-19T10:00:00.000Z",
    retrieved_at: AT,
    freshness: "STALE",
    claims: ["CALLER_ATTESTATION", "COMPANY_NUMBER:1"],
  })
})

test("the service's own records are no statement of the caller", () => {
  const observed = ownRecords(AT, ["EARLIER_ANSWERS:0"], [])
  expect(observed.source_url).toBe("urn:svc:evidence:own-records")
  expect(observed.parser_version).toBe("own-records/1")
  expect(observed.claims).toEqual(["EARLIER_ANSWERS:0"])
})

test("the bundle is sorted, has no duplicates, and its digest covers whole observations", () => {
  const other = screeningObservation(sourceFact("US_TRADE_CSL"), screeningFact(), [])
  const bundle = evidenceBundle([clean, other, clean])
  expect(bundle.references).toEqual([clean.evidence_id, other.evidence_id].sort())
  expect(bundle).toEqual(evidenceBundle([other, clean]))
  const sorted = [clean, other].sort((a, b) => (a.evidence_id < b.evidence_id ? -1 : 1))
  expect(bundle.digest).toBe(digestOf(sorted))
})
