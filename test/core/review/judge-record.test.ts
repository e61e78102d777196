/** The rules for one record, over generated histories: a judgement never takes effect without the persons that the policy asks for. */
import { expect, test } from "bun:test"
import fc from "fast-check"
import type { ReviewKind, ReviewRecord } from "../../../schemas/review.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { judgeRecord, type RecordEffect } from "../../../src/core/review/judge-record.ts"
import { memberFault } from "../../../src/core/review/record-members.ts"
import { EMPTY_REGISTER, isLaxer, policyText, type Register } from "../../../src/core/review/register.ts"
import { bookAfter, EMPTY_BOOK, type ReviewBook, registerAfter, stateOf } from "../../../src/core/review/review-book.ts"
import { runs } from "../../fixtures/long.ts"
import { newPerson, type Person, ReviewLog, reviewedCase, reviewedHit, type Stated } from "../../fixtures/review-log.ts"

/** A service that takes only what the rules allow. */
class Service {
  readonly log = new ReviewLog()
  register: Register = EMPTY_REGISTER
  readonly books = new Map<number, ReviewBook>()

  /** Returns the effect or the fault of the newest record, which stays only without a fault. */
  take(): RecordEffect | string {
    const { record, subject } = this.log.entries.at(-1) ?? expect.unreachable()
    const chain = record.case?.number ?? 0
    const book = this.books.get(chain) ?? EMPTY_BOOK
    const answered = record.answers === null ? null : (book.proposals.get(record.answers) ?? null)
    const { register } = this
    const judged = judgeRecord({ record, subject, register, answered, ofCase: chain === 0 ? null : book })
    if (judged.fault !== null) {
      this.log.entries.pop()
      return judged.fault
    }
    const applied = { digest: digestOf(record), record, subject, effect: judged.effect }
    this.books.set(chain, bookAfter(book, applied))
    if (chain === 0) this.register = registerAfter(register, applied, answered)
    return judged.effect
  }

  enrol(person: Person) {
    this.log.enrol(person)
    return this.take()
  }
}

const persons = ["Ann", "Ben", "Cem", "Dee"].map((name) => newPerson(name))

test("no history of acts makes a judgement with fewer active, unrecused persons than the policy asks for", () => {
  const act = fc.tuple(fc.nat(6), fc.nat(3), fc.nat(3), fc.nat(2))
  fc.assert(
    fc.property(fc.array(act, { maxLength: 40 }), fc.integer({ min: 1, max: 3 }), (acts, needed) => {
      const service = new Service()
      for (const person of persons) expect(service.enrol(person)).toBe("EFFECTIVE")
      const [ann, , cem] = persons as [Person, Person, Person, Person]
      service.register = { ...service.register, recusals: new Map([[cem.reviewer, ["org:acme"]]]) }
      service.log.policy(ann, needed, needed)
      expect(service.take()).toBe("EFFECTIVE")
      const proposals: string[] = []
      for (const [what, who, which, number] of acts) {
        const by = persons[who] ?? ann
        const answered = proposals[which % Math.max(1, proposals.length)]
        const about = reviewedCase(number + 1, { organization_id: number === 0 ? "acme" : null })
        if (what <= 1) {
          const digest = service.log.propose(by, number + 1, { case: about, hit: reviewedHit(`${which}`) })
          if (["OPENED", "EFFECTIVE"].includes(service.take())) proposals.push(digest)
        } else if (what === 6) {
          if (who !== which) continue
          service.log.add("REVOKE", null, { subject: { kind: "REVOKE", key_id: by.enrolment.key_id }, because: "x" })
          service.take()
        } else if (answered !== undefined) {
          service.log.answer(what === 5 ? "REJECT" : "APPROVE", by, answered)
          const active = service.register
          const effect = service.take()
          if (effect !== "EFFECTIVE") continue
          const records = service.log.entries.map(({ record }) => record)
          const judging = records.filter(
            (one) => digestOf(one) === answered || (one.kind === "APPROVE" && one.answers === answered),
          )
          const counted = judging.filter(({ key_id }) => active.keys.get(key_id ?? "")?.state === "ACTIVE")
          const names = new Set(counted.map(({ reviewer }) => reviewer))
          expect(names.size).toBeGreaterThanOrEqual(needed)
          if (judging[0]?.case?.organization_id === "acme") expect(names.has(cem.reviewer)).toBe(false)
          expect(records.some((one) => one.kind === "REJECT" && one.answers === answered)).toBe(false)
        }
      }
    }),
    { numRuns: runs(300) },
  )
}, 120_000)

