import { describe, expect } from "bun:test"
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { capsuleViewOfAnswer, coreOfAnswer } from "../../../src/core/capsule/answer-view.ts"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { signValue } from "../../../src/core/signer.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { DAY, SECOND } from "../../../src/core/time.ts"
import { type VerifyAnswerInput, verifyAnswer } from "../../../src/offline/kinds/answer.ts"
import { readIssuerKeys } from "../../../src/offline/steps/issuer-keys.ts"
import { DOCUMENT_BYTES_MAX } from "../../../src/offline/steps/read.ts"
import { judgeReport } from "../../../src/offline/words/judge-report.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { DECIDED_AT, issuerJwks } from "../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { FLIPS, howMany, SEED, sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { deliveredToy, toyRequest, toyRules } from "../../products/common/toy-product.ts"

const test = slowTests(import.meta.path)

const toy = deliveredToy()
const check = deliveredAnswer(companyCheckRules, companyCheckRequest(), companyCheckFacts())
const keys = readIssuerKeys(issuerJwks(), NATIVE_CRYPTO) ?? new Map()

type Given = Partial<Omit<VerifyAnswerInput, "capsule">> & { readonly capsule?: Uint8Array | null }

/** With the toy's capsule, unless `capsule` is given or null. */
function verify({ capsule = toy.capsuleBytes, ...given }: Given = {}) {
  const { report } = verifyAnswer(
    {
      ...{ bytes: toy.copies.paid, keys, at: DECIDED_AT + SECOND, crypto: NATIVE_CRYPTO, reformatted: false, ...given },
      ...(capsule && { capsule }),
    },
    [companyCheckRules, toyRules],
  )
  const failed = report.lines.filter(({ state }) => state !== "OK" && state !== "NOTE")
  const isTaken = judgeReport(report).current !== null
  return { conclusion: report.conclusion, isTaken, failed: failed.map((line) => line.check), lines: report.lines }
}

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes)

describe("a genuine answer", () => {
  test("is valid in every copy that the service sends, and the copies differ", () => {
    const { paid, replayed, fetched } = toy.copies
    for (const bytes of [paid, replayed, fetched, canonicalBytes(toy.answer)]) {
      expect(verify({ bytes })).toMatchObject({ conclusion: "VALID", failed: [] })
    }
    expect(text(paid)).toContain('"authorization_token":"svc_at_')
    expect(text(replayed)).toContain('"replayed":true')
    expect(text(fetched)).toContain("TOKEN_NOT_REPLAYED")
  })
  test("is valid with the text of the capsule header, and in its bundle without other files", () => {
    expect(verify({ capsule: new TextEncoder().encode(`${toy.capsuleHeader}\n`) }).conclusion).toBe("VALID")
    expect(verify({ bytes: toy.bundleBytes, capsule: null })).toMatchObject({ conclusion: "VALID", failed: [] })
    expect(verify({ bytes: toy.bundleBytes }).conclusion).toBe("VALID")
  })
  test("comes with a report of what is not signed", () => {
    const said = { check: "payment, economic_activity, replayed, authorization_token", state: "NOTE" }
    expect(verify().lines).toContainEqual(expect.objectContaining(said))
  })
  test("matches its own request and no other", () => {
    expect(verify({ request: toyRequest }).conclusion).toBe("VALID")
    const other = { ...toyRequest, wish: "a drum" }
    expect(verify({ request: other })).toMatchObject({ conclusion: "INVALID", failed: ["request"] })
    expect(verify({ request: companyCheckRequest() })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["request"] })
  })
  test("passes --require only with its machine action", () => {
    expect(verify({ require: "CONTINUE", environment: "test" }).conclusion).toBe("VALID")
    expect(verify({ require: "CONTINUE" })).toMatchObject({ conclusion: "INVALID", failed: ["environment"] })
    for (const require of ["CONTINUE_WITH_DECLARED_CONDITIONS", "RELEASE_PAYMENT"] as const) {
      expect(verify({ require, environment: "test" })).toMatchObject({ conclusion: "INVALID", failed: ["require"] })
    }
    for (const finding of ["UNSURE", "DOUBTFUL", "FORBIDDEN"] as const) {
      const { copies, capsuleBytes } = deliveredToy(finding)
      const one = { bytes: copies.paid, capsule: capsuleBytes }
      expect(verify(one).conclusion).toBe("VALID")
      expect(verify({ ...one, require: "CONTINUE", environment: "test" }).failed).toEqual(["require"])
    }
  })
  test("expires exactly at valid_until, and a clock thirty seconds behind is accepted at its start", () => {
    expect(verify({ at: DECIDED_AT + DAY - 1 }).conclusion).toBe("VALID")
    expect(verify({ at: DECIDED_AT + DAY })).toMatchObject({ conclusion: "INVALID", failed: ["time"] })
    expect(verify({ at: DECIDED_AT - 30 * SECOND }).conclusion).toBe("VALID")
    expect(verify({ at: DECIDED_AT - 31 * SECOND })).toMatchObject({ conclusion: "INVALID", failed: ["time"] })
  })
})

