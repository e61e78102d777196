/** An export of review records, made by a service in memory, and what somebody who has its key could change. */
import { describe, expect, test } from "bun:test"
import type { ReviewExport, ReviewExportPayload } from "../../../../schemas/review.ts"
import { canonicalBytes } from "../../../../src/core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../../../src/core/crypto/native-crypto.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { verifierKeyOf } from "../../../../src/core/sign-checkpoint.ts"
import { signedAnswer } from "../../../../src/core/signer.ts"
import { documentKind } from "../../../../src/offline/kinds/document-kinds.ts"
import { verifyReviewExport } from "../../../../src/offline/kinds/review/review-export.ts"
import { PORTABLE_CRYPTO } from "../../../../src/offline/portable/portable-crypto.ts"
import { readIssuerKeys } from "../../../../src/offline/steps/issuer-keys.ts"
import { judgeReport } from "../../../../src/offline/words/judge-report.ts"
import { issuerJwks, issuerKey } from "../../../fixtures/decision.ts"
import {
  caseRow,
  LOG_ORIGIN,
  newPerson,
  type Person,
  REVIEW_TIME,
  reviewedCase,
  reviewedHit,
} from "../../../fixtures/review-log.ts"
import { exported, LOG_KEY, newLogKey, outcomesOf, team } from "../../../fixtures/review-team.ts"

const PINNED = verifierKeyOf(LOG_ORIGIN, LOG_KEY.x)
const DAY = 86_400_000

function verified(
  signed: ReviewExport,
  { crypto = NATIVE_CRYPTO, logKey = PINNED as typeof PINNED | null, records = [] as string[] } = {},
) {
  const keys = readIssuerKeys(issuerJwks(issuerKey, { nbf: 0 }), crypto)
  if (!keys) throw new Error("no keys")
  const at = REVIEW_TIME + 2 * DAY
  const { report, stated } = verifyReviewExport({
    bytes: canonicalBytes(signed),
    ...{ keys, crypto, at, logKey, records, reformatted: false },
  })
  const wrong = report.lines
    .filter(({ state }) => state === "INVALID")
    .map(({ check, detail }) => `${check}: ${detail}`)
  return { report, stated, wrong, verdict: judgeReport(report).verdict }
}

/** The service's key signs whatever the change made. */
function changed(signed: ReviewExport, change: (payload: ReviewExportPayload) => Partial<ReviewExportPayload>) {
  return signedAnswer(issuerKey, { ...signed.payload, ...change(structuredClone(signed.payload)) })
}

describe("a good export", () => {
  test("is genuine, natively and in plain JavaScript, and no permission", () => {
    const signed = exported(team())
    for (const crypto of [NATIVE_CRYPTO, PORTABLE_CRYPTO]) {
      const { wrong, verdict, stated, report } = verified(signed, { crypto })
      expect(wrong).toEqual([])
      expect(verdict).toBe("GOOD")
      expect(stated).toMatchObject({ product: "svc.review-export.v1", machineAction: null, environment: "test" })
      expect(report.lines.filter(({ state }) => state === "OK").length).toBeGreaterThan(10)
    }
    expect(documentKind(canonicalBytes(signed))).toBe("REVIEW")
  })

  test("says that its head of the log is a claim where no log key was given, and refuses another log's key", () => {
    const signed = exported(team())
    const { report, verdict } = verified(signed, { logKey: null })
    expect(verdict).toBe("GOOD")
    expect(report.lines.find(({ check }) => check === "log key")?.state).toBe("NOTE")
    const other = verifierKeyOf(LOG_ORIGIN, newLogKey(8).x)
    expect(verified(signed, { logKey: other }).wrong).toEqual([
      "log key: the checkpoint is not signed by the log key given",
    ])
  })

  test("has the record of a receipt, or is not the one that was asked for", () => {
    const made = team()
    expect(verified(exported(made), { records: [made.proposal, made.rejected] }).verdict).toBe("GOOD")
    const missing = verified(exported(made), { records: [made.proposal, digestOf("left out")] })
    expect([missing.verdict, missing.wrong]).toEqual(["REFUSED", [`record: ${digestOf("left out")} is missing`]])
  })

  test("names whom the operator admitted without approvals", () => {
    const made = team()
    made.log.enrol(newPerson("Dee", { breakGlass: "both others are ill" }))
    const { wrong, report } = verified(exported(made))
    expect(wrong).toEqual([])
    expect(report.lines).toContainEqual({
      check: "break glass",
      state: "NOTE",
      detail: "Dee was enrolled without approvals: both others are ill",
    })
  })

  test("of some cases has their records and those about reviewers", () => {
    const made = team()
    const signed = exported(made)
    const part = changed(signed, ({ entries, cases }) => ({
      case_numbers: [17],
      entries: entries.filter(({ record }) => record.case === null || record.case.number === 17),
      cases: cases.filter(({ number }) => number === 17),
    }))
    expect(verified(part).wrong).toEqual([])
    const without = (sequence: number) =>
      changed(part, ({ entries }) => ({ entries: entries.filter((one) => one.sequence !== sequence) }))
    // The note, the proposal and the approval of the case; the first four are about reviewers.
    for (const sequence of [1, 2, 3, 4, 5, 6]) expect(verified(without(sequence)).verdict).toBe("REFUSED")
    const more = changed(signed, () => ({ case_numbers: [17] }))
    expect(verified(more).wrong[0]).toContain("is about a case that the export leaves out")
  })

  test("may lack the text of a note, and never a reason", () => {
    const signed = exported(team())
    const without = (sequence: number) =>
      changed(signed, ({ entries }) => ({
        entries: entries.map((one) => (one.sequence === sequence ? { ...one, reason: null } : one)),
      }))
    expect(verified(without(5)).wrong).toEqual([])
    expect(verified(without(6)).wrong).toEqual(["records: record 6 lacks its reason, which is never redacted"])
  })
})