test("a new person needs the approvals of others; the operator's break glass needs none", () => {
  const service = new Service()
  const [ann, ben, cem, dee] = persons as [Person, Person, Person, Person]
  for (const person of [ann, ben]) service.enrol(person)
  service.log.policy(ann, 2, 2)
  service.take()
  expect(service.enrol(cem)).toBe("OPENED")
  const enrolment = digestOf(service.log.entries.at(-1)?.record)
  const approve = (by: Person) => {
    service.log.answer("APPROVE", by, enrolment)
    return service.take()
  }
  expect([approve(cem), approve(ann), approve(ann), approve(ben)]).toEqual([
    "KEY_NOT_ACTIVE",
    "COUNTED",
    "APPROVED_ALREADY",
    "EFFECTIVE",
  ])
  expect(service.register.keys.get(cem.enrolment.key_id)?.state).toBe("ACTIVE")
  expect(service.enrol({ ...dee, enrolment: { ...dee.enrolment, break_glass: "ill" } })).toBe("EFFECTIVE")
  // The same key again, and a key under another person.
  expect(service.enrol(ann)).toBe("KEY_OF_ANOTHER")
  expect(service.enrol({ ...newPerson("Eve"), enrolment: ann.enrolment } as Person)).toBe("KEY_OF_ANOTHER")
})

test("no policy counts that more persons must be able to meet than are there, also where fewer must judge", () => {
  const service = new Service()
  const [ann, ben, cem] = persons as [Person, Person, Person]
  for (const person of [ann, ben, cem]) service.enrol(person)
  const change = (needed: number, of: number) => {
    const digest = service.log.policy(ann, needed, of)
    return [digest, service.take()] as const
  }
  expect([change(2, 2)[1], change(1, 4)[1]]).toEqual(["EFFECTIVE", "TOO_FEW_PERSONS"])
  const [digest, effect] = change(1, 3)
  expect(effect).toBe("OPENED")
  service.log.add("REVOKE", null, { subject: { kind: "REVOKE", key_id: cem.enrolment.key_id }, because: "x" })
  service.take()
  service.log.answer("APPROVE", ben, digest)
  expect(service.take()).toBe("TOO_FEW_PERSONS")
})

test("a rejected enrolment gives no key", () => {
  const service = new Service()
  const [ann, ben, cem] = persons as [Person, Person, Person]
  for (const person of [ann, ben]) service.enrol(person)
  service.log.policy(ann, 2, 2)
  service.take()
  service.enrol(cem)
  service.log.answer("REJECT", ben, digestOf(service.log.entries.at(-1)?.record))
  expect(service.take()).toBe("ENDED")
  expect(service.register.keys.get(cem.enrolment.key_id)?.state).toBe("REVOKED")
})

test("an approval never brings back a key that was revoked while its enrolment waited", () => {
  const service = new Service()
  const [ann, ben, dee] = persons as [Person, Person, Person]
  for (const person of [ann, ben]) service.enrol(person)
  service.log.policy(ann, 2, 2)
  service.take()
  service.enrol(dee)
  const enrolment = digestOf(service.log.entries.at(-1)?.record)
  service.log.answer("APPROVE", ann, enrolment)
  expect(service.take()).toBe("COUNTED")
  service.log.add("REVOKE", null, { subject: { kind: "REVOKE", key_id: dee.enrolment.key_id }, because: "x" })
  expect(service.take()).toBe("EFFECTIVE")
  service.log.answer("APPROVE", ben, enrolment)
  expect(service.take()).toBe("KEY_NOT_ACTIVE")
  expect(service.register.keys.get(dee.enrolment.key_id)?.state).toBe("REVOKED")
  service.log.answer("REJECT", ben, enrolment)
  expect(service.take()).toBe("ENDED")
})

