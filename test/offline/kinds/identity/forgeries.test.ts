/**
 * Bundles with one forged part, signed again by the service's own statement key. No other check can refuse them, so each check of the
 * procedure must refuse by itself.
 */
import { afterAll, beforeAll, expect } from "bun:test"
import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { decodeBase64, encodeBase64 } from "../../../../src/core/bytes.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { signWith } from "../../../../src/core/ed25519.ts"
import { sha256 } from "../../../../src/core/sha256.ts"
import { type Signer, signedAnswer } from "../../../../src/core/signer.ts"
import { formatInstant, HOUR, SECOND } from "../../../../src/core/time.ts"
import { mapEntryHash, mapKeyOf } from "../../../../src/core/verifiable-map.ts"
import { verifyBundle } from "../../../../src/offline/kinds/identity/verify-bundle.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { appendKeyEvent, inclusionPath, leafData, readTreeSize } from "../../../../src/store/log/transparency-log.ts"
import { type Draft, editedBundle, signedAgain, withStatus } from "../../../fixtures/bundle-forgery.ts"
import { BundleTestServer } from "../../../fixtures/bundle-test-server.ts"
import { type OwnedIdentity, recovery, routineRotation, testKey } from "../../../fixtures/owned-identity.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

let server: BundleTestServer
let alice: OwnedIdentity
let bundle: AgentExportBundle
let another: AgentExportBundle
const idOf = ({ state }: OwnedIdentity) => state?.agentId ?? ""

beforeAll(async () => {
  server = await BundleTestServer.open()
  alice = await server.enrol("alice")
  const bob = await server.enrol("bob")
  server.clock.at += HOUR
  alice = await server.accept(routineRotation(alice, server.clock.at))
  server.clock.at += HOUR
  bundle = await server.bundle(idOf(alice))
  another = await server.bundle(idOf(bob))
})
afterAll(() => server[Symbol.asyncDispose]())

async function faults(forged: AgentExportBundle, of: BundleTestServer = server): Promise<string[]> {
  const at = formatInstant(of.clock.at + SECOND)
  const { result, steps } = await verifyBundle(canonicalize(forged), { logKey: of.verifierKey(), at })
  const bad = steps.filter(({ outcome }) => outcome === "INVALID").map((one) => `${one.step} ${one.reason_code}`)
  expect(result).toBe(bad.length === 0 ? "VALID" : "INVALID")
  return bad
}

type Edit = (draft: Draft<AgentExportBundle>) => void
const forged = (edit: Edit) => faults(signedAgain(editedBundle(bundle, edit), server.signer()))
const event = (draft: Draft<AgentExportBundle>, sequence: number) => {
  const found = draft.key_event_log[sequence]
  if (!found) throw new Error(`the bundle has no event ${sequence}`)
  return found
}
/** Changes members of an event's receipt and signs it with the service's key. */
function received(draft: Draft<AgentExportBundle>, sequence: number, words: object): void {
  const entry = event(draft, sequence)
  Object.assign(entry.receipt, signedAnswer(server.signer(), { ...entry.receipt.payload, ...words }))
}

test("the bundle behind all these forgeries is VALID", async () => {
  expect(await faults(bundle)).toEqual([])
})

test("an event signature of another event, or by another key under the same key id, is refused", async () => {
  const code = "KEY_EVENTS EVENT_SIGNATURE_INVALID"
  for (const sequence of [0, 1]) {
    for (const place of [0, 1]) {
      const stranger = signWith(testKey("a stranger").privateKey, canonicalize(bundle.key_event_log[sequence]?.event))
      const elsewhere = bundle.key_event_log[1 - sequence]?.signatures[0]?.value ?? ""
      for (const value of [stranger, elsewhere]) {
        const said = await forged((draft) => {
          const signature = event(draft, sequence).signatures[place]
          if (signature) signature.value = value
        })
        expect(said).toContain(code)
      }
    }
  }
})

