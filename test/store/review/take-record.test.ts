/** The unit of a record: what it stores, what it refuses, and that it decides by what it reads. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test"
import type { PasskeyAssertion } from "../../../schemas/review.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { assertionIn } from "../../../src/core/passkeys/ceremony.ts"
import { formatInstant, HOUR, MINUTE } from "../../../src/core/time.ts"
import { composeAct, NO_MEMBERS, recordAct, takeAct } from "../../../src/review/acts.ts"
import { leafData, readTreeSize } from "../../../src/store/log/transparency-log.ts"
import { findCase } from "../../../src/store/review/review-cases.ts"
import { recordsAfter, redactNote } from "../../../src/store/review/review-records.ts"
import { reviewPolicy } from "../../../src/store/review/review-register.ts"
import { addSuppressions, listSuppressions, revokeSuppression } from "../../../src/store/sources/suppressions.ts"
import type { Wrong } from "../../fixtures/authenticator.ts"
import type { TestStore } from "../../fixtures/new-store.ts"
import { assertionBy, newPerson, type Person, reviewedCase, reviewedHit } from "../../fixtures/review-log.ts"
import {
  act,
  answer,
  digestIn,
  enrol,
  entered,
  openReview,
  PARTY,
  policy,
  propose,
  type ReviewService,
  repeated,
  reviewers,
} from "../../fixtures/review-service.ts"

let opened: TestStore
let service: ReviewService
beforeEach(async () => {
  ;({ opened, service } = await openReview())
})
afterEach(() => opened.close())

const stateOf = async (number: number) => (await opened.store.read(() => findCase(number)))?.state
const judgements = () => opened.store.read(listSuppressions)
const counts = async () => [
  await opened.count("review_record"),
  await opened.count("review_judgement"),
  await opened.count("suppression"),
]

describe("one reviewer", () => {
  test("judges alone, and the judgement is that of the command line", async () => {
    const [ann] = (await reviewers(service, ["Ann"])) as [Person]
    const taken = await propose(service, ann, 1)
    expect(taken).toMatchObject({ fault: null, effect: "EFFECTIVE", suppressionId: expect.stringMatching(/^sup_/) })
    const [judgement, ...others] = await judgements()
    expect(others).toEqual([])
    expect(judgement).toMatchObject({
      suppressionId: taken.fault === null ? taken.suppressionId : "",
      partyDigest: reviewedHit().party_digest,
      party: PARTY.party,
      ...{ sourceId: "US_OFAC_SDN", entryId: "90001", entryHash: reviewedHit().entry_hash },
      ...{ author: "Ann", reason: "another owner", revoked: null },
    })
    expect(await stateOf(1)).toBe("DECIDED")
    expect(await propose(service, ann, 2)).toEqual({ fault: "JUDGED_ALREADY" })
    expect(await counts()).toEqual([2, 1, 1])
  })

  test("leaves a chain, each place of which is a leaf of the log", async () => {
    const [ann] = (await reviewers(service, ["Ann"])) as [Person]
    await act(service, ann, { kind: "NOTE", case: reviewedCase(1), text: "called" })
    await propose(service, ann, 1)
    const records = await opened.store.read(() => recordsAfter(0, 10))
    expect(records.map(({ sequence, record }) => [sequence, record.kind])).toEqual([
      [1, "ENROL"],
      [2, "NOTE"],
      [3, "OTHER_PARTY"],
    ])
    expect(records[2]?.record.previous).toBe(records[1]?.digest ?? "")
    expect(records[1]?.record.previous).toBeNull()
    expect(await opened.store.read(readTreeSize)).toBe(3)
    for (const { logIndex, entryDigest, digest, record } of records) {
      expect(digestOf(record)).toBe(digest as never)
      const leaf = await opened.store.read(() => leafData(logIndex))
      expect(Buffer.from(leaf?.slice(32, 64) ?? []).toString("hex")).toBe(entryDigest.slice(7))
    }
  })
})

describe("two of three persons", () => {
  test("a proposal waits, a second person approves it, and one judgement is there", async () => {
    const [ann, ben] = (await reviewers(service, ["Ann", "Ben", "Cem"], 2)) as [Person, Person, Person]
    const proposal = digestIn(await propose(service, ann, 1))
    expect([await stateOf(1), await judgements()]).toEqual(["PROPOSED", []])
    expect(await answer(service, "APPROVE", ann, proposal)).toEqual({ fault: "OWN_PROPOSAL" })
    expect(await answer(service, "APPROVE", ben, proposal)).toMatchObject({ fault: null, effect: "EFFECTIVE" })
    expect([await stateOf(1), (await judgements()).length]).toEqual(["DECIDED", 1])
    expect(await answer(service, "APPROVE", ben, proposal)).toEqual({ fault: "NOT_OPEN" })
    expect((await counts())[2]).toBe(1)
  })

  test("one person with two keys is one person", async () => {
    const [ann, ben, cem] = (await reviewers(service, ["Ann", "Ben", "Cem"], 3)) as [Person, Person, Person]
    const second = newPerson("Ben", { reviewer: ben.reviewer })
    const enrolment = digestIn(await enrol(service, second))
    for (const by of [ann, ben, cem]) await answer(service, "APPROVE", by, enrolment)
    const proposal = digestIn(await propose(service, ann, 1))
    expect(await answer(service, "APPROVE", ben, proposal)).toMatchObject({ effect: "COUNTED" })
    expect(await answer(service, "APPROVE", second, proposal)).toEqual({ fault: "APPROVED_ALREADY" })
    expect(await judgements()).toEqual([])
    expect(await answer(service, "APPROVE", cem, proposal)).toMatchObject({ effect: "EFFECTIVE" })
  })

  test("a recused person is refused, by organization and by payer", async () => {
    const [ann] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
    const { payer } = reviewedCase(1)
    const dee = newPerson("Dee", { recusals: [`payer:${payer}`], breakGlass: "alone today" })
    await enrol(service, dee)
    const proposal = digestIn(await propose(service, ann, 1))
    expect(await answer(service, "APPROVE", dee, proposal)).toEqual({ fault: "RECUSED" })
    expect(await judgements()).toEqual([])
  })

  test("an approval of an entry that the list changed, or lost, is refused", async () => {
    const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
    const proposal = digestIn(await propose(service, ann, 1))
    service.listed.delete(reviewedHit().entry_hash)
    expect(await answer(service, "APPROVE", ben, proposal)).toEqual({ fault: "ENTRY_CHANGED" })
    expect(await propose(service, ann, 2)).toEqual({ fault: "ENTRY_CHANGED" })
    expect(await answer(service, "REJECT", ben, proposal)).toMatchObject({ effect: "ENDED" })
    expect([await stateOf(1), await judgements()]).toEqual(["OPEN", []])
  })

  test("an approval that was composed before the revocation of a key is refused after it", async () => {
    const [ann, ben, cem] = (await reviewers(service, ["Ann", "Ben", "Cem"], 2)) as [Person, Person, Person]
    const proposal = digestIn(await propose(service, ann, 1))
    const session = await entered(service, ben)
    const draft = { ...NO_MEMBERS, kind: "APPROVE" as const, reviewer: ben.reviewer, key_id: ben.enrolment.key_id }
    const { record } = await composeAct(service.deps, session, { ...draft, ...(await repeated(service, proposal)) })
    const assertion = assertionBy(ben, record) ?? expect.unreachable()
    const subject = { kind: "REVOKE" as const, key_id: ben.enrolment.key_id }
    expect(await act(service, cem, { kind: "REVOKE", subject, text: "lost" })).toMatchObject({ effect: "EFFECTIVE" })
    expect(await takeAct(service.deps, session, assertion)).toEqual({ fault: "CHALLENGE_UNKNOWN" })
    expect(await answer(service, "APPROVE", ben, proposal)).toEqual({ fault: "KEY_NOT_ACTIVE" })
    expect(await judgements()).toEqual([])
  })

  test("the operator's revocation needs no passkey, and a proposal of the key cannot be approved", async () => {
    const [ann, ben] = (await reviewers(service, ["Ann", "Ben", "Cem"], 2)) as [Person, Person, Person]
    const proposal = digestIn(await propose(service, ann, 1))
    const subject = { kind: "REVOKE" as const, key_id: ann.enrolment.key_id }
    const draft = { ...NO_MEMBERS, kind: "REVOKE" as const, subject, text: "left", reviewer: null, key_id: null }
    expect(await recordAct(service.deps, draft)).toMatchObject({ effect: "EFFECTIVE" })
    expect(await answer(service, "APPROVE", ben, proposal)).toEqual({ fault: "PROPOSER_LOST" })
    expect(await propose(service, ann, 2)).toEqual({ fault: "KEY_NOT_ACTIVE" })
  })

  test("a laxer policy needs the approvals of the stricter one; a stricter one counts at once", async () => {
    const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
    const change = digestIn(await policy(service, ann, 1, 1))
    expect(await opened.store.read(reviewPolicy)).toEqual({ persons: 2, of: 2 })
    expect(await propose(service, ann, 1)).toMatchObject({ effect: "OPENED" })
    expect(await answer(service, "APPROVE", ann, change)).toEqual({ fault: "OWN_PROPOSAL" })
    expect(await answer(service, "APPROVE", ben, change)).toMatchObject({ effect: "EFFECTIVE" })
    expect(await opened.store.read(reviewPolicy)).toEqual({ persons: 1, of: 1 })
    expect(await policy(service, ben, 3, 3)).toEqual({ fault: "TOO_FEW_PERSONS" })
    expect(await policy(service, ben, 2, 2)).toMatchObject({ effect: "EFFECTIVE" })
  })
})

describe("refused, and nothing of it is stored:", () => {
  let ann: Person
  beforeEach(async () => {
    ;[ann] = (await reviewers(service, ["Ann"])) as [Person]
  })
  const draft = () => ({
    ...NO_MEMBERS,
    kind: "OTHER_PARTY" as const,
    reviewer: ann.reviewer,
    key_id: ann.enrolment.key_id,
    ...{ case: reviewedCase(1), hit: reviewedHit(), until: formatInstant(service.at + HOUR), text: "x", judged: PARTY },
  })
  const signedBy = async (person: Person, session: string, changes = {}) => {
    const { record } = await composeAct(service.deps, session, { ...draft(), ...changes })
    return assertionBy(person, record) ?? expect.unreachable()
  }
  afterEach(async () => {
    const stored = await opened.count("suppression")
    expect(await opened.count("review_judgement")).toBe(stored)
  })

  test("a second use of an assertion", async () => {
    const session = await entered(service, ann)
    const assertion = await signedBy(ann, session)
    expect(await takeAct(service.deps, session, assertion)).toMatchObject({ fault: null })
    expect(await takeAct(service.deps, session, assertion)).toEqual({ fault: "CHALLENGE_UNKNOWN" })
    expect(await counts()).toEqual([2, 1, 1])
  })

  test("an assertion of another session, of an ended challenge, and one that nobody asked for", async () => {
    const session = await entered(service, ann)
    const assertion = await signedBy(ann, session)
    const other = await entered(service, ann)
    expect(await takeAct(service.deps, other, assertion)).toEqual({ fault: "CHALLENGE_UNKNOWN" })
    service.at += 10 * MINUTE
    expect(await takeAct(service.deps, session, assertion)).toEqual({ fault: "CHALLENGE_ENDED" })
    expect(await counts()).toEqual([1, 0, 0])
  })

  test("the case of yesterday: a note came in between", async () => {
    const session = await entered(service, ann)
    const assertion = await signedBy(ann, session)
    await recordAct(service.deps, { ...draft(), kind: "NOTE", hit: null, until: null, key_id: null, judged: null })
    expect(await takeAct(service.deps, session, assertion)).toEqual({ fault: "STALE" })
    expect(await counts()).toEqual([2, 0, 0])
  })

  test("an assertion over another case, by a stranger's key, and by a counter that fell", async () => {
    const session = await entered(service, ann)
    const assertion = await signedBy(ann, session)
    const { record } = await composeAct(service.deps, session, { ...draft(), case: reviewedCase(2) })
    const over = assertionBy(ann, record) ?? expect.unreachable()
    const mixed = { ...assertion, client_data_json: over.client_data_json }
    expect(await takeAct(service.deps, session, mixed)).toEqual({ fault: "SIGNATURE" })
    const stranger = { ...ann, authenticator: newPerson("Eve").authenticator }
    expect(await takeAct(service.deps, session, await signedBy(stranger, session))).toEqual({ fault: "CREDENTIAL" })
    ann.authenticator.counter = 1
    expect(await takeAct(service.deps, session, await signedBy(ann, session))).toEqual({ fault: "COUNTER" })
    expect(await counts()).toEqual([1, 0, 0])
  })

  test.each([
    ["a case that does not exist", { case: reviewedCase(99) }, "CASE_UNKNOWN"],
    ["a case of another buyer", { case: { ...reviewedCase(1), payer: `0x${"22".repeat(20)}` } }, "CASE_DIFFERS"],
    ["an end in the past", { until: "2020-01-01T00:00:00.000Z" }, "UNTIL"],
    ["no screened party", { judged: null }, "MEMBERS"],
    ["an unknown reviewer", { reviewer: `rev_${"A".repeat(22)}` }, "REVIEWER_UNKNOWN"],
    ["no reason", { text: null }, "MEMBERS"],
  ])("%s", async (_, changes, fault) => {
    const session = await entered(service, ann)
    expect(await takeAct(service.deps, session, await signedBy(ann, session, changes))).toEqual({ fault } as never)
    expect(await counts()).toEqual([1, 0, 0])
  })

  test("an assertion, a record or a subject that no export may have", async () => {
    const session = await entered(service, ann)
    const sign = async (changes: object, wrong: Wrong = {}) => {
      const { record, challenge } = await composeAct(service.deps, session, { ...draft(), ...changes })
      return assertionIn(ann.authenticator.assert(challenge, record.origin, wrong)) ?? expect.unreachable()
    }
    const take = (assertion: PasskeyAssertion) => takeAct(service.deps, session, assertion)
    const pad = (length: number): Wrong => ({ clientData: (members) => ({ ...members, pad: "x".repeat(length) }) })
    expect(await take(await sign({}, pad(4_000)))).toEqual({ fault: "SHAPE" })
    const long = { ...reviewedHit(), entry_id: "9".repeat(161) }
    service.listed.add(long.entry_hash)
    expect(await take(await sign({ hit: long }))).toEqual({ fault: "MEMBERS" })
    const policyOf = (persons: number) => ({
      kind: "POLICY" as const,
      subject: { kind: "POLICY" as const, persons, of: persons },
    })
    const about = { case: null, hit: null, until: null, judged: null }
    expect(await take(await sign({ ...about, ...policyOf(1.5) }))).toEqual({ fault: "MEMBERS" })
    expect(await take(await sign({ text: "x".repeat(1_001) }))).toEqual({ fault: "MEMBERS" })
    expect(await counts()).toEqual([1, 0, 0])
    expect(await take(await sign({}, pad(1_000)))).toMatchObject({ fault: null })
  })
})

test("a case takes no note and no assignment after 150 records, and nothing after 200", async () => {
  const [ann, ben] = (await reviewers(service, ["Ann", "Ben"], 2)) as [Person, Person]
  const proposal = digestIn(await propose(service, ann, 1))
  const note = { kind: "NOTE" as const, case: reviewedCase(1), text: "once more" }
  for (let at = 1; at < 150; at++) expect(await act(service, ann, note)).toMatchObject({ fault: null })
  expect(await act(service, ann, note)).toEqual({ fault: "TOO_MANY_NOTES" })
  const subject = { kind: "ASSIGN" as const, assignee: null }
  const assigned = await act(service, ann, { kind: "ASSIGN", case: reviewedCase(1), subject })
  expect(assigned).toEqual({ fault: "TOO_MANY_NOTES" })
  expect(await answer(service, "APPROVE", ben, proposal)).toMatchObject({ fault: null, effect: "EFFECTIVE" })
  const unsure = { kind: "UNSURE" as const, case: reviewedCase(1), hit: reviewedHit("90002"), text: "no extract" }
  for (let at = 151; at < 200; at++) expect(await act(service, ben, unsure)).toMatchObject({ fault: null })
  expect(await act(service, ben, unsure)).toEqual({ fault: "TOO_MANY_RECORDS" })
}, 60_000)

test("a judgement that the command line made already, until it is revoked", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  const { party_digest: partyDigest, source_id: sourceId, entry_id: entryId, entry_hash: entryHash } = reviewedHit()
  const row = { suppressionId: "sup_cli", partyDigest, sourceId, entryId, entryHash, party: "{}" }
  const at = formatInstant(service.at)
  const rest = { author: "A", reason: "r", createdAt: at, expiresAt: formatInstant(service.at + HOUR) }
  await opened.store.run(() => addSuppressions([{ ...row, ...rest, detailsVersion: null, detailsDigest: null }]))
  expect(await propose(service, ann, 1)).toEqual({ fault: "JUDGED_ALREADY" })
  await opened.store.run(() => revokeSuppression("sup_cli", { at, author: "A", reason: "r" }))
  expect(await propose(service, ann, 1)).toMatchObject({ fault: null })
})

test("the text of a note is removed once, and a reason never", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  await act(service, ann, { kind: "NOTE", case: reviewedCase(1), text: "account 12345678" })
  await propose(service, ann, 1)
  const redact = (sequence: number) => opened.store.run(() => redactNote(sequence))
  expect([await redact(1), await redact(3), await redact(9)]).toEqual(["NO_NOTE", "NO_NOTE", "UNKNOWN"])
  expect([await redact(2), await redact(2)]).toEqual(["REDACTED", "REDACTED_ALREADY"])
  const [, note, reason] = await opened.store.read(() => recordsAfter(0, 10))
  expect([note?.reason, note?.record.reason_digest]).toEqual([null, expect.stringMatching(/^sha256:/)])
  expect(reason?.reason?.text).toBe("another owner")
})

test("a service that moves keeps the name that its first record has", async () => {
  const [ann] = (await reviewers(service, ["Ann"])) as [Person]
  const [first] = await opened.store.read(() => recordsAfter(0, 1))
  const moved = { ...service, deps: { ...service.deps, audience: "https://moved.example" } }
  moved.at = service.at + MINUTE
  const note = {
    kind: "NOTE" as const,
    case: reviewedCase(1),
    text: "after the move",
    reviewer: ann.reviewer,
    key_id: null,
  }
  expect(await recordAct(moved.deps, { ...NO_MEMBERS, ...note })).toMatchObject({ fault: null })
  const audiences = (await opened.store.read(() => recordsAfter(0, 10))).map(({ record }) => record.audience)
  expect(audiences).toEqual(Array(2).fill(first?.record.audience))
})
