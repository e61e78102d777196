/** No document of the sandbox passes a live verifier, whatever environment, mark, issuer, key id or digest is changed in it. */

import { afterAll, beforeAll, expect, test } from "bun:test"
import fc from "fast-check"
import { JOURNEYS, type JourneyResponse } from "../../schemas/agent-mode/journeys.ts"
import type { AnswerCapsule } from "../../schemas/answer-capsule.ts"
import type { DecisionResponse } from "../../schemas/us/decision-response.ts"
import type { DeliveryBundle } from "../../schemas/us/delivery-bundle.ts"
import { canonicalBytes, canonicalize } from "../../src/core/canonical-json.ts"
import { responseDigest } from "../../src/core/capsule/capsule.ts"
import { NATIVE_CRYPTO } from "../../src/core/crypto/native-crypto.ts"
import { digestOf } from "../../src/core/digest.ts"
import { signValue } from "../../src/core/signer.ts"
import { verifyAnswer } from "../../src/offline/kinds/answer.ts"
import { verifyDecision } from "../../src/offline/kinds/decision.ts"
import { verifyBundle } from "../../src/offline/kinds/identity/verify-bundle.ts"
import { verifyPassport } from "../../src/offline/kinds/passport.ts"
import { verifySandboxArtifact } from "../../src/offline/kinds/sandbox-artifact.ts"
import { readIssuerKeys } from "../../src/offline/steps/issuer-keys.ts"
import { answerBundles } from "../../src/products/common/answer-bundles.ts"
import { replayBundle } from "../../src/products/common/replay-bundle.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { decisionBundles } from "../../src/products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../src/products/us/payment-decision/replay-rules.ts"
import { syntheticKey } from "../../src/sandbox/synthetic-keys.ts"
import { gbPayment } from "../agent-mode/wallet/artifacts.ts"
import { edit, openWallets, type Wallets } from "../agent-mode/wallet/wallets.ts"
import { passportOf } from "../fixtures/company-passport.ts"
import { decisionFacts, deliveredDecision, issuerJwks, issuerKey, signedRequest } from "../fixtures/decision.ts"
import { answerTo, CLOCK, played, SEED, sandboxKey } from "./played.ts"

const synthetic = syntheticKey(SEED, "SERVICE_STATEMENT_OPERATIONAL")
const syntheticSigner = { issuer: "svc:sandbox", ...synthetic }
const WINDOW = { nbf: 0, exp: 4_102_444_800 }
/** A verifier that pinned the live keys, and one that was made to pin the synthetic ones too. */
const KEY_SETS = [
  issuerJwks(issuerKey, WINDOW),
  { keys: [...issuerJwks(issuerKey, WINDOW).keys, ...issuerJwks({ ...issuerKey, ...synthetic }, WINDOW).keys] },
].map((jwks) => {
  const keys = readIssuerKeys(jwks, NATIVE_CRYPTO)
  if (!keys) throw new Error("not a key set")
  return keys
})
const [LIVE_KEYS, ALL_KEYS] = KEY_SETS as [NonNullable<(typeof KEY_SETS)[0]>, NonNullable<(typeof KEY_SETS)[0]>]

let decision: DecisionResponse
let uk: { answer: Record<string, unknown>; capsule: AnswerCapsule }
let responses: JourneyResponse[]
let wallets: Wallets
beforeAll(async () => {
  responses = []
  for (const journey of JOURNEYS) responses.push(await played(journey))
  decision = answerTo(
    await played("PAYMENT_DECISION_ALLOW"),
    "release_payment_to_supplier",
  ) as unknown as DecisionResponse
  uk = (await played("UK_PAYMENT_REVIEW")).artifacts[0]?.payload.document as typeof uk
  wallets = await openWallets()
}, 60_000)
afterAll(() => wallets.service[Symbol.asyncDispose]())

const at = CLOCK + 10_000
const input = (document: object, keys = LIVE_KEYS) => ({
  bytes: canonicalBytes(document),
  keys,
  at,
  crypto: NATIVE_CRYPTO,
  reformatted: true,
})
const verdictOfDecision = (document: object, keys = LIVE_KEYS) =>
  verifyDecision(input(document, keys), paymentDecisionRules).report.conclusion
const verdictOfUk = (answer: object, capsule: object, keys = LIVE_KEYS) =>
  verifyAnswer({ ...input(answer, keys), capsule: canonicalBytes(capsule) }, ANSWER_RULES).report.conclusion