test("a key under the id of another key, and a key that anyone can sign for, are refused", async () => {
  const replaced = (member: "key_id" | "x", value: string) => (draft: Draft<AgentExportBundle>) => {
    const key = event(draft, 1).event.keys.operational
    if (member === "key_id") Object.assign(key ?? {}, { key_id: value })
    else Object.assign(key?.public_jwk ?? {}, { x: value })
  }
  expect(await forged(replaced("key_id", alice.recovery.keyId))).toContain("KEY_EVENTS KEY_ID_MISMATCH")
  expect(await forged(replaced("x", `AQ${"A".repeat(41)}`))).toContain("KEY_EVENTS KEY_SMALL_ORDER")
})

test("another agent's history under this agent's id is refused", async () => {
  const said = await forged((draft) => {
    draft.key_event_log = structuredClone(another.key_event_log) as typeof draft.key_event_log
    draft.transparency.event_proofs = structuredClone(another.transparency.event_proofs)
    draft.transparency.currency_proof.map_path = another.transparency.currency_proof.map_path
  })
  expect(said).toContain("KEY_EVENTS AGENT_ID_NOT_OF_HISTORY")
})

test("a checkpoint with a changed signature, or with the signature of another tree, is refused", async () => {
  const cut = bundle.transparency.checkpoint.lastIndexOf(" ") + 1
  const [head, encoded] = [bundle.transparency.checkpoint.slice(0, cut), bundle.transparency.checkpoint.slice(cut, -1)]
  const bytes = decodeBase64(encoded) ?? new Uint8Array(0)
  const spoiled = `${head}${encodeBase64(bytes.map((byte, at) => (at === bytes.length - 40 ? byte ^ 1 : byte)))}\n`
  const [origin = "", size = "", root = "", ...rest] = bundle.transparency.checkpoint.split("\n")
  for (const note of [spoiled, [origin, String(Number(size) + 1), root, ...rest].join("\n")]) {
    const said = await forged((draft) => {
      draft.transparency.checkpoint = note
    })
    expect(said).toContain("CHECKPOINT NOTE_SIGNATURE_INVALID")
  }
})

test("a receipt for another agent, event or sequence is refused", async () => {
  const words = [{ agent_id: another.agent_id }, { event_digest: `sha256:${"e".repeat(64)}` }, { sequence: 0 }]
  for (const other of words) {
    expect(await forged((draft) => received(draft, 1, other))).toEqual(["RECEIPTS RECEIPT_OF_ANOTHER_EVENT"])
  }
})

test("a receipt with another log index than its proof is refused", async () => {
  expect(await forged((draft) => received(draft, 1, { log_index: 0 }))).toEqual(["INCLUSION LOG_INDEX_DIFFERS"])
})

test("an event that the log holds before its predecessor is refused", async () => {
  await using own = await BundleTestServer.open()
  let carol = await own.enrol("carol")
  own.clock.at += HOUR
  carol = await own.accept(routineRotation(carol, own.clock.at))
  const [first, second] = (await own.bundle(idOf(carol))).key_event_log.map(
    ({ receipt }) => receipt.payload.event_digest,
  )
  // The operator appends the first event again, and then the second, so that the map is correct again.
  const again = await own.store.run(() => appendKeyEvent(idOf(carol), first ?? ""))
  await own.store.run(() => appendKeyEvent(idOf(carol), second ?? ""))
  const place = await own.store.read(function* (): Unit<{ leaf: Uint8Array | null; path: Uint8Array[] }> {
    return { leaf: yield* leafData(again), path: yield* inclusionPath(again, yield* readTreeSize()) }
  })
  const genuine = await own.bundle(idOf(carol))
  expect(await faults(genuine, own)).toEqual([])
  const moved = editedBundle(genuine, (draft) => {
    const entry = event(draft, 0)
    Object.assign(entry.receipt, signedAnswer(own.signer(), { ...entry.receipt.payload, log_index: again }))
    draft.transparency.event_proofs[0] = {
      sequence: 0,
      log_index: again,
      map_root: encodeBase64((place.leaf ?? new Uint8Array(0)).slice(64)),
      inclusion_path: place.path.map(encodeBase64),
    }
  })
  expect(await faults(signedAgain(moved, own.signer()), own)).toEqual(["INCLUSION LOG_ORDER"])
})

