/** The journeys: real calls with the statuses of the design, the same bytes everywhere, and no effect outside the sandbox. */
import { afterAll, beforeAll, expect, spyOn } from "bun:test"
import { join } from "node:path"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { JOURNEYS, type Journey, JourneyResponse, type JourneyStep } from "../../schemas/agent-mode/journeys.ts"
import { canonicalBytes } from "../../src/core/canonical-json.ts"
import { digestOf } from "../../src/core/digest.ts"
import { verifySignature } from "../../src/core/ed25519.ts"
import { checkSandboxSignature } from "../../src/core/sandbox/sandbox-artifact.ts"
import { isSignedForm } from "../../src/core/signed-forms.ts"
import { JOURNEY_BYTES_MAX, playJourney } from "../../src/sandbox/play-journey.ts"
import { routes } from "../../src/server/app.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import committed from "./journey-digests.json"
import { digestsOf } from "./journey-digests.ts"
import { answerTo, CLOCK, played, SEED, sandboxKey } from "./played.ts"

const test = slowTests(import.meta.path)

/** Design, table of journeys: each act or status of a call, in order. */
const STEPS: Readonly<Record<Journey, readonly (JourneyStep["action"] | number)[]>> = {
  AGENT_ID_ENROLLMENT: [201, 200, 409, 200, 200, 200, 200, 200, 200],
  PAYMENT_DECISION_ALLOW: [201, 200, "ENTER_BUYER", 201, 200, 402, 200, 200],
  PAYMENT_DECISION_HOLD: [201, 200, "ENTER_BUYER", 201, 200, 402, 200, 200],
  PAYMENT_DECISION_BLOCK: [201, 200, "ENTER_BUYER", 201, 200, 402, 200, 200],
  UK_PAYMENT_REVIEW: [402, 200, 200],
  UK_SOURCE_UNAVAILABLE: ["REMOVE_SOURCE", 200],
  RECOVERY_PENDING: [201, 200, "ENTER_BUYER", 201, 402, 202, 202, "MINE_BLOCK", 200, 400],
  INTENT_BEACON: [201, 200, 201, 202, 202, 200, 409],
}
const schema = TypeCompiler.Compile(JourneyResponse)

/** Runs beside the journeys of this process. */
const elsewhere = Bun.spawn([process.execPath, join(import.meta.dir, "digests-process.ts")], {
  stdout: "pipe",
  stderr: "inherit",
  env: {},
})

/** Uses of the world outside while the journeys are played. */
const outside: string[] = []
const spies = [
  spyOn(globalThis, "fetch").mockImplementation((() => {
    outside.push("fetch")
    throw new Error("the sandbox has no network")
  }) as unknown as typeof fetch),
  spyOn(Bun, "connect").mockImplementation((() => outside.push("socket")) as never),
  spyOn(Bun, "file").mockImplementation((() => outside.push("file")) as never),
]
beforeAll(async () => {
  for (const journey of JOURNEYS) await played(journey)
}, 30_000)
afterAll(() => {
  elsewhere.kill()
  for (const spy of spies) spy.mockRestore()
})

test.each(JOURNEYS)("%s makes the calls of the design and gives a signed answer", async (journey) => {
  const response = await played(journey)
  const { payload, digest, signature, artifacts } = response
  expect(schema.Errors(response).First()).toBeUndefined()
  expect(payload.transcript.map(({ action, response: said }) => said?.status ?? action)).toEqual([...STEPS[journey]])
  expect(payload.transcript.map(({ step }) => step)).toEqual(payload.transcript.map((_, at) => at + 1))
  expect(payload.transcript.filter(({ action, operation_id: id }) => action === "CALL" && id === null)).toEqual([])
  expect(canonicalBytes(response).byteLength).toBeLessThan(JOURNEY_BYTES_MAX)
  expect(digest).toBe(digestOf(payload))
  expect(verifySignature(sandboxKey.x, canonicalBytes(payload), signature.value)).toBe(true)
  expect(isSignedForm("SANDBOX_JOURNEY", payload)).toBe(true)
  for (const artifact of artifacts) expect(checkSandboxSignature(artifact, sandboxKey.x)).toBeNull()
  expect(payload.artifact_digests).toEqual(artifacts.map((artifact) => digestOf(artifact.payload.document)))
})

test("the decisions are those of the real gates, charged on the synthetic chain and stated as synthetic", async () => {
  for (const [journey, decision] of [
    ["PAYMENT_DECISION_ALLOW", "ALLOW"],
    ["PAYMENT_DECISION_HOLD", "HOLD"],
    ["PAYMENT_DECISION_BLOCK", "BLOCK"],
  ] as const) {
    const body = answerTo(await played(journey), "release_payment_to_supplier")
    expect(body).toMatchObject({
      decision,
      billing: { charged: true },
      proof_capsule: { payload: { environment: "sandbox", issuer: "svc:sandbox" } },
    })
  }
  const uncharged = answerTo(await played("UK_SOURCE_UNAVAILABLE"), "gb_business_payment_authorize")
  expect(uncharged["delivery_id"]).toBe("")
  expect(String(uncharged["decision"])).toMatch(/^(RETRY|NO_DECISION)$/)
})

test("the digests are the committed ones", async () => {
  const digests = Object.fromEntries(
    await Promise.all(JOURNEYS.map(async (journey) => [journey, digestsOf(await played(journey))] as const)),
  )
  expect(digests).toEqual(committed)
})

test("another process with another sandbox key, in another order, makes the same payloads and artifacts", async () => {
  expect(JSON.parse(await new Response(elsewhere.stdout).text())).toEqual(committed)
}, 30_000)

test("seed and clock change the payload, and the keys of every actor", async () => {
  const first = await played("UK_PAYMENT_REVIEW")
  const seeded = await playJourney(
    "UK_PAYMENT_REVIEW",
    { seed: SEED + 1, clock: CLOCK },
    { signer: sandboxKey, routes },
  )
  const later = await playJourney(
    "UK_PAYMENT_REVIEW",
    { seed: SEED, clock: CLOCK + 1_000 },
    { signer: sandboxKey, routes },
  )
  expect(new Set([first, seeded, later].map(({ digest }) => digest)).size).toBe(3)
  expect(new Set([first, seeded, later].map(({ payload }) => payload.journey_id)).size).toBe(3)
  const payTo = ({ payload }: JourneyResponse) => {
    const quote = payload.transcript[0]?.response?.body as { accepts: readonly { payTo: string }[] }
    return quote.accepts[0]?.payTo
  }
  expect(payTo(first)).not.toEqual(payTo(seeded))
})

test("the same journey reads and says the same at the first and the last allowed clock", async () => {
  for (const clock of [Date.UTC(2020, 0), Date.UTC(2099, 11, 31, 23, 59, 59)]) {
    const { payload } = await playJourney(
      "PAYMENT_DECISION_ALLOW",
      { seed: SEED, clock },
      { signer: sandboxKey, routes },
    )
    expect(payload.transcript.map(({ action, response }) => response?.status ?? action)).toEqual([
      ...STEPS.PAYMENT_DECISION_ALLOW,
    ])
  }
})

test("no journey asked a network or a file", () => {
  expect(outside).toEqual([])
})