test("the environment is refused before the signature is looked at, with any key", () => {
  for (const keys of KEY_SETS) {
    const { report } = verifyDecision(input(decision, keys), paymentDecisionRules)
    expect(report.conclusion).toBe("INVALID")
    expect(report.lines.map(({ check }) => check)).toContain("environment")
    expect(report.lines.map(({ check }) => check)).not.toContain("signature")
    const answered = verifyAnswer(
      { ...input(uk.answer, keys), capsule: canonicalBytes(uk.capsule) },
      ANSWER_RULES,
    ).report
    expect(answered.conclusion).toBe("INVALID")
    expect(answered.lines.map(({ check }) => check)).not.toContain("signature")
  }
})

test("a genuine live signature does not help: an environment sandbox is refused in each kind of document", () => {
  const request = signedRequest()
  const live = deliveredDecision(request, decisionFacts(request, { environment: "sandbox" }))
  const keys = readIssuerKeys(issuerJwks(issuerKey, WINDOW), NATIVE_CRYPTO) ?? LIVE_KEYS
  const then = Date.parse(live.facts.at) + 1_000
  const given = { bytes: live.bytes, keys, at: then, crypto: NATIVE_CRYPTO, reformatted: true }
  expect(verifyDecision(given, paymentDecisionRules).report.conclusion).toBe("INVALID")
  expect(verifyDecision({ ...given, bytes: live.bundle }, paymentDecisionRules).report.conclusion).toBe("INVALID")
  expect(replayBundle(live.bundle, keys, decisionBundles(paymentDecisionRules)).conclusion).toBe("INVALID")
  const own = deliveredDecision(request)
  expect(replayBundle(own.bundle, keys, decisionBundles(paymentDecisionRules)).conclusion).toBe("VALID")
  const facts = edit(JSON.parse(new TextDecoder().decode(own.bundle)) as DeliveryBundle, (bundle) => {
    bundle.facts.environment = "sandbox"
  })
  expect(replayBundle(canonicalBytes(facts), keys, decisionBundles(paymentDecisionRules)).conclusion).toBe("INVALID")
})

const flip = fc.record({
  environment: fc.constantFrom("live", "test", "sandbox"),
  issuer: fc.constantFrom("svc", "svc:sandbox"),
  signedBy: fc.constantFrom(issuerKey.keyId, synthetic.keyId),
  recompute: fc.boolean(),
  sign: fc.boolean(),
  all: fc.boolean(),
})

test("no flip of environment, issuer, key id and digests makes a sandbox document valid under the live keys", () => {
  let flips = 0
  fc.assert(
    fc.property(flip, ({ environment, issuer, signedBy, recompute, sign, all }) => {
      const change = (capsule: {
        payload: Record<string, unknown>
        capsule_digest: string
        signature: Record<string, unknown>
      }) => {
        capsule.payload["environment"] = environment
        capsule.payload["issuer"] = issuer
        capsule.signature["issuer"] = issuer
        if (sign) capsule.signature["value"] = signValue(syntheticSigner, capsule.payload).value
        capsule.signature["key_id"] = signedBy
        if (recompute) capsule.capsule_digest = digestOf(capsule.payload)
      }
      const changed = edit(decision, (copy) => {
        change(copy.proof_capsule)
        if (recompute) copy.delivery.response_digest = responseDigest(copy)
      })
      const capsule = edit(uk.capsule, change)
      // A verifier that trusts the synthetic key as an issuer still refuses what names the sandbox.
      const keys = all && issuer === "svc:sandbox" ? ALL_KEYS : LIVE_KEYS
      flips++
      expect(verdictOfDecision(changed, keys)).not.toBe("VALID")
      expect(verdictOfUk(uk.answer, capsule, keys)).not.toBe("VALID")
    }),
    { numRuns: 150 },
  )
  expect(flips).toBeGreaterThanOrEqual(150)
})

test("a passport of the sandbox is refused, also with a genuine signature", () => {
  const { payload } = passportOf().passport
  const signed = (changes: object) => {
    const changed = { ...payload, ...changes }
    return { payload: changed, digest: digestOf(changed), signature: signValue(issuerKey, changed) }
  }
  const then = Date.parse(payload.valid_as_of) + 1_000
  const verdict = (document: object) => verifyPassport({ ...input(document), at: then }).report.conclusion
  expect(verdict(signed({}))).toBe("VALID")
  expect(verdict(signed({ environment: "sandbox" }))).toBe("INVALID")
  expect(verdict(signed({ issuer: "svc:sandbox" }))).toBe("INVALID")
})

