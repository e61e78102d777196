/** Whoever forges an export chooses every text and number in it. Each verdict on one is a fault, and never an exception. */
import { expect, setDefaultTimeout, test } from "bun:test"
import type { ReviewExport, ReviewExportPayload } from "../../../../schemas/review.ts"
import { canonicalBytes } from "../../../../src/core/canonical-json.ts"
import type { DocumentCrypto } from "../../../../src/core/crypto/document-crypto.ts"
import { NATIVE_CRYPTO } from "../../../../src/core/crypto/native-crypto.ts"
import { verifierKeyOf } from "../../../../src/core/sign-checkpoint.ts"
import { signedAnswer } from "../../../../src/core/signer.ts"
import { verifyReviewExport } from "../../../../src/offline/kinds/review/review-export.ts"
import { PORTABLE_CRYPTO } from "../../../../src/offline/portable/portable-crypto.ts"
import { readIssuerKeys } from "../../../../src/offline/steps/issuer-keys.ts"
import { judgeReport } from "../../../../src/offline/words/judge-report.ts"
import { issuerJwks, issuerKey } from "../../../fixtures/decision.ts"
import { LOG_ORIGIN, newPerson, REVIEW_TIME, ReviewLog, reviewedCase } from "../../../fixtures/review-log.ts"
import { LOG_KEY, outcomesOf } from "../../../fixtures/review-team.ts"

setDefaultTimeout(120_000)

const KEYS = readIssuerKeys(issuerJwks(issuerKey, { nbf: 0 }), NATIVE_CRYPTO) ?? expect.unreachable()
const PINNED = verifierKeyOf(LOG_ORIGIN, LOG_KEY.x)

function verdictOn(signed: ReviewExport, crypto: DocumentCrypto = NATIVE_CRYPTO): string {
  const { report } = verifyReviewExport({
    bytes: canonicalBytes(signed),
    ...{ keys: KEYS, crypto, at: REVIEW_TIME + 2 * 86_400_000, logKey: PINNED, records: [], reformatted: false },
  })
  return judgeReport(report).verdict
}

test.each(["x", "", ":", "http://", "reviews.localhost:8411", "about:blank", "http://[::1", "\u0000"])(
  "a reviewer who worked at the origin %j",
  (origin) => {
    for (const algorithm of [-8, -7] as const) {
      const log = new ReviewLog()
      const ann = newPerson("Ann", { algorithm })
      log.add("ENROL", ann, { subject: ann.enrolment, origin })
      for (const crypto of [NATIVE_CRYPTO, PORTABLE_CRYPTO]) {
        expect([origin, verdictOn(log.export(issuerKey, LOG_KEY), crypto)]).toEqual([origin, "REFUSED"])
      }
    }
  },
)

/** An enrolment, a note, a judgement and what came of them. */
function smallExport(): ReviewExportPayload {
  const log = new ReviewLog()
  const ann = newPerson("Ann")
  log.enrol(ann)
  log.add("NOTE", ann, { case: reviewedCase(17), because: "asked the registrar" })
  const proposal = log.propose(ann)
  const outcomes = outcomesOf(log, proposal)
  return log.export(issuerKey, LOG_KEY, { ...outcomes, cases: outcomes.cases?.slice(0, 1) ?? [] }).payload
}

type Path = readonly (string | number)[]

/** The places of all texts and numbers in a value. */
function placesIn(value: unknown, at: Path = []): Path[] {
  if (typeof value === "string" || typeof value === "number") return [at]
  if (typeof value !== "object" || value === null) return []
  return Object.entries(value).flatMap(([name, one]) =>
    placesIn(one, [...at, Array.isArray(value) ? Number(name) : name]),
  )
}

function valueAt(value: unknown, path: Path): unknown {
  return path.reduce<unknown>((one, name) => (one as Record<string | number, unknown>)[name], value)
}

/** A copy with another value at the place. */
function changedAt<Value>(value: Value, path: Path, other: unknown): Value {
  const copy = structuredClone(value)
  const holder = valueAt(copy, path.slice(0, -1)) as Record<string | number, unknown>
  holder[path.at(-1) ?? ""] = other
  return copy
}

/** Texts and numbers of the same kind that nobody expects. */
function hostileFor(value: unknown): readonly unknown[] {
  if (typeof value === "number") return [0, -1, 0.5, value + 1, 2 ** 32, Number.MAX_SAFE_INTEGER, 2 ** 53, 1e300]
  const text = String(value)
  const turned = `${text.slice(0, -1)}${text.endsWith("A") ? "B" : "A"}`
  const times = ["2016-12-31T23:59:60Z", "0000-01-01T00:00:00+23:59", "9999-12-31T23:59:59.999999999-23:59"]
  return ["x", "", "\u0000", "A", "AAAA", text.slice(1), text.slice(0, -1), `${text}A`, turned, "__proto__", ...times]
}

test("any text or number of an export, as anybody could write it", () => {
  const payload = smallExport()
  expect(verdictOn(signedAnswer(issuerKey, payload))).toBe("GOOD")
  for (const path of placesIn(payload)) {
    const before = valueAt(payload, path)
    for (const other of hostileFor(before)) {
      if (other === before) continue
      const verdict = verdictOn(signedAnswer(issuerKey, changedAt(payload, path, other)))
      // What the service says beside its records, such as the name of a supplier, is as it signs it.
      if (path[0] === "entries") expect([path.join("/"), other, verdict]).not.toEqual([path.join("/"), other, "GOOD"])
    }
  }
})
