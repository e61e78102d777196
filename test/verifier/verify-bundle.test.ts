import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { AgentExportBundle } from "../../schemas/agent-id/export.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { ownAudience } from "../../src/core/own-audience.ts"
import { formatInstant, HOUR, MINUTE } from "../../src/core/time.ts"
import { STEPS } from "../../src/verifier/verdict.ts"
import { verifyBundle } from "../../src/verifier/verify-bundle.ts"
import { editedBundle, signedAgain, withStatus } from "../fixtures/bundle-forgery.ts"
import { BundleHouse, HOUSE_URL, ORIGIN } from "../fixtures/bundle-house.ts"
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
} from "../fixtures/owned-identity.ts"

let house: BundleHouse
let alice: OwnedIdentity
/** `older` is from before alice's last event, `bundle` from after it. */
let older: AgentExportBundle
let bundle: AgentExportBundle

const agentId = (owner: OwnedIdentity) => owner.state?.agentId ?? ""
const after = (of: AgentExportBundle, seconds: number) => formatInstant(Date.parse(of.exported_at) + seconds * 1000)
const judged = (seconds = 5) => after(bundle, seconds)

beforeAll(async () => {
  house = await BundleHouse.open()
  alice = await house.enrol("alice")
  for (let i = 0; i < 20; i++) await house.enrol(`neighbour ${i}`)
  house.clock.at += HOUR
  alice = await house.accept(routineRotation(alice, house.clock.at))
  older = await house.bundle(agentId(alice))
  house.clock.at += HOUR
  alice = await house.accept(recoveryRotation(alice, house.clock.at))
  bundle = await house.bundle(agentId(alice))
})
afterAll(() => house[Symbol.asyncDispose]())

type Options = NonNullable<Parameters<typeof verifyBundle>[1]>

/** The result, then each step that did not pass, with its reason. */
async function verdict(given: AgentExportBundle | string, options: Options = {}): Promise<string[]> {
  const text = typeof given === "string" ? given : canonicalize(given)
  const { result, steps } = await verifyBundle(text, { logKey: house.verifierKey(), at: judged(), ...options })
  return [result, ...steps.filter(({ outcome }) => outcome !== "VALID").map((one) => `${one.step} ${one.reason_code}`)]
}

