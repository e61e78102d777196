/**
 * Four hundred agents, or ten thousand with BIZAUTH_LONG=1. Some of them are rotated, recovered and revoked, through the units with which
 * the service accepts events. Every export verifies offline, and any attack on one is detected.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { formatInstant, HOUR, SECOND } from "../../src/core/time.ts"
import { verifyBundle } from "../../src/offline/kinds/identity/verify-bundle.ts"
import { consistencyPath, leafRange, readTreeHead, type TreeHead } from "../../src/store/log/transparency-log.ts"
import { editedBundle, signedAgain, withStatus } from "../fixtures/bundle-forgery.ts"
import { BundleTestServer, SERVER_URL } from "../fixtures/bundle-test-server.ts"
import { atLength } from "../fixtures/long.ts"
import {
  enrolment,
  identityRevocation,
  newIdentity,
  type OwnedIdentity,
  operationalRevocation,
  recovery,
  recoveryRotation,
  routineRotation,
  type SignedEvent,
} from "../fixtures/owned-identity.ts"
import { type Entry, mapHash, rootsByConsistency, sha, treeHash } from "../fixtures/reference-log.ts"
import { VerifyingWorkers } from "../fixtures/verifying-workers.ts"

const AGENTS = atLength(400, 10_000)
/** Batches between two remembered heads. */
const HEADS_EVERY = atLength(1, 10)
/** Units queued in one turn share a transaction. */
const AT_ONCE = atLength(40, 100)

setDefaultTimeout(240_000)

let server: BundleTestServer
const owners: OwnedIdentity[] = []
/** Heads of the log that a verifier remembers from its growth. */
const heads: TreeHead[] = []

type Change = (owner: OwnedIdentity, at: number) => SignedEvent

/** The later events of an agent by its number. Of twenty agents twelve stay unchanged. */
const LIVES: Readonly<Record<number, readonly Change[]>> = {
  1: [routineRotation],
  2: [routineRotation, routineRotation],
  3: [routineRotation, recoveryRotation],
  5: [(owner, at) => recovery(owner, at, at - HOUR / 2)],
  7: [operationalRevocation],
  11: [operationalRevocation, recovery],
  13: [identityRevocation],
  17: [routineRotation, identityRevocation],
}
const lifeOf = (number: number) => LIVES[number % 20] ?? []
const isRevoked = (number: number) => lifeOf(number).includes(identityRevocation)

beforeAll(async () => {
  server = await BundleTestServer.open()
  await inBatches(AGENTS, async (number) => {
    owners[number] = await server.prove(enrolment(newIdentity(`agent ${number}`, SERVER_URL), server.clock.at))
  })
  for (let round = 0; round < 2; round++) {
    server.clock.at += HOUR
    await inBatches(AGENTS, async (number) => {
      const change = lifeOf(number)[round]
      if (change) owners[number] = await server.prove(change(ownerOf(number), server.clock.at))
    })
  }
  server.clock.at += HOUR
})
afterAll(() => server?.[Symbol.asyncDispose]())

async function inBatches(count: number, work: (number: number) => Promise<void>): Promise<void> {
  for (let from = 0; from < count; from += AT_ONCE) {
    const numbers = Array.from({ length: Math.min(AT_ONCE, count - from) }, (_, i) => from + i)
    await Promise.all(numbers.map(work))
    if ((from / AT_ONCE) % HEADS_EVERY === 0) heads.push(await server.store.read(readTreeHead))
  }
}

function ownerOf(number: number): OwnedIdentity {
  const owner = owners[number]
  if (!owner) throw new Error(`no agent ${number}`)
  return owner
}

const textOf = (number: number) => server.bundleText(ownerOf(number).state?.agentId ?? "")
const bundleOf = (number: number) => server.bundle(ownerOf(number).state?.agentId ?? "")
const options = () => ({ logKey: server.verifierKey(), at: formatInstant(server.clock.at + SECOND) })

async function judge(text: string, more: { since?: string } = {}): Promise<string> {
  const { result, steps } = await verifyBundle(text, { ...options(), ...more })
  const bad = steps.find(({ outcome }) => outcome === "INVALID")
  return bad ? `${result} ${bad.step} ${bad.reason_code}` : result
}

test("every agent's export verifies offline and shows the agent's state", async () => {
  using workers = new VerifyingWorkers()
  const given: Promise<string[]>[] = []
  for (let from = 0; from < AGENTS; from += AT_ONCE) {
    const texts: string[] = []
    for (let number = from; number < Math.min(AGENTS, from + AT_ONCE); number++) texts.push(await textOf(number))
    given.push((await workers.give(texts, options())).verdicts)
  }
  const expected = Array.from({ length: AGENTS }, (_, number) => `VALID ${isRevoked(number) ? "REVOKED" : "ACTIVE"}`)
  expect((await Promise.all(given)).flat()).toEqual(expected)
})

