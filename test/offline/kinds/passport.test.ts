import { describe, expect, test } from "bun:test"
import type { CompanyPassport } from "../../../schemas/us/company-passport.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { signedAnswer } from "../../../src/core/signer.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { instant, SECOND } from "../../../src/core/time.ts"
import { type VerifyPassportInput, verifyPassport } from "../../../src/offline/kinds/passport.ts"
import { readIssuerKeys } from "../../../src/offline/steps/issuer-keys.ts"
import { DOCUMENT_BYTES_MAX } from "../../../src/offline/steps/read.ts"
import { judgeReport } from "../../../src/offline/words/judge-report.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { passportOf } from "../../fixtures/company-passport.ts"
import { DECIDED_AT, issuerJwks, issuerKey } from "../../fixtures/decision.ts"
import { companyCheckRequest } from "../../fixtures/delivered-answer.ts"
import { edits } from "../../fixtures/json-edits.ts"
import { FLIPS, howMany, SEED, sample } from "../../fixtures/long.ts"

const { passport, bytes: genuine, answered } = passportOf()
const keys = readIssuerKeys(issuerJwks(), NATIVE_CRYPTO) ?? new Map()

function verify(changes: Partial<VerifyPassportInput> = {}) {
  const { report, stated } = verifyPassport({
    ...{ bytes: genuine, keys, at: DECIDED_AT + SECOND, crypto: NATIVE_CRYPTO, reformatted: false },
    ...changes,
  })
  const failed = report.lines.filter(({ state }) => state !== "OK" && state !== "NOTE")
  const isTaken = judgeReport(report).current !== null
  return {
    conclusion: report.conclusion,
    isTaken,
    failed: failed.map((line) => line.check),
    lines: report.lines,
    stated,
  }
}

describe("a genuine passport", () => {
  test("is valid by itself, decides nothing, and states that it proves no more than the check", () => {
    const { conclusion, failed, lines, stated } = verify()
    expect([conclusion, failed]).toEqual(["VALID", []])
    expect(stated).toMatchObject({ decision: null, machineAction: null, decisionId: null })
    expect(lines.find((line) => line.check === "scope")?.detail).toContain("no more than the check")
  })
  test("is compared with every copy of the check's answer and with its bundle", () => {
    for (const check of [...Object.values(answered.copies), answered.bundleBytes]) {
      expect(verify({ check })).toMatchObject({ conclusion: "VALID", failed: [] })
    }
  })
  test("does not match another check, and cannot be compared with another kind of document", () => {
    const other = passportOf({}, companyCheckRequest({ company: { identifiers: { cage: "1ABC5" }, legal_name: "X" } }))
    expect(verify({ check: other.answered.copies.paid })).toMatchObject({ conclusion: "INVALID", failed: ["check"] })
    expect(verify({ check: genuine })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["check"] })
    expect(verify({ check: new Uint8Array() })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["check"] })
  })
  test("expires with the check", () => {
    const end = instant(answered.answer.valid_until)
    expect(verify({ at: end - 1 }).conclusion).toBe("VALID")
    expect(verify({ at: end })).toMatchObject({ conclusion: "INVALID", failed: ["time"] })
  })
  test("takes the issuer's keys as an exporter writes them", () => {
    const { keys: published } = issuerJwks() as { keys: object[] }
    const exported = { keys: published.map((key) => ({ ...key, key_ops: ["verify"], ext: true })) }
    expect(verify({ keys: readIssuerKeys(exported, NATIVE_CRYPTO) ?? new Map() }).failed).toEqual([])
    expect(readIssuerKeys({ keys: published.map((key) => ({ ...key, d: "" })) }, NATIVE_CRYPTO)).toBeNull()
  })
  test("needs the issuer's key, which must not be revoked", () => {
    expect(verify({ keys: new Map() })).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["signature"] })
    const revoked = readIssuerKeys(issuerJwks(issuerKey, { svc_status: "REVOKED" }), NATIVE_CRYPTO) ?? new Map()
    expect(verify({ keys: revoked })).toMatchObject({ conclusion: "INVALID", failed: ["key status"] })
  })
})

describe("forgery", () => {
  test(`one flipped bit at ${howMany(genuine.length, FLIPS)} bytes is detected`, () => {
    const survivors: number[] = []
    for (const position of sample([...genuine.keys()], FLIPS)) {
      const bytes = genuine.slice()
      bytes[position] = (bytes[position] ?? 0) ^ (1 << ((position * 5 + 3) % 8))
      if (verify({ bytes }).isTaken) survivors.push(position)
    }
    expect(survivors, `seed ${SEED}`).toEqual([])
  }, 60_000)

  test("any edit is detected, with the original or a recomputed digest", () => {
    const every = edits(passport as unknown as JsonValue)
    expect(every.length).toBeGreaterThan(150)
    const survivors = every.filter(({ value }) => {
      const { payload } = value as unknown as CompanyPassport
      const recomputed = payload === undefined ? value : { ...(value as object), digest: digestOf(payload) }
      const forged = Buffer.compare(canonicalBytes(recomputed), genuine) === 0 ? [value] : [value, recomputed]
      return forged.some((one) => verify({ bytes: canonicalBytes(one) }).isTaken)
    })
    expect(survivors.map(({ pointer }) => pointer)).toEqual([])
  }, 60_000)

  test("a passport signed by another key under the issuer's key id is invalid", () => {
    const forged = signedAnswer({ ...testKey("svc", 8), keyId: issuerKey.keyId }, passport.payload)
    expect(verify({ bytes: canonicalBytes(forged) })).toMatchObject({ conclusion: "INVALID", failed: ["signature"] })
  })

  test("a passport signed by the issuer that states more than the check is invalid beside the check", () => {
    const payload = { ...passport.payload, identity_state: "REGISTERED" as const }
    const bytes = canonicalBytes(signedAnswer(issuerKey, payload))
    expect(verify({ bytes, check: answered.copies.paid })).toMatchObject({ conclusion: "INVALID", failed: ["check"] })
  })
})

test.each<[string, Uint8Array, string]>([
  ["no JSON", Buffer.from("{"), "NOT_CHECKED"],
  ["a later version", canonicalBytes({ payload: { ...passport.payload, schema_version: "2.0.0" } }), "NOT_CHECKED"],
  ["an extra member", canonicalBytes({ ...passport, extra: 1 }), "INVALID"],
  ["another layout", Buffer.from(JSON.stringify(passport, null, 2)), "INVALID"],
  ["a document over the limit", new Uint8Array(DOCUMENT_BYTES_MAX + 1), "NOT_CHECKED"],
])("%s is not valid", (_what, bytes, conclusion) => {
  expect(verify({ bytes }).conclusion).toBe(conclusion as "INVALID")
})