describe("a bundle made by the service is VALID", () => {
  test("and the result states its time, its age, its trust anchor and what it does not prove", async () => {
    const said = await verifyBundle(canonicalize(bundle), { logKey: house.verifierKey(), at: judged(77) })
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
    let bob = await house.enrol("bob")
    const seen: string[] = []
    const step = async (event: (owner: OwnedIdentity, at: number) => Parameters<BundleHouse["accept"]>[0]) => {
      house.clock.at += HOUR
      bob = await house.accept(event(bob, house.clock.at))
      const said = await verifyBundle(canonicalize(await house.bundle(agentId(bob))), {
        logKey: house.verifierKey(),
        at: formatInstant(house.clock.at),
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
    const revoked = await house.bundle(agentId(bob))
    expect(await verdict(revoked, { requireActive: true, at: after(revoked, 5) })).toEqual([
      "INVALID",
      "HOLDER IDENTITY_NOT_ACTIVE",
    ])
  })

  test("for the service's own statement identity too", async () => {
    const own = await house.bundle(agentId(house.statement))
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
    expect(await verdict(bundle, { logKey: house.verifierKey(alice.recovery.x) })).toEqual([
      "INVALID",
      "LOG_KEY LOG_KEY_DIFFERS",
    ])
    const elsewhere = await BundleHouse.open("other.example/agent-id/log/1")
    await using _closing = elsewhere
    expect(await verdict(bundle, { logKey: elsewhere.verifierKey() })).toEqual([
      "INVALID",
      "LOG_KEY LOG_ORIGIN_DIFFERS",
    ])
  })

  test("refuses a whole forged service under the same names", async () => {
    await using forger = await BundleHouse.open(ORIGIN, "forger ")
    const mallory = await forger.enrol("alice")
    const forged = await forger.bundle(agentId(mallory))
    expect(await verdict(forged, { at: formatInstant(forger.clock.at + 5000) })).toEqual([
      "INVALID",
      "LOG_KEY LOG_KEY_DIFFERS",
    ])
  })

  test("refuses a forger's bundle that also contains the genuine log's history", async () => {
    await using forger = await BundleHouse.open(ORIGIN, "forger ")
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
    await using forger = await BundleHouse.open(ORIGIN, "forger ")
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

describe("a missing, moved or old part is detected, even after the service signs the bundle again", () => {
  test("a removed newest event is detected by the map", async () => {
    const { status } = older
    const cut = editedBundle(bundle, (draft) => {
      draft.key_event_log.pop()
      draft.transparency.event_proofs.pop()
    })
    const { sequence, head_event_digest, keys } = status.payload
    const resigned = withStatus(cut, { sequence, head_event_digest, keys }, house.signer())
    expect(await verdict(resigned)).toEqual(["INVALID", "CURRENCY NOT_NEWEST_EVENT"])
  })

  test("a removed event in the middle is detected by the chain", async () => {
    const cut = editedBundle(bundle, (draft) => {
      draft.key_event_log.splice(1, 1)
      draft.transparency.event_proofs.splice(1, 1)
    })
    expect(await verdict(signedAgain(cut, house.signer()))).toContain("KEY_EVENTS SEQUENCE_MISMATCH")
  })

  test("reordered events and reordered proofs are detected", async () => {
    const moved = editedBundle(bundle, (draft) => {
      draft.key_event_log.reverse()
    })
    expect(await verdict(signedAgain(moved, house.signer()))).toContain("KEY_EVENTS ENROLMENT_EXPECTED")
    const proofs = editedBundle(bundle, (draft) => {
      draft.transparency.event_proofs.reverse()
    })
    expect(await verdict(signedAgain(proofs, house.signer()))).toEqual(["INVALID", "INCLUSION LOG_INDEX_DIFFERS"])
  })

  test("an older checkpoint with its proofs under a newer status is detected", async () => {
    const mixed = signedAgain({ ...bundle, transparency: older.transparency }, house.signer())
    expect((await verdict(mixed))[0]).toBe("INVALID")
    const onlyNote = editedBundle(bundle, (draft) => {
      draft.transparency.checkpoint = older.transparency.checkpoint
    })
    const said = await verdict(signedAgain(onlyNote, house.signer()))
    expect(said).toContain("STATUS STATUS_OF_ANOTHER_TREE")
    expect(said).toContain("CURRENCY LAST_LEAF_NOT_LAST")
  })

  test("a complete older bundle is detected by age, later checkpoint, known event, sequence or kept receipt", async () => {
    expect(await verdict(older)).toEqual(["VALID"])
    const kept = bundle.key_event_log.at(-1)?.receipt
    const rows: [Options, string][] = [
      [{ maxAge: 600 }, "AGE STALE"],
      [{ since: bundle.transparency.checkpoint }, "HOLDER OLDER_THAN_REMEMBERED"],
      [{ since: canonicalize(bundle) }, "HOLDER OLDER_THAN_REMEMBERED"],
      [{ head: bundle.status.payload.head_event_digest }, "HOLDER HEAD_NOT_IN_HISTORY"],
      [{ minSequence: 2 }, "HOLDER SEQUENCE_TOO_LOW"],
      [{ receipt: JSON.stringify(kept) }, "HOLDER RECEIPT_CONTRADICTS_BUNDLE"],
      [{ receipt: JSON.stringify({ receipt: kept }) }, "HOLDER RECEIPT_CONTRADICTS_BUNDLE"],
    ]
    for (const [knowledge, reason] of rows) {
      expect(await verdict(older, knowledge)).toEqual(["INVALID", reason])
      const { maxAge: _age, ...known } = knowledge
      expect(await verdict(bundle, known)).toEqual(["VALID"])
    }
  })

  test("a remembered tree that the bundle does not contain, or that differs at the same size, is INVALID", async () => {
    const path = await house.consistency(older, bundle)
    const since = (consistency_path: string[]) =>
      JSON.stringify({ checkpoint: older.transparency.checkpoint, consistency_path })
    expect(await verdict(bundle, { since: since(path) })).toEqual(["VALID"])
    const unsaid = async (given: string) =>
      (
        await verifyBundle(canonicalize(bundle), { logKey: house.verifierKey(), at: judged(), since: given })
      ).not_proven.join()
    expect(await unsaid(older.transparency.checkpoint)).toContain("contains the remembered tree")
    for (const shown of [since(path), bundle.transparency.checkpoint]) {
      expect(await unsaid(shown)).not.toContain("contains the remembered tree")
    }
    expect(await verdict(bundle, { since: since(path.toReversed()) })).toEqual(["INVALID", "HOLDER NOT_CONSISTENT"])
    const [origin = "", size = "", , ...rest] = bundle.transparency.checkpoint.split("\n")
    const other = [origin, size, btoa("another root of the very same si"), ...rest].join("\n")
    expect(await verdict(bundle, { since: other })).toEqual(["INVALID", "HOLDER SPLIT_VIEW"])
    const foreign = ["other.example/log", size, btoa("another root of the very same si"), ...rest].join("\n")
    expect(await verdict(bundle, { since: foreign })).toEqual(["INVALID", "HOLDER ANOTHER_LOG"])
  })
})

test("an agent's history with another audience cannot act as an identity of the service", async () => {
  const impostor = await house.accept(enrolment(newIdentity("impostor", HOUSE_URL), house.clock.at))
  const own = await house.bundle(agentId(impostor))
  const forged = editedBundle(bundle, (draft) => {
    draft.service_keys.key_event_log.push({
      agent_id: agentId(impostor),
      use: "statement",
      events: structuredClone(own.key_event_log) as never,
      event_proofs: structuredClone(own.transparency.event_proofs),
      map_path: own.transparency.currency_proof.map_path,
    })
  })
  expect(await verdict(signedAgain(forged, house.signer()))).toContain("SERVICE_KEYS SERVICE_AUDIENCE")
})

test("a service key made for another use cannot sign a statement, however its history is labelled", async () => {
  await using own = await BundleHouse.open()
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
  const another = await house.bundle(agentId(house.log))
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