describe("the capsule", () => {
  test("that is missing or unreadable gives could-not-check", () => {
    expect(verify({ capsule: null })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["capsule"] })
    for (const capsule of ["{", "{}", "not base64url!", '{"payload":{"domain":"svc.proof-capsule.v1"}}']) {
      expect(verify({ capsule: new TextEncoder().encode(capsule) })).toMatchObject({
        conclusion: "NOT_CHECKED",
        failed: ["capsule"],
      })
    }
  })
  test("of another answer is invalid", () => {
    const other = deliveredToy("CLEAR", { ...toyRequest, wish: "a drum" })
    expect(verify({ capsule: other.capsuleBytes })).toMatchObject({ conclusion: "INVALID", failed: ["core digest"] })
    expect(verify({ capsule: check.capsuleBytes }).conclusion).toBe("INVALID")
    const beside = verify({ bytes: toy.bundleBytes, capsule: other.capsuleBytes })
    expect(beside).toMatchObject({ conclusion: "INVALID", failed: ["capsule given"] })
  })
  test("with extra members or in other bytes is invalid", () => {
    const more = canonicalBytes({ ...toy.capsule, extra: 1 })
    expect(verify({ capsule: more })).toMatchObject({ conclusion: "INVALID", failed: ["capsule schema"] })
    const pretty = new TextEncoder().encode(JSON.stringify(toy.capsule, null, 2))
    expect(verify({ capsule: pretty })).toMatchObject({ conclusion: "INVALID", failed: ["capsule bytes"] })
    expect(verify({ capsule: pretty, crypto: NATIVE_CRYPTO, reformatted: true }).conclusion).toBe("VALID")
  })
  test("signed by another key under the issuer's key id is invalid; signed by an unknown key it gives could-not-check", () => {
    const { value } = signValue(testKey("svc", 8), toy.capsule.payload)
    const forged = { ...toy.capsule, signature: { ...toy.capsule.signature, value } }
    expect(verify({ capsule: canonicalBytes(forged) })).toMatchObject({ conclusion: "INVALID", failed: ["signature"] })
    expect(verify({ keys: new Map() })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["signature"] })
  })
})

test("an uncharged answer gives could-not-check, whatever files are given with it", () => {
  const retry = { ...toy.answer, decision: "RETRY", execution_id: "", delivery_id: "" }
  expect(verify({ bytes: canonicalBytes(retry) })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["capsule"] })
})

test("a token in an answer that says it issued none is invalid", () => {
  const { answer, capsuleBytes } = deliveredToy("FORBIDDEN")
  const result = { ...answer.result, authorization_token: `svc_at_${"A".repeat(43)}` }
  const forged = verify({ bytes: canonicalBytes({ ...answer, result }), capsule: capsuleBytes })
  expect(forged).toMatchObject({ conclusion: "INVALID", failed: ["token"] })
})