describe("an attack on a bundle is detected:", () => {
  /** One agent with a rotation, a recovery and both revocations, and one with none. */
  const SAMPLE = [4, 1, 1002, 3003, 2005, 4007, 6011, 8013, 9017].map((number) => number % AGENTS)

  test(`one flipped bit at ${atLength("1 of 36 places", "any place")} of one bundle, and at many places of others`, async () => {
    using workers = new VerifyingWorkers()
    for (const number of SAMPLE) {
      const bytes = new TextEncoder().encode(await textOf(number))
      const step = number === SAMPLE[0] ? atLength(36, 1) : atLength(1_999, 499)
      // A failure names its places, so the draw needs no seed.
      const start = Math.floor(Math.random() * step)
      const places = Array.from({ length: Math.ceil((bytes.length - start) / step) }, (_, i) => start + i * step)
      const given: Promise<string[]>[] = []
      for (let from = 0; from < places.length; from += AT_ONCE) {
        const spoiled = places.slice(from, from + AT_ONCE).map((at) => flipped(bytes, at))
        given.push((await workers.give(spoiled, options())).verdicts)
      }
      const verdicts = (await Promise.all(given)).flat()
      expect(verdicts.length).toBe(places.length)
      expect(places.filter((_, i) => !/^(INVALID|NOT_CHECKED) /.test(verdicts[i] ?? ""))).toEqual([])
    }
  })

  test("the service itself drops the newest event", async () => {
    for (const number of SAMPLE.slice(1)) {
      const bundle = await bundleOf(number)
      const before = historyBefore(number)
      const cut = editedBundle(bundle, (draft) => {
        draft.key_event_log.pop()
        draft.transparency.event_proofs.pop()
      })
      expect(await judge(canonicalize(withStatus(cut, before, server.signer())))).toBe(
        "INVALID CURRENCY NOT_NEWEST_EVENT",
      )
    }
  })

  test("the service itself reorders events", async () => {
    for (const number of SAMPLE.slice(1)) {
      const moved = editedBundle(await bundleOf(number), (draft) => {
        draft.key_event_log.reverse()
      })
      expect(await judge(canonicalize(signedAgain(moved, server.signer())))).toBe(
        "INVALID KEY_EVENTS ENROLMENT_EXPECTED",
      )
    }
  })

  test("an older checkpoint under a newer status; a complete older bundle for a verifier that remembers a later one", async () => {
    const old = new Map<number, Awaited<ReturnType<typeof bundleOf>>>()
    for (const number of SAMPLE) old.set(number, await bundleOf(number))
    const newcomer = newIdentity("one more", SERVER_URL)
    await server.prove(enrolment(newcomer, server.clock.at))
    for (const number of SAMPLE) {
      const [older, newer] = [old.get(number), await bundleOf(number)]
      if (!older) throw new Error("unreachable")
      const mixed = signedAgain({ ...newer, transparency: older.transparency }, server.signer())
      expect(await judge(canonicalize(mixed))).toStartWith("INVALID")
      expect(await judge(canonicalize(older), { since: newer.transparency.checkpoint })).toBe(
        "INVALID HOLDER OLDER_THAN_REMEMBERED",
      )
    }
  })
})

/** The status before the newest event, from the owner's own record. */
function historyBefore(number: number) {
  let owner = newIdentity(`agent ${number}`, SERVER_URL)
  const started = server.clock.at - 3 * HOUR
  const events: Change[] = [enrolment, ...lifeOf(number)]
  for (const [round, change] of events.slice(0, -1).entries())
    owner = server.stateAfter(change(owner, started + round * HOUR), started + round * HOUR)
  const { state } = owner
  if (!state) throw new Error("an agent of the sample has one event only")
  const keys = state.keys.map(({ keyId, role, status, since }) => ({ key_id: keyId, role, status, since }))
  return {
    sequence: state.sequence,
    head_event_digest: state.headEventDigest,
    identity_status: state.identityStatus,
    keys,
  }
}

function flipped(bytes: Uint8Array, at: number): Uint8Array {
  const copy = bytes.slice()
  copy[at] = (copy[at] ?? 0) ^ (1 << (at % 8))
  return copy
}

describe("the log of all agents, checked by another implementation,", () => {
  test("is consistent between any two remembered heads", async () => {
    heads.push(await server.store.read(readTreeHead))
    expect(heads.length).toBeGreaterThan(20)
    for (const [i, earlier] of heads.entries()) {
      for (const later of heads.slice(i)) {
        const path = await server.store.read(() => consistencyPath(earlier.size, later.size))
        const roots = rootsByConsistency(earlier.size, later.size, path, earlier.rootHash)
        expect(roots).toEqual({ earlier: earlier.rootHash, later: later.rootHash })
      }
    }
  })

  test("has the root of its leaves, and in its newest leaf the root of a map of every agent's newest event", async () => {
    const head = await server.store.read(readTreeHead)
    const leaves = await server.store.read(() => leafRange(0, head.size))
    expect(treeHash(leaves)).toEqual(head.rootHash)
    const newest = new Map<string, Entry>()
    for (const leaf of leaves)
      newest.set(leaf.slice(0, 32).toString(), { key: leaf.slice(0, 32), digest: leaf.slice(32, 64) })
    expect(newest.size).toBeGreaterThanOrEqual(AGENTS + 2)
    expect(mapHash([...newest.values()])).toEqual(leaves.at(-1)?.slice(64) ?? sha())
  })
})