test("a forged newest leaf whose map ends at an earlier event is refused", async () => {
  const [first] = bundle.key_event_log
  const digest = Buffer.from(first?.receipt.payload.event_digest.slice("sha256:".length) ?? "", "hex")
  const mapRoot = mapEntryHash(sha256, mapKeyOf(sha256, bundle.agent_id), digest)
  const said = await forged((draft) => {
    const { currency_proof } = draft.transparency
    const leaf = decodeBase64(currency_proof.last_leaf) ?? new Uint8Array(0)
    leaf.set(mapRoot, 64)
    Object.assign(currency_proof, { last_leaf: encodeBase64(leaf), map_path: [] })
  })
  expect(said).toContain("CURRENCY LAST_LEAF_NOT_INCLUDED")
})

test("a status signed with the recovery key of the statement identity is refused", async () => {
  const { keyId, privateKey } = server.statement.recovery
  const signer: Signer = { issuer: "svc", keyId, privateKey }
  const said = await faults(withStatus(bundle, {}, signer))
  expect(said).toEqual(["STATUS SIGNING_KEY_UNKNOWN", "BUNDLE_SIGNATURE SIGNING_KEY_UNKNOWN"])
})

test("a bundle that lists an identity of the service twice is refused", async () => {
  const said = await forged((draft) => {
    const [own] = draft.service_keys.key_event_log
    if (own) draft.service_keys.key_event_log.push(structuredClone(own))
  })
  expect(said).toContain("SERVICE_KEYS SERVICE_IDENTITY_TWICE")
})

test("statements by an expired key, or by a key that the key set marks as revoked, are refused", async () => {
  const listed = (words: object) => (draft: Draft<AgentExportBundle>) => {
    Object.assign(draft.service_keys.jwks.keys[0] ?? {}, words)
  }
  const expired = await forged(listed({ exp: Math.floor(server.clock.at / SECOND) - 3600 }))
  expect(expired).toEqual(["STATUS SIGNING_KEY_EXPIRED", "BUNDLE_SIGNATURE SIGNING_KEY_EXPIRED"])
  const disowned = await forged(listed({ svc_revoked_since: formatInstant(server.clock.at - SECOND) }))
  expect(disowned).toEqual(["STATUS STATUS_KEY_COMPROMISED", "BUNDLE_SIGNATURE BUNDLE_KEY_COMPROMISED"])
})

test("a checkpoint signed by a log key after its suspected compromise is refused", async () => {
  await using own = await BundleTestServer.open()
  const dave = await own.enrol("dave")
  own.clock.at += HOUR
  const stolen = own.logKey()
  await own.changeKey("log", (owner, at) => recovery(owner, at, at - SECOND))
  own.log = { ...own.log, operational: stolen }
  const said = await faults(await own.bundle(idOf(dave)), own)
  expect(said).toContain("CHECKPOINT LOG_KEY_COMPROMISED")
})

test("a status of another log, a status older than the newest event, and an export outside its validity are refused", async () => {
  const { log, as_of, fresh_until } = bundle.status.payload
  const signed = (words: object, edit: Edit = () => {}) =>
    faults(withStatus(editedBundle(bundle, edit), words, server.signer()))
  expect(await signed({ log: { ...log, origin: "other.example/agent-id/log/1" } })).toEqual([
    "STATUS STATUS_OF_ANOTHER_TREE",
  ])
  const early = formatInstant(server.clock.at - HOUR - SECOND)
  const late = formatInstant(server.clock.at + HOUR)
  const since = (text: string) => (draft: Draft<AgentExportBundle>) => {
    draft.status_as_of.as_of = text
  }
  expect(await signed({ as_of: early, fresh_until: late }, since(early))).toEqual(["TIMES EVENT_AFTER_STATUS"])
  const exported = (at: string) => (draft: Draft<AgentExportBundle>) => {
    draft.exported_at = at
  }
  const before = formatInstant(Date.parse(as_of) - 1)
  expect(await forged(exported(before))).toContain("TIMES EXPORTED_OUTSIDE_STATUS")
  expect(await forged(exported(fresh_until))).toContain("TIMES EXPORTED_OUTSIDE_STATUS")
})
