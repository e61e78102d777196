/** Bundles with members that are missing, moved or old. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { formatInstant, HOUR } from "../../../../src/core/time.ts"
import { verifyBundle } from "../../../../src/offline/kinds/identity/verify-bundle.ts"
import { editedBundle, signedAgain, withStatus } from "../../../fixtures/bundle-forgery.ts"
import { BundleTestServer } from "../../../fixtures/bundle-test-server.ts"
import { type OwnedIdentity, recoveryRotation, routineRotation } from "../../../fixtures/owned-identity.ts"

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

describe("a missing, moved or old part is detected, even after the service signs the bundle again", () => {
  test("a removed newest event is detected by the map", async () => {
    const { status } = older
    const cut = editedBundle(bundle, (draft) => {
      draft.key_event_log.pop()
      draft.transparency.event_proofs.pop()
    })
    const { sequence, head_event_digest, keys } = status.payload
    const resigned = withStatus(cut, { sequence, head_event_digest, keys }, server.signer())
    expect(await verdict(resigned)).toEqual(["INVALID", "CURRENCY NOT_NEWEST_EVENT"])
  })

  test("a removed event in the middle is detected by the chain", async () => {
    const cut = editedBundle(bundle, (draft) => {
      draft.key_event_log.splice(1, 1)
      draft.transparency.event_proofs.splice(1, 1)
    })
    expect(await verdict(signedAgain(cut, server.signer()))).toContain("KEY_EVENTS SEQUENCE_MISMATCH")
  })

  test("reordered events and reordered proofs are detected", async () => {
    const moved = editedBundle(bundle, (draft) => {
      draft.key_event_log.reverse()
    })
    expect(await verdict(signedAgain(moved, server.signer()))).toContain("KEY_EVENTS ENROLMENT_EXPECTED")
    const proofs = editedBundle(bundle, (draft) => {
      draft.transparency.event_proofs.reverse()
    })
    expect(await verdict(signedAgain(proofs, server.signer()))).toEqual(["INVALID", "INCLUSION LOG_INDEX_DIFFERS"])
  })

  test("an older checkpoint with its proofs under a newer status is detected", async () => {
    const mixed = signedAgain({ ...bundle, transparency: older.transparency }, server.signer())
    expect((await verdict(mixed))[0]).toBe("INVALID")
    const onlyNote = editedBundle(bundle, (draft) => {
      draft.transparency.checkpoint = older.transparency.checkpoint
    })
    const said = await verdict(signedAgain(onlyNote, server.signer()))
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
    const path = await server.consistency(older, bundle)
    const since = (consistency_path: string[]) =>
      JSON.stringify({ checkpoint: older.transparency.checkpoint, consistency_path })
    expect(await verdict(bundle, { since: since(path) })).toEqual(["VALID"])
    const unsaid = async (given: string) =>
      (
        await verifyBundle(canonicalize(bundle), { logKey: server.verifierKey(), at: judged(), since: given })
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
