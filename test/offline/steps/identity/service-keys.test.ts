import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { type Signer, signedAnswer } from "../../../../src/core/signer.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { verifyBundle } from "../../../../src/offline/kinds/identity/verify-bundle.ts"
import type { VerifyOptions } from "../../../../src/offline/steps/options.ts"
import { editedBundle, signedAgain, withStatus } from "../../../fixtures/bundle-forgery.ts"
import { BundleTestServer } from "../../../fixtures/bundle-test-server.ts"
import { routineRotation } from "../../../fixtures/owned-identity.ts"

async function verdict(bundle: AgentExportBundle, options: VerifyOptions): Promise<string[]> {
  const at = formatInstant(Date.parse(bundle.exported_at) + 5000)
  const { result, steps } = await verifyBundle(canonicalize(bundle), { at, ...options })
  return [
    result,
    ...steps
      .filter(({ reason_code }) => !["OK", "NO_LIMIT"].includes(reason_code))
      .map((one) => `${one.step} ${one.reason_code}`),
  ]
}

/** A copy of the bundle. Its receipt at `sequence` has another signer and another time. */
function withReceipt(
  bundle: AgentExportBundle,
  sequence: number,
  signer: Signer,
  acceptedAt: number,
): AgentExportBundle {
  const { payload } = bundle.key_event_log[sequence]?.receipt ?? { payload: null }
  if (!payload) throw new Error("no such event")
  return editedBundle(bundle, (draft) => {
    const receipt = signedAnswer(signer, { ...payload, accepted_at: formatInstant(acceptedAt) })
    const entry = draft.key_event_log[sequence]
    if (entry) entry.receipt = structuredClone(receipt)
  })
}