test("a UK bundle of the sandbox does not replay", () => {
  const { bundle } = gbPayment()
  expect(replayBundle(canonicalBytes(bundle), null, answerBundles(ANSWER_RULES)).conclusion).toBe("VALID")
  for (const part of ["facts", "capsule"] as const) {
    const changed = edit(bundle, (copy) => {
      if (part === "facts") copy.facts.environment = "sandbox"
      else copy.capsule.payload.environment = "sandbox"
    })
    const report = replayBundle(canonicalBytes(changed), null, answerBundles(ANSWER_RULES))
    expect(report.lines.find(({ check }) => check === "environment")?.state).toBe("INVALID")
  }
})

test("the published verifier refuses the export bundle of the sandbox by its form, before any key is looked at", async () => {
  const { artifacts } = await played("AGENT_ID_ENROLLMENT")
  const bundle = artifacts.find(({ payload }) => payload.artifact_type === "EXPORT_BUNDLE")?.payload.document
  if (!bundle) throw new Error("the journey exports no bundle")
  const { result, steps } = await verifyBundle(canonicalize(bundle))
  expect(result).toBe("INVALID")
  expect(steps.find(({ outcome }) => outcome === "INVALID")).toMatchObject({ step: "SHAPE", reason_code: "SANDBOX" })
})

const WALLET_TYPES = [
  "PROOF_CAPSULE",
  "EVENT_RECEIPT",
  "STATUS_RECORD",
  "EXPORT_BUNDLE",
  "UK_DELIVERY",
  "ARTIFACT_REGISTRATION",
]

test("no wallet takes one as live: neither the wrapper nor the document inside it", async () => {
  let tried = 0
  for (const { artifacts } of responses) {
    for (const { payload, ...wrapper } of artifacts) {
      if (!WALLET_TYPES.includes(payload.artifact_type)) continue
      for (const document of [{ payload, ...wrapper }, payload.document]) {
        const { status, refusal } = await wallets.bring(payload.artifact_type, document)
        tried++
        expect({ status, isolated: /^(403 (ENVIRONMENT|PROVIDER)_ISOLATION|422 )/.test(refusal) }).toEqual({
          status: expect.any(Number) as unknown as number,
          isolated: true,
        })
      }
    }
  }
  expect(tried).toBeGreaterThan(20)
  expect(wallets.count("wallet_entry")).toBe(0)
}, 60_000)

test("--sandbox takes the wrapper with the pinned key, and nothing else", () => {
  const jwk = { kty: "OKP", crv: "Ed25519", x: sandboxKey.x } as const
  const other = { ...jwk, x: synthetic.x }
  for (const { artifacts, ...signed } of responses) {
    for (const artifact of artifacts) {
      expect(verifySandboxArtifact(canonicalBytes(artifact), jwk, NATIVE_CRYPTO).report.conclusion).toBe("VALID")
      expect(verifySandboxArtifact(canonicalBytes(artifact), other, NATIVE_CRYPTO).report.conclusion).toBe("INVALID")
      expect(
        verifySandboxArtifact(canonicalBytes(artifact.payload.document), jwk, NATIVE_CRYPTO).report.conclusion,
      ).toBe("INVALID")
      const edited = edit(artifact, (copy) => {
        copy.payload.seed++
        copy.digest = digestOf(copy.payload)
      })
      expect(verifySandboxArtifact(canonicalBytes(edited), jwk, NATIVE_CRYPTO).report.conclusion).toBe("INVALID")
      for (const change of [{ environment: "LIVE" }, { synthetic: false }, { domain: "svc.proof-capsule.v1" }]) {
        const flipped = edit(artifact, (copy) => {
          Object.assign(copy.payload, change)
          copy.digest = digestOf(copy.payload)
          copy.signature = signValue(sandboxKey, copy.payload)
        })
        expect(verifySandboxArtifact(canonicalBytes(flipped), jwk, NATIVE_CRYPTO).report.conclusion).toBe("INVALID")
      }
    }
    expect(verifySandboxArtifact(canonicalBytes(signed), jwk, NATIVE_CRYPTO).report.conclusion).toBe("INVALID")
  }
})