describe("finds", () => {
  const made = team()
  const signed = exported(made)
  const { entries } = signed.payload

  test("an edit of any byte without the service's key", () => {
    const text = Buffer.from(canonicalBytes(signed))
    for (let at = 11; at < text.length; at += 97) {
      const other = Buffer.from(text)
      other[at] = (other[at] ?? 0) ^ 1
      const { report } = verifyReviewExport({
        bytes: other,
        keys: readIssuerKeys(issuerJwks(issuerKey, { nbf: 0 }), NATIVE_CRYPTO) ?? new Map(),
        ...{ crypto: NATIVE_CRYPTO, at: REVIEW_TIME + 2 * DAY, logKey: PINNED, records: [], reformatted: false },
      })
      expect([at, report.conclusion]).not.toEqual([at, "VALID"])
    }
  })

  test.each(entries.map(({ sequence }) => sequence))(
    "record %i removed, with the count as it was or made to fit",
    (sequence) => {
      const rest = entries.filter((one) => one.sequence !== sequence)
      expect(verified(changed(signed, () => ({ entries: rest }))).verdict).toBe("REFUSED")
      const isLast = sequence === entries.length
      const fitting = changed(signed, () => ({
        entries: rest,
        entry_count: rest.length,
        cases: signed.payload.cases.slice(0, 2),
      }))
      // Who has the service's key can leave out the newest records, and the report says so.
      expect(verified(fitting).verdict).toBe(isLast ? "GOOD" : "REFUSED")
    },
  )

  test("two records that changed places, also with new numbers", () => {
    for (let at = 1; at < entries.length; at++) {
      const order = [...entries.keys()]
      ;[order[at - 1], order[at]] = [at, at - 1]
      const swapped = order.map((index) => entries[index] as (typeof entries)[number])
      const numbered = swapped.map((one, index) => ({ ...one, sequence: index + 1 }))
      for (const wrong of [swapped, numbered]) {
        expect(verified(changed(signed, () => ({ entries: wrong }))).verdict).toBe("REFUSED")
      }
    }
  })

  test("any edited member of any record", () => {
    for (const [at, { record }] of entries.entries()) {
      for (const name of Object.keys(record) as (keyof typeof record)[]) {
        const before = record[name]
        const after =
          name === "kind"
            ? before === "NOTE"
              ? "UNSURE"
              : "NOTE"
            : name === "environment"
              ? "live"
              : name === "recorded_at" || name === "until"
                ? "2026-12-01T00:00:00Z"
                : name === "case"
                  ? reviewedCase(17, { case_digest: digestOf("another") })
                  : name === "hit"
                    ? reviewedHit("90002")
                    : typeof before === "string" && before.startsWith("sha256:")
                      ? digestOf("another")
                      : typeof before === "string" && name !== "domain"
                        ? `${before.slice(0, -1)}${before.endsWith("A") ? "B" : "A"}`
                        : undefined
        if (after === undefined || after === before) continue
        const other = entries.map((one, index) =>
          index === at ? { ...one, record: { ...record, [name]: after } } : one,
        )
        const { verdict } = verified(changed(signed, () => ({ entries: other as typeof entries })))
        expect([at, name, verdict]).toEqual([at, name, "REFUSED"])
      }
    }
  })

  test("a record of a stranger, and one that repeats another", () => {
    const stranger = newPerson("Eve")
    for (const by of [stranger, { ...made.ann, authenticator: stranger.authenticator } as Person]) {
      const { log, proposal } = team()
      const outcomes = outcomesOf(log, proposal)
      log.add("UNSURE", by, { case: reviewedCase(19), hit: reviewedHit(), because: "?" })
      expect(verified(log.export(issuerKey, LOG_KEY, outcomes)).wrong.join()).toMatch(/passkeys: record 11/)
    }
    const again = [...entries, { ...(entries.at(-1) as (typeof entries)[number]), sequence: entries.length + 1 }]
    expect(verified(changed(signed, () => ({ entries: again, entry_count: again.length }))).verdict).toBe("REFUSED")
  })

  test("an assertion of another record, a counter that fell, a framed page, no verification", () => {
    const at = (sequence: number, assertion: unknown) =>
      changed(signed, () => ({
        entries: entries.map((one) => (one.sequence === sequence ? { ...one, assertion } : one)) as typeof entries,
      }))
    expect(verified(at(6, entries[3]?.assertion)).wrong).toEqual([
      "passkeys: record 6: the assertion is not valid (CHALLENGE)",
    ])
    expect(verified(at(6, null)).wrong).toEqual(["passkeys: record 6 has a key without an assertion"])
    const fallen = team()
    fallen.ann.authenticator.counter = 1
    fallen.log.add("CLOSE", fallen.ann, { case: reviewedCase(19), because: "over" })
    const outcomes = { ...outcomesOf(fallen.log, fallen.proposal) }
    const cases = [caseRow(17, "DECIDED"), caseRow(18, "OPEN"), caseRow(19, "CLOSED")]
    expect(verified(fallen.log.export(issuerKey, LOG_KEY, { ...outcomes, cases })).wrong).toEqual([
      "passkeys: record 11: the assertion is not valid (COUNTER)",
    ])
  })

  test("a record that is no leaf, or that is a leaf elsewhere", () => {
    const at = (change: (place: (typeof entries)[number]["place"]) => object) =>
      changed(signed, () => ({
        entries: entries.map((one) =>
          one.sequence === 6 ? { ...one, place: { ...one.place, ...change(one.place) } } : one,
        ),
      }))
    for (const change of [
      ({ log_index }: { log_index: number }) => ({ log_index: log_index + 1 }),
      ({ inclusion_path }: { inclusion_path: string[] }) => ({ inclusion_path: inclusion_path.slice(1) }),
      () => ({ inclusion_path: [] }),
      () => ({ map_root: Buffer.alloc(32, 1).toString("base64") }),
      () => ({ log_index: 1 }),
    ]) {
      expect(verified(at(change as never)).wrong.join()).toMatch(/^log: record 6/)
    }
  })
})