describe("rotated keys of the service", () => {
  let server: BundleTestServer
  let before: AgentExportBundle
  let pinned: string
  let agentId: string
  beforeAll(async () => {
    server = await BundleTestServer.open()
    agentId = (await server.enrol("alice")).state?.agentId ?? ""
    pinned = server.verifierKey()
    before = await server.bundle(agentId)
    server.clock.at += DAY
    await server.changeKey("statement", routineRotation)
    server.clock.at += DAY
    await server.changeKey("log", routineRotation)
    server.clock.at += DAY
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test("a receipt by the earlier statement key stays valid, and a pin of the earlier log key works through its history", async () => {
    const bundle = await server.bundle(agentId)
    expect(await verdict(bundle, { logKey: server.verifierKey() })).toEqual(["VALID"])
    expect(await verdict(bundle, { logKey: pinned })).toEqual(["VALID", "LOG_KEY ROTATED_SINCE_PINNED"])
  })

  test("a pin of the newer log key refuses a bundle made before that key", async () => {
    expect(await verdict(before, { logKey: server.verifierKey() })).toEqual(["INVALID", "LOG_KEY LOG_KEY_DIFFERS"])
  })

  test("an earlier key cannot sign a new status, bundle, checkpoint or receipt", async () => {
    const bundle = await server.bundle(agentId)
    await using old = await BundleTestServer.open()
    expect(await verdict(signedAgain(bundle, old.signer()), { logKey: pinned })).toContain(
      "BUNDLE_SIGNATURE SIGNING_KEY_NO_LONGER_VALID",
    )
    expect(await verdict(withStatus(bundle, {}, old.signer()), { logKey: pinned })).toContain(
      "STATUS SIGNING_KEY_NO_LONGER_VALID",
    )
    const note = editedBundle(bundle, (draft) => {
      draft.transparency.checkpoint = old.checkpointLike(bundle)
    })
    expect(await verdict(signedAgain(note, server.signer()), { logKey: pinned })).toContain(
      "CHECKPOINT SIGNING_KEY_NO_LONGER_VALID",
    )
    const early = Date.parse(bundle.key_event_log[0]?.receipt.payload.accepted_at ?? "")
    const receipt = withReceipt(bundle, 0, server.signer(), early)
    expect(await verdict(signedAgain(receipt, server.signer()), { logKey: pinned })).toContain(
      "RECEIPTS SIGNING_KEY_NOT_YET_VALID",
    )
  })

  test("a log history without its rotation, signed by a thief of the earlier log key, is not the newest in the map", async () => {
    const bundle = await server.bundle(agentId)
    await using old = await BundleTestServer.open()
    const cut = editedBundle(bundle, (draft) => {
      const log = draft.service_keys.key_event_log.find(({ use }) => use === "log")
      log?.events.pop()
      log?.event_proofs.pop()
      draft.transparency.checkpoint = old.checkpointLike(bundle)
    })
    expect(await verdict(signedAgain(cut, server.signer()), { logKey: pinned })).toEqual([
      "INVALID",
      "CURRENCY NOT_NEWEST_EVENT",
    ])
  })
})

describe("a statement key that was rotated and is later revoked in the key set only", () => {
  test("its receipts are valid for events logged before its rotation, and invalid for later events", async () => {
    await using server = await BundleTestServer.open()
    const alice = await server.enrol("alice")
    const old = server.signer()
    server.clock.at += DAY
    await server.changeKey("statement", routineRotation)
    server.clock.at += DAY
    await server.accept(routineRotation(alice, server.clock.at))
    await server.withdrawKey(old.keyId, server.clock.at - 10 * DAY)
    const bundle = await server.bundle(alice.state?.agentId ?? "")
    const { keys } = bundle.service_keys.jwks
    expect(keys.map(({ svc_status }) => svc_status)).toEqual(["REVOKED", "ACTIVE"])
    expect(await verdict(bundle, { logKey: server.verifierKey() })).toEqual(["VALID"])
    const forged = withReceipt(bundle, 1, old, Date.parse(bundle.exported_at))
    expect(await verdict(withStatus(forged, {}, server.signer()), { logKey: server.verifierKey() })).toContain(
      "RECEIPTS SIGNING_KEY_NO_LONGER_VALID",
    )
    const hidden = editedBundle(bundle, (draft) => {
      draft.service_keys.jwks.keys.shift()
    })
    expect(await verdict(signedAgain(hidden, server.signer()), { logKey: server.verifierKey() })).toContain(
      "SERVICE_KEYS KEY_SET_DIFFERS",
    )
  })
})

describe("a statement key that is claimed compromised", () => {
  let server: BundleTestServer
  let thief: Signer
  let bundle: AgentExportBundle
  let suspected: number
  beforeAll(async () => {
    server = await BundleTestServer.open()
    server.clock.at += DAY
    suspected = server.clock.at
    server.clock.at += HOUR
    const alice = await server.enrol("alice")
    thief = server.signer()
    server.clock.at += HOUR
    await server.disownStatementKey(suspected)
    server.clock.at += HOUR
    await server.accept(routineRotation(alice, server.clock.at))
    server.clock.at += HOUR
    bundle = await server.bundle(alice.state?.agentId ?? "")
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test("events logged before the claim stay valid although that key signed their receipts", async () => {
    expect(await verdict(bundle, { logKey: server.verifierKey() })).toEqual(["VALID"])
  })

  test("a receipt by the thief for an event logged after the claim is refused, whatever time it states", async () => {
    const { accepted_at } = bundle.key_event_log[1]?.receipt.payload ?? { accepted_at: "" }
    const after = withReceipt(bundle, 1, thief, Date.parse(accepted_at))
    expect(await verdict(signedAgain(after, server.signer()), { logKey: server.verifierKey() })).toContain(
      "RECEIPTS SIGNING_KEY_NO_LONGER_VALID",
    )
    const backdated = withReceipt(bundle, 1, thief, suspected + MINUTE)
    expect((await verdict(signedAgain(backdated, server.signer()), { logKey: server.verifierKey() }))[1]).toBe(
      "KEY_EVENTS ACCEPTED_OUTSIDE_WINDOW",
    )
  })

  test("an event dated just after the revocation is valid if the log holds it before the revocation", async () => {
    await using own = await BundleTestServer.open()
    own.clock.at += DAY
    const revoked = own.clock.at
    own.clock.at += 20
    const bob = await own.enrol("bob")
    own.clock.at = revoked
    await own.disownStatementKey(revoked - MINUTE)
    own.clock.at += DAY
    const late = await own.bundle(bob.state?.agentId ?? "")
    expect(await verdict(late, { logKey: own.verifierKey() })).toEqual(["VALID"])
  })

  test("a bundle that the thief signs after the claim is refused", async () => {
    expect(await verdict(signedAgain(bundle, thief), { logKey: server.verifierKey() })).toContain(
      "BUNDLE_SIGNATURE SIGNING_KEY_NO_LONGER_VALID",
    )
  })
})
