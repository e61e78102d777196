import { describe, expect } from "bun:test"
import type { AnswerBundle } from "../../../schemas/answer-bundle.ts"
import { canonicalBytes } from "../../../src/core/canonical-json.ts"
import { NATIVE_CRYPTO } from "../../../src/core/crypto/native-crypto.ts"
import { type IssuerKeys, readIssuerKeys } from "../../../src/offline/steps/issuer-keys.ts"
import { answerBundles } from "../../../src/products/common/answer-bundles.ts"
import { replayBundle } from "../../../src/products/common/replay-bundle.ts"
import { companyCheckRules } from "../../../src/products/us/company-check/rules.ts"
import { testKey } from "../../fixtures/buyers.ts"
import { issuerJwks, screeningHit, screeningOf } from "../../fixtures/decision.ts"
import { companyCheckFacts, companyCheckRequest, deliveredAnswer } from "../../fixtures/delivered-answer.ts"
import { FLIPS, howMany, SEED, sample } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { deliveredToy, toyRules } from "./toy-product.ts"

const test = slowTests(import.meta.path)

const keys = readIssuerKeys(issuerJwks(), NATIVE_CRYPTO)
const request = companyCheckRequest()
const check = deliveredAnswer(companyCheckRules, request, companyCheckFacts())

function replay(bytes: Uint8Array, given: IssuerKeys | null = keys) {
  const report = replayBundle(bytes, given, answerBundles([companyCheckRules, toyRules]))
  const failed = report.lines.filter((line) => line.state === "INVALID" || line.state === "UNCHECKED")
  return { conclusion: report.conclusion, failed: failed.map((line) => line.check), lines: report.lines }
}

type Writable<T> = T extends object ? { -readonly [K in keyof T]: Writable<T[K]> } : T

function edited(edit: (bundle: Writable<AnswerBundle>) => void, bundle = check.bundle): Uint8Array {
  const copy = structuredClone(bundle) as Writable<AnswerBundle>
  edit(copy)
  return canonicalBytes(copy)
}

describe("replay", () => {
  test("reproduces an answer of every outcome byte for byte from its bundle", () => {
    for (const finding of ["CLEAR", "UNSURE", "DOUBTFUL", "FORBIDDEN"] as const) {
      expect(replay(deliveredToy(finding).bundleBytes)).toMatchObject({ conclusion: "VALID", failed: [] })
    }
    const listed = screeningOf("MATCH", [screeningHit({ tier: "BLOCK" })])
    for (const facts of [companyCheckFacts(), companyCheckFacts({ screening: listed })]) {
      const { lines, conclusion } = replay(deliveredAnswer(companyCheckRules, request, facts).bundleBytes)
      expect(conclusion).toBe("VALID")
      expect(lines.filter(({ state }) => state === "OK").map((line) => line.check)).toEqual(
        expect.arrayContaining(["policy", "decision", "capsule payload", "capsule digest", "signature"]),
      )
    }
  })

  test("replays a bundle whose answer is a repeated copy with a token like the stored one", () => {
    const toy = deliveredToy()
    const answer = JSON.parse(new TextDecoder().decode(toy.copies.paid))
    expect(replay(canonicalBytes({ ...toy.bundle, answer })).conclusion).toBe("VALID")
  })

  test("uses the bundle's own issuer keys when none are given, and reports how little that proves", () => {
    const { conclusion, lines } = replay(check.bundleBytes, null)
    expect(conclusion).toBe("VALID")
    expect(lines.find((line) => line.check === "issuer keys")?.detail).toContain("not who made it")
  })

  test("leaves the signature unchecked when the given issuer keys lack the signer's key", () => {
    const others = readIssuerKeys(issuerJwks(testKey("svc", 8)), NATIVE_CRYPTO)
    expect(replay(check.bundleBytes, others)).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["signature"] })
  })

  test("cannot replay an answer without facts or a document of an unknown format", () => {
    expect(replay(check.copies.paid)).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["facts"] })
    expect(replay(Buffer.from("{}"))).toMatchObject({ conclusion: "NOT_CHECKED", failed: ["document"] })
  })

  test("reports could-not-check for a policy version this program lacks", () => {
    const known = { ...toyRules, policies: [] }
    expect(replayBundle(deliveredToy().bundleBytes, keys, answerBundles([known])).conclusion).toBe("NOT_CHECKED")
  })

  test.each<[string, string[], (bundle: Writable<AnswerBundle>) => void]>([
    ["the decision", ["decision"], (b) => Object.assign(b.answer, { decision: "REVIEW" })],
    [
      "a fact that decides",
      ["decision", "capsule payload"],
      (b) => Object.assign(b.facts, { screening: { ...companyCheckFacts().screening, state: "MATCH" } }),
    ],
    ["a fact nothing looks at", ["capsule payload"], (b) => Object.assign(b.facts, { payer: `0x${"22".repeat(20)}` })],
    ["the request", ["capsule payload"], (b) => Object.assign(b.request, { idempotency_key: "another-key" })],
    ["a date that does not exist", ["schema"], (b) => Object.assign(b.facts, { at: "2026-02-30T00:00:00Z" })],
    ["the policy checksum", ["policy"], (b) => Object.assign(b, { policy_checksum: `sha256:${"0".repeat(64)}` })],
    ["the capsule digest", ["capsule digest"], (b) => Object.assign(b.capsule, { capsule_digest: b.policy_checksum })],
    [
      "the signed decision",
      ["capsule payload", "capsule digest", "signature"],
      (b) => Object.assign(b.capsule.payload, { decision: "REVIEW" }),
    ],
  ])("detects an edit of %s", (_what, failed, edit) => {
    expect(replay(edited(edit))).toMatchObject({ conclusion: "INVALID", failed })
  })

  test("detects facts so late that the answer would end after the year 9999", () => {
    const toy = deliveredToy()
    const facts = { ...toy.bundle.facts, at: "9999-12-31T23:59:59.999Z" }
    const { conclusion, lines } = replay(canonicalBytes({ ...toy.bundle, facts }))
    expect(conclusion).toBe("INVALID")
    expect(lines.find(({ check }) => check === "decision")?.detail).toBe(
      "no answer follows: it would expire after the year 9999",
    )
  })

  test.each(
    [
      ["the stored facts", check.bundle.facts],
      ["the request", check.bundle.request],
    ]
      .map(([what, part]) => [what as string, Buffer.from(canonicalBytes(part))] as const)
      .map(([what, bytes]) => [howMany(bytes.length, FLIPS), what, bytes] as const),
  )(
    "one flipped bit at %s bytes of %s never replays",
    (_count, _what, bytes) => {
      const survivors: number[] = []
      const start = Buffer.from(check.bundleBytes).indexOf(bytes)
      expect(start).toBeGreaterThan(0)
      for (const offset of sample([...bytes.keys()], FLIPS)) {
        const position = start + offset
        const flipped = check.bundleBytes.slice()
        flipped[position] = (flipped[position] ?? 0) ^ (1 << ((position * 5 + 3) % 8))
        if (replay(flipped).conclusion === "VALID") survivors.push(position)
      }
      expect(survivors, `seed ${SEED}`).toEqual([])
    },
    60_000,
  )
})