test("the state of a case follows its records", () => {
  const service = new Service()
  const [ann, ben] = persons as [Person, Person]
  for (const person of [ann, ben]) service.enrol(person)
  service.log.policy(ann, 2, 2)
  service.take()
  const states: string[] = []
  const about = (kind: ReviewKind, by: Person, stated: Stated = {}) => {
    service.log.add(kind, by, { case: reviewedCase(1), hit: reviewedHit(), because: "x", ...stated })
    service.take()
    states.push(stateOf(service.books.get(1) ?? EMPTY_BOOK))
  }
  const answer = (kind: "APPROVE" | "WITHDRAW", by: Person, digest: string) => {
    service.log.answer(kind, by, digest)
    service.take()
    states.push(stateOf(service.books.get(1) ?? EMPTY_BOOK))
  }
  const propose = () => {
    const digest = service.log.propose(ann, 1)
    service.take()
    states.push(stateOf(service.books.get(1) ?? EMPTY_BOOK))
    return digest
  }
  about("UNSURE", ann)
  answer("WITHDRAW", ann, propose())
  answer("APPROVE", ben, propose())
  propose()
  about("SAME_PARTY", ben, { hit: reviewedHit("90002") })
  expect(states).toEqual(["OPEN", "PROPOSED", "OPEN", "PROPOSED", "DECIDED", "PROPOSED", "PROPOSED"])
})

test("each kind has the members that it needs, and only those", () => {
  const log = new ReviewLog()
  const [ann] = persons as [Person]
  const filled: Partial<Record<keyof ReviewRecord, unknown>> = {
    case: reviewedCase(1),
    hit: reviewedHit(),
    subject_digest: digestOf("s"),
    reason_digest: digestOf("r"),
    until: "2026-12-01T00:00:00Z",
    answers: digestOf("a"),
  }
  const faultsOf = (kind: ReviewKind) => {
    log.add(kind, ann)
    const { record } = log.entries.at(-1) ?? expect.unreachable()
    let whole = record
    // Adds each member that it lacks, until it has what it needs.
    for (let name = memberFault(whole); name !== null; name = memberFault(whole)) {
      if (whole[name] !== null || !(name in filled)) break
      whole = { ...whole, [name]: filled[name] }
    }
    expect([kind, memberFault(whole)]).toEqual([kind, null])
    return Object.keys(filled).filter((name) => whole[name as keyof ReviewRecord] !== null)
  }
  expect(faultsOf("OTHER_PARTY")).toEqual(["case", "hit", "reason_digest", "until"])
  expect(faultsOf("APPROVE")).toEqual(["answers"])
  expect(faultsOf("REJECT")).toEqual(["reason_digest", "answers"])
  expect(faultsOf("ENROL")).toEqual(["subject_digest"])
  expect(faultsOf("NOTE")).toEqual(["case", "reason_digest"])
  expect(faultsOf("CLOSE")).toEqual(["case", "reason_digest"])
})

test("who signs: a passkey, a session, or the operator who takes a key away", () => {
  const log = new ReviewLog()
  const [ann] = persons as [Person]
  const fault = (kind: ReviewKind, by: Person | null, stated: Stated) => {
    log.add(kind, by, stated)
    const { record } = log.entries.at(-1) ?? expect.unreachable()
    return memberFault(record)
  }
  const note = { case: reviewedCase(1), because: "x" }
  const revoke: Stated = { subject: { kind: "REVOKE", key_id: ann.enrolment.key_id }, because: "x" }
  expect(fault("NOTE", ann, note)).toBeNull()
  expect(fault("NOTE", ann, { ...note, key_id: ann.enrolment.key_id })).toBe("key_id")
  expect(fault("NOTE", null, note)).toBe("reviewer")
  expect(fault("REVOKE", null, revoke)).toBeNull()
  expect(fault("REVOKE", ann, revoke)).toBeNull()
  expect(fault("REVOKE", ann, { ...revoke, key_id: null })).toBe("key_id")
  expect(fault("CLOSE", null, note)).toBe("key_id")
})

test("a policy is laxer if it asks for fewer persons, or for fewer who could judge", () => {
  const laxer = (before: readonly [number, number], after: readonly [number, number]) =>
    isLaxer({ persons: before[0], of: before[1] }, { persons: after[0], of: after[1] })
  expect([laxer([2, 2], [1, 1]), laxer([2, 3], [2, 2]), laxer([2, 3], [1, 4])]).toEqual([true, true, true])
  expect([laxer([1, 1], [2, 2]), laxer([2, 2], [2, 3]), laxer([2, 3], [2, 3])]).toEqual([false, false, false])
  expect([policyText({ persons: 2, of: 2 }), policyText({ persons: 2, of: 3 })]).toEqual(["2", "2/3"])
})