test("a policy version that this program lacks is reported, and one with another checksum is invalid", () => {
  const [own] = toyRules.policies
  if (!own) throw new Error("no policy")
  const judged = (policies: (typeof own)[]) =>
    verifyAnswer(
      {
        bytes: toy.copies.paid,
        capsule: toy.capsuleBytes,
        keys,
        at: DECIDED_AT,
        crypto: NATIVE_CRYPTO,
        reformatted: false,
      },
      [{ ...toyRules, policies }],
    ).report
  const later = judged([{ ...own, version: "2.0.0" }])
  expect(later.conclusion).toBe("VALID")
  expect(later.lines.find((line) => line.check === "policy")?.state).toBe("NOTE")
  expect(judged([{ ...own, thresholds: { changed: true } }]).conclusion).toBe("INVALID")
})

describe("documents", () => {
  const stored = toy.answer
  test.each<[string, Uint8Array, string]>([
    ["no JSON", Buffer.from("{"), "NOT_CHECKED"],
    ["an array", Buffer.from("[]"), "NOT_CHECKED"],
    ["another product", canonicalBytes({ ...stored, product_or_solution: "us.other.v1" }), "NOT_CHECKED"],
    ["another version", canonicalBytes({ ...stored, schema_version: "2.0.0" }), "NOT_CHECKED"],
    ["a bundle of nothing", canonicalBytes({ format: "svc.answer-bundle.v1" }), "NOT_CHECKED"],
    ["a bundle of a later format", canonicalBytes({ ...toy.bundle, format: "svc.answer-bundle.v99" }), "NOT_CHECKED"],
    ["facts of another format", canonicalBytes({ ...toy.bundle, format: "svc.answer-bundle.v1" }), "INVALID"],
    ["an extra member", canonicalBytes({ ...stored, extra: 1 }), "INVALID"],
    ["an extra member in the result", canonicalBytes({ ...stored, result: { ...stored.result, extra: 1 } }), "INVALID"],
    ["a bundle with an extra member", canonicalBytes({ ...toy.bundle, extra: 1 }), "INVALID"],
    ["a document over the limit", new Uint8Array(DOCUMENT_BYTES_MAX + 1), "NOT_CHECKED"],
  ])("%s is not valid", (_what, bytes, conclusion) => {
    expect(verify({ bytes }).conclusion).toBe(conclusion as "INVALID")
  })
  test("a reformatted copy is invalid unless the caller allows it", () => {
    const pretty = new TextEncoder().encode(JSON.stringify(JSON.parse(text(toy.copies.paid)), null, 2))
    expect(verify({ bytes: pretty })).toMatchObject({ conclusion: "INVALID", failed: ["bytes"] })
    expect(verify({ bytes: pretty, crypto: NATIVE_CRYPTO, reformatted: true }).conclusion).toBe("VALID")
  })
})

/** The members that differ between two copies of one answer, and the payment details. */
const UNSIGNED = [
  /"economic_activity":\{[^}]*\}/,
  /"payment":\{[^}]*\}/,
  /"replayed":(true|false)/,
  /"authorization_token":"[^"]*"/,
] as const

