import { afterAll, beforeAll, describe, expect } from "bun:test"
import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { ownAudience } from "../../../../src/core/own-audience.ts"
import { formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { STEPS } from "../../../../src/offline/kinds/identity/conclusion.ts"
import { verifyBundle } from "../../../../src/offline/kinds/identity/verify-bundle.ts"
import { editedBundle, signedAgain, withStatus } from "../../../fixtures/bundle-forgery.ts"
import { BundleTestServer, ORIGIN, SERVER_URL } from "../../../fixtures/bundle-test-server.ts"
import {
  enrolment,
  identityRevocation,
  newIdentity,
  type OwnedIdentity,
  operationalRevocation,
  recovery,
  recoveryRotation,
  routineRotation,
  testKey,
} from "../../../fixtures/owned-identity.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

let server: BundleTestServer
let alice: OwnedIdentity
/** `older` is from before alice's last event, `bundle` from after it. */
let older: AgentExportBundle
let bundle: AgentExportBundle

const agentId = (owner: OwnedIdentity) => owner.state?.agentId ?? ""
const after = (of: AgentExportBundle, seconds: number) => formatInstant(Date.parse(of.exported_at) + seconds * 1000)
const judged = (seconds = 5) => after(bundle, seconds)

beforeAll(async () => {
  server = await BundleTestServer.open()
  alice = await server.enrol("alice")
  for (let i = 0; i < 20; i++) await server.enrol(`neighbour ${i}`)
  server.clock.at += HOUR
  alice = await server.accept(routineRotation(alice, server.clock.at))
  older = await server.bundle(agentId(alice))
  server.clock.at += HOUR
  alice = await server.accept(recoveryRotation(alice, server.clock.at))
  bundle = await server.bundle(agentId(alice))
})
afterAll(() => server[Symbol.asyncDispose]())

type Options = NonNullable<Parameters<typeof verifyBundle>[1]>

/** The result, then each step that did not pass, with its reason. */
async function verdict(given: AgentExportBundle | string, options: Options = {}): Promise<string[]> {
  const text = typeof given === "string" ? given : canonicalize(given)
  const { result, steps } = await verifyBundle(text, { logKey: server.verifierKey(), at: judged(), ...options })
  return [result, ...steps.filter(({ outcome }) => outcome !== "VALID").map((one) => `${one.step} ${one.reason_code}`)]
}

describe("a bundle made by the service is VALID", () => {
  test("and the result states its time, its age, its trust anchor and what it does not prove", async () => {
    const said = await verifyBundle(canonicalize(bundle), { logKey: server.verifierKey(), at: judged(77) })
    expect(said.result).toBe("VALID")
    expect(said.steps.map(({ step }) => step)).toEqual(STEPS.filter((step) => step !== "HOLDER"))
    expect(said).toMatchObject({ trust: "PINNED_LOG", age_seconds: 77, historical: true, current_as_of: judged(0) })
    expect(said.log).toMatchObject({ origin: ORIGIN, tree_size: 25 })
    expect(said.identity?.keys.map(({ role, status }) => `${role} ${status}`)).toEqual([
      "OPERATIONAL ROTATED",
      "RECOVERY ROTATED",
      "OPERATIONAL ACTIVE",
      "RECOVERY ACTIVE",
    ])
    expect(said.proven.join()).toContain(`CURRENT AS OF ${judged(0)}, tree size 25`)
    expect(said.not_proven.join()).toContain("bizauth log audit")
    expect(said.not_proven.join()).toContain("split views")
  })

  test("after each kind of event, including the last one", async () => {
    let bob = await server.enrol("bob")
    const seen: string[] = []
    const step = async (event: (owner: OwnedIdentity, at: number) => Parameters<BundleTestServer["accept"]>[0]) => {
      server.clock.at += HOUR
      bob = await server.accept(event(bob, server.clock.at))
      const said = await verifyBundle(canonicalize(await server.bundle(agentId(bob))), {
        logKey: server.verifierKey(),
        at: formatInstant(server.clock.at),
      })
      expect(said.steps.filter(({ outcome }) => outcome !== "VALID")).toEqual([])
      seen.push(`${said.identity?.identity_status} ${said.identity?.sequence}`)
      return said
    }
    await step(routineRotation)
    const suspected = await step((owner, at) => recovery(owner, at, at - 30 * MINUTE))
    expect(suspected.identity?.keys.map((key) => key.compromise_suspected_since).filter(Boolean).length).toBe(1)
    await step(recoveryRotation)
    await step(operationalRevocation)
    await step(recovery)
    await step(identityRevocation)
    expect(seen).toEqual(["ACTIVE 1", "ACTIVE 2", "ACTIVE 3", "ACTIVE 4", "ACTIVE 5", "REVOKED 6"])
    const revoked = await server.bundle(agentId(bob))
    expect(await verdict(revoked, { requireActive: true, at: after(revoked, 5) })).toEqual([
      "INVALID",
      "HOLDER IDENTITY_NOT_ACTIVE",
    ])
  })

  test("for the service's own statement identity too", async () => {
    const own = await server.bundle(agentId(server.statement))
    expect(await verdict(own, { at: after(own, 5) })).toEqual(["VALID"])
  })
})

describe("the log key that the holder pinned", () => {
  test("is required: without one the result is NOT_CHECKED and CONSISTENT_ONLY", async () => {
    const said = await verifyBundle(canonicalize(bundle), { at: judged() })
    expect(said).toMatchObject({ result: "NOT_CHECKED", trust: "CONSISTENT_ONLY" })
    expect(said.not_proven[0]).toContain("anybody could have made")
    expect(said.steps.filter(({ outcome }) => outcome !== "VALID").map(({ step }) => step)).toEqual(["LOG_KEY"])
  })

  test("refuses another log's key and another log's name", async () => {
    expect(await verdict(bundle, { logKey: server.verifierKey(alice.recovery.x) })).toEqual([
      "INVALID",
      "LOG_KEY LOG_KEY_DIFFERS",
    ])
    const elsewhere = await BundleTestServer.open("other.example/agent-id/log/1")
    await using _closing = elsewhere
    expect(await verdict(bundle, { logKey: elsewhere.verifierKey() })).toEqual([
      "INVALID",
      "LOG_KEY LOG_ORIGIN_DIFFERS",
    ])
  })

  test("refuses a whole forged service under the same names", async () => {
    await using forger = await BundleTestServer.open(ORIGIN, "forger ")
    const mallory = await forger.enrol("alice")
    const forged = await forger.bundle(agentId(mallory))
    expect(await verdict(forged, { at: formatInstant(forger.clock.at + 5000) })).toEqual([
      "INVALID",
      "LOG_KEY LOG_KEY_DIFFERS",
    ])
  })

  test("refuses a forger's bundle that also contains the genuine log's history", async () => {
    await using forger = await BundleTestServer.open(ORIGIN, "forger ")
    const mallory = await forger.enrol("mallory")
    const forged = editedBundle(await forger.bundle(agentId(mallory)), (draft) => {
      const own = structuredClone(bundle.service_keys.key_event_log)
      draft.service_keys.key_event_log.push(...(own as typeof draft.service_keys.key_event_log))
      const keys = structuredClone(bundle.service_keys.jwks.keys)
      draft.service_keys.jwks.keys.push(...(keys as typeof draft.service_keys.jwks.keys))
    })
    const said = await verdict(signedAgain(forged, forger.signer()), { at: after(forged, 5) })
    expect(said).toContain("LOG_KEY LOG_KEY_DIFFERS")
  })

  test("refuses statement keys that the pinned log does not contain", async () => {
    await using forger = await BundleTestServer.open(ORIGIN, "forger ")
    const stranger = (await forger.bundle(agentId(await forger.enrol("x")))).service_keys
    const forged = editedBundle(bundle, (draft) => {
      const own = stranger.key_event_log.find(({ use }) => use === "statement")
      draft.service_keys.key_event_log = draft.service_keys.key_event_log.map((history) =>
        history.use === "statement" ? structuredClone(own as typeof history) : history,
      )
      draft.service_keys.jwks = structuredClone(stranger.jwks) as typeof draft.service_keys.jwks
    })
    const said = await verdict(withStatus(forged, {}, forger.signer()))
    expect(said).toContain("INCLUSION INCLUSION_INVALID")
    expect(said).toContain("CURRENCY NOT_NEWEST_EVENT")
  })
})

test("an agent's history with another audience cannot act as an identity of the service", async () => {
  const impostor = await server.accept(enrolment(newIdentity("impostor", SERVER_URL), server.clock.at))
  const own = await server.bundle(agentId(impostor))
  const forged = editedBundle(bundle, (draft) => {
    draft.service_keys.key_event_log.push({
      agent_id: agentId(impostor),
      use: "statement",
      events: structuredClone(own.key_event_log) as never,
      event_proofs: structuredClone(own.transparency.event_proofs),
      map_path: own.transparency.currency_proof.map_path,
    })
  })
  expect(await verdict(signedAgain(forged, server.signer()))).toContain("SERVICE_KEYS SERVICE_AUDIENCE")
})

test("a service key made for another use cannot sign a statement, however its history is labelled", async () => {
  await using own = await BundleTestServer.open()
  const bob = agentId(await own.enrol("bob"))
  const sandbox = await own.accept(enrolment(newIdentity("sandbox", ownAudience("svc", "sandbox")), own.clock.at))
  const genuine = await own.bundle(bob)
  const { agent_id, key_event_log, transparency } = await own.bundle(agentId(sandbox))
  const judge = { logKey: own.verifierKey(), at: after(genuine, 5) }
  expect(await verdict(genuine, judge)).toEqual(["VALID"])
  const { keyId, x, privateKey } = testKey("sandbox operational")
  const forged = editedBundle(genuine, (draft) => {
    const history = {
      ...{ agent_id, use: "statement", events: key_event_log, event_proofs: transparency.event_proofs },
      map_path: transparency.currency_proof.map_path,
    }
    draft.service_keys.key_event_log.push(history as never)
    draft.service_keys.jwks.keys.push({ ...draft.service_keys.jwks.keys[0], kid: keyId, x } as never)
  })
  const resigned = withStatus(forged, {}, { issuer: "svc", keyId, privateKey })
  expect(await verdict(resigned, judge)).toContain("SERVICE_KEYS SERVICE_AUDIENCE")
})

test("a kept receipt or bundle with another position or another history is contradicted", async () => {
  const kept = bundle.key_event_log[1]?.receipt
  if (!kept) throw new Error("alice rotated once")
  const receipt = (words: object) => JSON.stringify({ ...kept, payload: { ...kept.payload, ...words } })
  expect(await verdict(bundle, { receipt: receipt({}) })).toEqual(["VALID"])
  for (const words of [{ log_index: kept.payload.log_index + 1 }, { accepted_at: judged(-7200) }]) {
    expect(await verdict(bundle, { receipt: receipt(words) })).toEqual(["INVALID", "HOLDER RECEIPT_CONTRADICTS_BUNDLE"])
  }
  const earlier = (words: object) =>
    canonicalize(
      editedBundle(older, (draft) => {
        Object.assign(draft.key_event_log.at(-1)?.receipt.payload ?? {}, words)
      }),
    )
  expect(await verdict(bundle, { since: earlier({}) })).toEqual(["VALID"])
  for (const words of [{ event_digest: `sha256:${"d".repeat(64)}` }, { log_index: 7 }]) {
    expect(await verdict(bundle, { since: earlier(words) })).toEqual([
      "INVALID",
      "HOLDER HISTORY_CONTRADICTS_REMEMBERED",
    ])
  }
  const another = await server.bundle(agentId(server.log))
  expect(await verdict(bundle, { since: canonicalize({ ...another, transparency: older.transparency }) })).toEqual([
    "VALID",
  ])
})

test("an unknown or mistyped option throws, so that a misspelt option is never ignored", async () => {
  for (const options of [{ maxage: 60 }, { maxAge: "60" }, { logKey: 1 }, { constructor: "x" }]) {
    const [name = ""] = Object.keys(options)
    const refused = verifyBundle(canonicalize(bundle), options as never).catch((error: Error) => error)
    expect(await refused).toMatchObject({ option: name })
  }
})