describe("a broken policy", () => {
  const policyOf = (build: (made: ReturnType<typeof team>) => unknown) => {
    const made = team()
    build(made)
    const { wrong } = verified(made.log.export(issuerKey, LOG_KEY))
    return wrong.find((line) => line.startsWith("policy"))?.replace(/^policy: record \d+ was not allowed: /, "")
  }

  test.each<[string, (made: ReturnType<typeof team>) => unknown, string]>([
    ["the proposer approves", ({ log, ann }) => log.answer("APPROVE", ann, log.propose(ann, 20)), "OWN_PROPOSAL"],
    [
      "one person has two keys",
      ({ log, ann, ben, cem }) => {
        const second = newPerson("Ann", { reviewer: ann.reviewer })
        const enrolment = log.enrol(second)
        log.answer("APPROVE", ben, enrolment)
        log.answer("APPROVE", cem, enrolment)
        return log.answer("APPROVE", second, log.propose(ann, 20))
      },
      "OWN_PROPOSAL",
    ],
    [
      "a recused person judges",
      ({ log, ann, cem }) => {
        const about = reviewedCase(20, { organization_id: "acme" })
        return log.answer("APPROVE", cem, log.propose(ann, 20, { case: about }))
      },
      "RECUSED",
    ],
    [
      "a key counts before it is approved",
      ({ log, ann }) => {
        const dee = newPerson("Dee")
        log.enrol(dee)
        return log.answer("APPROVE", dee, log.propose(ann, 20))
      },
      "KEY_NOT_ACTIVE",
    ],
    [
      "a revoked key approves",
      ({ log, ann, ben }) => {
        log.add("REVOKE", null, { subject: { kind: "REVOKE", key_id: ben.enrolment.key_id }, because: "lost" })
        return log.answer("APPROVE", ben, log.propose(ann, 20))
      },
      "KEY_NOT_ACTIVE",
    ],
    [
      "an approval brings back a revoked key",
      ({ log, ann, ben }) => {
        const dee = newPerson("Dee")
        const enrolment = log.enrol(dee)
        log.answer("APPROVE", ann, enrolment)
        log.add("REVOKE", null, { subject: { kind: "REVOKE", key_id: dee.enrolment.key_id }, because: "left" })
        return log.answer("APPROVE", ben, enrolment)
      },
      "KEY_NOT_ACTIVE",
    ],
    [
      "a key is enrolled under the credential id of another",
      ({ log, ann, ben }) => {
        const second = newPerson("Ben", { reviewer: ben.reviewer })
        const { credential_id } = ann.enrolment
        return log.enrol({ ...second, enrolment: { ...second.enrolment, credential_id } })
      },
      "KEY_OF_ANOTHER",
    ],
    [
      "the proposer's key was revoked",
      ({ log, ann, ben }) => {
        const proposal = log.propose(ann, 20)
        log.add("REVOKE", ben, { subject: { kind: "REVOKE", key_id: ann.enrolment.key_id }, because: "lost" })
        return log.answer("APPROVE", ben, proposal)
      },
      "PROPOSER_LOST",
    ],
    [
      "too few can judge",
      ({ log, ann, ben, cem }) => {
        const proposal = log.propose(ann, 20)
        log.add("REVOKE", ben, { subject: { kind: "REVOKE", key_id: cem.enrolment.key_id }, because: "left" })
        return log.answer("APPROVE", ben, proposal)
      },
      "TOO_FEW_PERSONS",
    ],
    [
      "an approval of other bytes",
      ({ log, ann, ben }) =>
        log.answer("APPROVE", ben, log.propose(ann, 20), {
          case: reviewedCase(20, { case_digest: digestOf("other") }),
        }),
      "DIFFERS",
    ],
    [
      "an approval of another entry",
      ({ log, ann, ben }) => log.answer("APPROVE", ben, log.propose(ann, 20), { hit: reviewedHit("90002") }),
      "DIFFERS",
    ],
    ["an approval of what was rejected", ({ log, cem, rejected }) => log.answer("APPROVE", cem, rejected), "NOT_OPEN"],
    [
      "a withdrawal by another",
      ({ log, ann, ben }) => log.answer("WITHDRAW", ben, log.propose(ann, 20)),
      "NOT_OWN_PROPOSAL",
    ],
    ["a policy that nobody can meet", ({ log, ann }) => log.policy(ann, 2, 4), "TOO_FEW_PERSONS"],
    ["a judgement over a year", ({ log, ann }) => log.propose(ann, 20, { until: "2028-01-01T00:00:00Z" }), "UNTIL"],
    [
      "a record about a closed case",
      ({ log, ann, ben }) => {
        log.add("CLOSE", ann, { case: reviewedCase(19), because: "over" })
        return log.propose(ben, 19)
      },
      "CASE_CLOSED",
    ],
    [
      "a case closed over an open proposal",
      ({ log, ann, ben }) => {
        log.propose(ann, 20)
        return log.add("CLOSE", ben, { case: reviewedCase(20), because: "over" })
      },
      "PROPOSAL_OPEN",
    ],
    ["a member too many", ({ log, ann }) => log.propose(ann, 20, { answers: digestOf("x") }), "MEMBERS"],
  ])("%s", (_, build, fault) => {
    expect(policyOf(build)).toBe(fault)
  })

  test("a laxer policy counts only after its approvals", () => {
    const made = team()
    const { log, ann, ben } = made
    const change = log.policy(ann, 1, 1)
    const alone = log.propose(ann, 20)
    const outcomes = (decided: "PROPOSED" | "DECIDED", judged: readonly string[]) => ({
      cases: [caseRow(17, "DECIDED"), caseRow(18, "OPEN"), caseRow(19, "OPEN"), caseRow(20, decided)],
      judgements: judged.flatMap((digest) => outcomesOf(log, digest).judgements ?? []),
    })
    const sees = (made: Partial<ReviewExportPayload>) => verified(log.export(issuerKey, LOG_KEY, made)).wrong
    expect(sees(outcomes("PROPOSED", [made.proposal]))).toEqual([])
    expect(sees(outcomes("DECIDED", [made.proposal, alone]))).toEqual([
      "cases: the case 20 is DECIDED, and its records lead to PROPOSED",
      expect.stringMatching(/^judgements: sup_\S+ has not the records that it needs$/),
    ])
    log.answer("APPROVE", ben, change)
    const after = log.propose(ann, 21)
    const cases = [...outcomes("PROPOSED", []).cases, caseRow(21, "DECIDED")]
    expect(sees({ cases, judgements: outcomes("PROPOSED", [made.proposal, after]).judgements })).toEqual([])
    expect(sees({ cases, judgements: outcomes("PROPOSED", [made.proposal]).judgements })).toEqual([
      "judgements: the approved judgement about US_OFAC_SDN 90001 is missing",
    ])
  })
})
