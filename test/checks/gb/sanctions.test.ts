import { expect, test } from "bun:test"
import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import { sanctionsFindings } from "../../../src/checks/gb/sanctions.ts"
import { screeningFact, screeningHit, screeningOf } from "../../fixtures/decision.ts"
import { companyFact, gbFacts, screenedName } from "../../fixtures/gb-facts.ts"

const THRESHOLDS = { required_sources: ["UK_SANCTIONS_LIST"], sanctions_review_score: "0.80" }
const look = (changes: Partial<GbFacts>) => sanctionsFindings(gbFacts("p", changes), THRESHOLDS)
const clear = screenedName()
const as = (screening: ReturnType<typeof screeningFact>) => screenedName({ role: "PREVIOUS_NAME", screening })

test("the worst result over all names of the company counts", () => {
  const match = as(screeningOf("MATCH", [screeningHit({ tier: "BLOCK" })]))
  const possible = as(screeningOf("POSSIBLE_MATCH", [screeningHit()]))
  expect(look({ screened_names: [clear, possible] }).codes).toEqual(["SANCTIONS_POSSIBLE_MATCH"])
  expect(look({ screened_names: [clear, possible, possible, match] }).codes).toEqual([
    "SANCTIONS_POSSIBLE_MATCH",
    "SANCTIONS_MATCH",
  ])
})

test("a condition of the list needs a person's review", () => {
  const condition = as(screeningOf("PROGRAM_CONDITION", [screeningHit({ tier: "CONDITION", measure: "condition" })]))
  expect(look({ screened_names: [clear, condition] }).codes).toEqual(["SANCTIONS_POSSIBLE_MATCH"])
})

test("a name that could not be read, or was screened above the policy's threshold, is EVIDENCE_INSUFFICIENT", () => {
  const unread = as(screeningFact({ state: "SCRIPT_UNSUPPORTED", threshold: 0.8 }))
  const lax = as(screeningFact({ threshold: 0.85 }))
  expect(look({ screened_names: [clear, unread] }).codes).toEqual(["EVIDENCE_INSUFFICIENT"])
  expect(look({ screened_names: [clear, lax] }).codes).toEqual(["EVIDENCE_INSUFFICIENT"])
})

test("a registered company whose name was not screened is not clear; an unregistered one gets a limitation", () => {
  expect(look({ screened_names: [] })).toMatchObject({
    codes: ["EVIDENCE_INSUFFICIENT"],
    limitations: ["SANCTIONS_NOT_SCREENED"],
  })
  const none = { screened_names: [], company: companyFact({ outcome: "NOT_FOUND", record: null }) }
  expect(look(none)).toMatchObject({ codes: [], limitations: ["SANCTIONS_NOT_SCREENED"] })
})

test("an ageing list and names that were left out are limitations", () => {
  const { sources } = gbFacts("p")
  const aging = sources.map((source) => ({ ...source, freshness: "AGING" as const }))
  expect(look({ sources: aging, previous_names_left_out: 2 })).toMatchObject({
    codes: [],
    limitations: ["SOURCE_AGING", "PREVIOUS_NAMES_NOT_ALL_SCREENED"],
  })
})
