/** The exact sentence that a reviewer signs, for each kind of record. */
import { expect, test } from "bun:test"
import type { Case } from "../../schemas/case.ts"
import { ReviewKind, type ReviewRecord, type ReviewSubject } from "../../schemas/review.ts"
import { sentenceOf } from "../../src/desk/pages/sentence.ts"
import { unescaped } from "../fixtures/desk.ts"
import { newPerson, ReviewLog, reviewedCase, reviewedHit } from "../fixtures/review-log.ts"

const ann = newPerson("Ann")
const ben = newPerson("Ben")
const key = ben.enrolment.key_id
const PARTY = { name: "Vostok Meridian LLC", type: "org", identifiers: [{ scheme: "uei", value: "SUPPLYER0001" }] }
const JUDGED = { party: JSON.stringify({ ...PARTY, countries: ["RS"] }), details_version: null }
const HIT = { source_id: "US_OFAC_SDN", entry_id: "90001", matched_name: "VOSTOK MERIDIAN TRADING LLC" }
const NAMES = new Map([ann, ben].map(({ reviewer, name }) => [reviewer, name]))
const KNOWN = {
  names: NAMES,
  register: { keys: new Map([[key, { reviewer: ben.reviewer, credentialId: "id", state: "ACTIVE" as const }]]) },
  shown: { hits: [HIT] } as unknown as Case,
}

/** What a page shows of the sentence. */
function said(members: Partial<ReviewRecord>, subject: ReviewSubject | null = null, known = KNOWN, judged = JUDGED) {
  const log = new ReviewLog()
  log.add("NOTE", ann)
  const record = { ...(log.entries[0]?.record ?? expect.unreachable()), ...members }
  const { text } = sentenceOf({ record, subject, judged: record.hit === null ? null : judged }, known)
  return unescaped(text.replace(/<[^>]*>/g, ""))
}

const IN_CASE = { case: reviewedCase(17) }
const ABOUT = { ...IN_CASE, hit: reviewedHit() }
const PARTY_WORDS = "Vostok Meridian LLC (org, uei:SUPPLYER0001, RS)"
const ENTRY_WORDS = "VOSTOK MERIDIAN TRADING LLC (US_OFAC_SDN 90001)"
const shortOf = (id: string) => id.slice("passkey-".length, "passkey-".length + 8)

const SENTENCES: Readonly<Record<ReviewKind, readonly (readonly [string, string])[]>> = {
  OTHER_PARTY: [
    [
      said({ ...ABOUT, kind: "OTHER_PARTY", until: "2027-05-28T00:00:00.000Z" }),
      `I, Ann, judge in case 17 that ${PARTY_WORDS} is not ${ENTRY_WORDS}, until 2027-05-28 00:00 UTC.`,
    ],
  ],
  SAME_PARTY: [
    [said({ ...ABOUT, kind: "SAME_PARTY" }), `I, Ann, judge in case 17 that ${PARTY_WORDS} is ${ENTRY_WORDS}.`],
  ],
  UNSURE: [
    [said({ ...ABOUT, kind: "UNSURE" }), `I, Ann, cannot tell in case 17 whether ${PARTY_WORDS} is ${ENTRY_WORDS}.`],
  ],
  CLOSE: [[said({ ...IN_CASE, kind: "CLOSE" }), "I, Ann, close case 17. Nothing but a note can follow."]],
  APPROVE: [
    [said({ ...IN_CASE, kind: "APPROVE" }), "I, Ann, approve the proposal in case 17."],
    [said({ kind: "APPROVE" }), "I, Ann, approve the proposal."],
  ],
  REJECT: [[said({ ...IN_CASE, kind: "REJECT" }), "I, Ann, reject the proposal in case 17."]],
  WITHDRAW: [[said({ ...IN_CASE, kind: "WITHDRAW" }), "I, Ann, withdraw my proposal in case 17."]],
  NOTE: [[said({ ...IN_CASE, kind: "NOTE" }), "I, Ann, write a note in case 17."]],
  ENROL: [
    [
      said({ kind: "ENROL" }, ann.enrolment),
      `I am Ann, and I review with the passkey ${shortOf(ann.enrolment.key_id)}.`,
    ],
  ],
  REVOKE: [
    [
      said({ kind: "REVOKE" }, { kind: "REVOKE", key_id: key }),
      `I, Ann, revoke the passkey ${shortOf(key)} of Ben. It signs nothing any more.`,
    ],
    [
      said({ kind: "REVOKE", reviewer: null }, { kind: "REVOKE", key_id: key }),
      `I, the operator, revoke the passkey ${shortOf(key)} of Ben. It signs nothing any more.`,
    ],
  ],
  POLICY: [
    [
      said({ kind: "POLICY" }, { kind: "POLICY", persons: 2, of: 3 }),
      "Each judgement needs 2 persons, and at least 3 must be able to judge.",
    ],
    [
      said({ kind: "POLICY" }, { kind: "POLICY", persons: 2, of: 2 }),
      "Each judgement needs 2 persons, and at least 2 must be able to judge.",
    ],
    [
      said({ kind: "POLICY" }, { kind: "POLICY", persons: 1, of: 1 }),
      "Each judgement needs 1 person, and at least 1 must be able to judge.",
    ],
  ],
  ASSIGN: [
    [said({ kind: "ASSIGN" }, { kind: "ASSIGN", assignee: ben.reviewer }), "Ben has the case."],
    [said({ kind: "ASSIGN" }, { kind: "ASSIGN", assignee: null }), "Nobody has the case."],
  ],
}

test.each(ReviewKind.anyOf.map((kind) => kind.const))("%s", (kind) => {
  for (const [sentence, expected] of SENTENCES[kind]) expect(sentence).toBe(expected)
})

test("an entry that the case does not name, and a party that is a name alone", () => {
  const party = { name: "Vostok", type: null, identifiers: [], countries: [] }
  const judged = { party: JSON.stringify(party), details_version: null }
  expect(
    said({ ...ABOUT, kind: "SAME_PARTY" }, null, { ...KNOWN, shown: { hits: [] } as unknown as Case }, judged),
  ).toBe("I, Ann, judge in case 17 that Vostok is US_OFAC_SDN 90001.")
})

test("a name of a stranger keeps its own direction, and cannot end the sentence", () => {
  const party = { name: "\u202eNOT <b>US_OFAC", type: null, identifiers: [], countries: [] }
  const log = new ReviewLog()
  log.add("SAME_PARTY", ann, ABOUT)
  const record = log.entries[0]?.record ?? expect.unreachable()
  const judged = { party: JSON.stringify(party), details_version: null }
  const { text } = sentenceOf({ record, subject: null, judged }, KNOWN)
  expect(text).toContain("<bdi>\\u{202e}NOT &lt;b&gt;")
})