describe("forgery", () => {
  test.each([
    [howMany(toy.copies.paid.length, FLIPS), "an answer with a token", toy.copies.paid, toy.capsuleBytes, 4],
    [howMany(toy.copies.fetched.length, FLIPS), "its copy by execution id", toy.copies.fetched, toy.capsuleBytes, 4],
    [howMany(check.copies.paid.length, FLIPS), "an answer with evidence", check.copies.paid, check.capsuleBytes, 3],
  ])(
    "one flipped bit at %s bytes of %s outside the unsigned members is never valid",
    (_count, _what, copy, capsule, spans) => {
      const whole = text(copy)
      const unsigned = UNSIGNED.flatMap((member) => {
        const found = member.exec(whole)
        return found ? [[found.index, found.index + found[0].length] as const] : []
      })
      expect(unsigned).toHaveLength(spans)
      const survivors: number[] = []
      let inside = 0
      const isUnsignedAt = (position: number) => unsigned.some(([from, to]) => position >= from && position < to)
      const places = [...copy.keys()]
      // All unsigned bytes, because a changed bit of most of them violates the schema.
      for (const position of [...sample(places, FLIPS), ...places.filter(isUnsignedAt)]) {
        const bits = position % 64 === 0 ? [0, 1, 2, 3, 4, 5, 6, 7] : [(position * 5 + 3) % 8]
        for (const bit of bits) {
          const bytes = copy.slice()
          bytes[position] = (bytes[position] ?? 0) ^ (1 << bit)
          if (!verify({ bytes, capsule }).isTaken) continue
          if (isUnsignedAt(position)) inside++
          else survivors.push(position)
        }
      }
      expect(survivors, `seed ${SEED}`).toEqual([])
      expect(inside).toBeGreaterThan(0)
    },
    60_000,
  )

  test(`one flipped bit at ${howMany(toy.capsuleBytes.length, FLIPS)} bytes of the capsule is never valid`, () => {
    const survivors: number[] = []
    for (const position of sample([...toy.capsuleBytes.keys()], FLIPS)) {
      const capsule = toy.capsuleBytes.slice()
      capsule[position] = (capsule[position] ?? 0) ^ (1 << ((position * 5 + 3) % 8))
      if (verify({ capsule }).isTaken) survivors.push(position)
    }
    expect(survivors, `seed ${SEED}`).toEqual([])
  }, 60_000)

  /** Everything an editor without the key can do: copy the edited answer into the capsule and recompute both digests. */
  function recomputed(edited: BusinessAnswer): Uint8Array {
    const core = coreOfAnswer(edited)
    const payload = { ...check.capsule.payload, ...capsuleViewOfAnswer(core, digestOf), core_digest: digestOf(core) }
    return canonicalBytes({ ...check.capsule, payload, capsule_digest: digestOf(payload) })
  }

  const isUnsigned = (pointer: string) => /^\/(payment|economic_activity|replayed)(\/|$)/.test(pointer)
  const every = edits(check.answer as unknown as JsonValue)
  const outside = every.filter(({ pointer }) => !isUnsigned(pointer))

  test("the edits cover every member", () => {
    const members = new Set(every.map(({ pointer }) => pointer.split("/")[1]))
    expect([...members].sort()).toEqual(Object.keys(check.answer).sort())
    expect(outside.length).toBeGreaterThan(300)
  })

  test("no edit of a signed member is valid, with the original capsule or with all digests recomputed", () => {
    const survivors: string[] = []
    for (const { pointer, value } of outside) {
      const bytes = canonicalBytes(value)
      let forged = check.capsuleBytes
      try {
        forged = recomputed(value as unknown as BusinessAnswer)
      } catch (error) {
        // The edit removed a member the recomputation reads; without it there is nothing to recompute.
        if (!(error instanceof TypeError)) throw error
      }
      for (const capsule of [check.capsuleBytes, forged]) {
        if (verify({ bytes, capsule }).isTaken) survivors.push(pointer)
      }
    }
    expect(survivors).toEqual([])
  }, 60_000)

  test("an edit of the payment details goes undetected, and the report says so", () => {
    const payment = { ...check.answer.payment, charged_price_usd: 0 }
    const bytes = canonicalBytes({ ...check.answer, payment })
    expect(verify({ bytes, capsule: check.capsuleBytes }).conclusion).toBe("VALID")
  })

  test.each<[string, string, (bundle: AnswerBundle) => object]>([
    ["facts", "bundled facts", (b) => ({ ...b, facts: { ...b.facts, base_url: "https://x" } })],
    ["snapshots", "bundled snapshots", (b) => ({ ...b, snapshots: b.snapshots.slice(1) })],
    ["policy checksum", "bundled policy", (b) => ({ ...b, policy_checksum: digestOf("other") })],
    ["request", "bundled request", (b) => ({ ...b, request: { ...b.request, wish: "a drum" } })],
  ])("an edited %s of a bundle is invalid", (_what, line, edit) => {
    const bytes = canonicalBytes(edit(toy.bundle))
    expect(verify({ bytes, capsule: null })).toMatchObject({ conclusion: "INVALID", failed: [line] })
  })
})
