import { expect } from "bun:test"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { KeyEvent } from "../../schemas/agent-id/key-event.ts"
import { canonicalize } from "../../src/core/canonical-json.ts"
import { verifySignature } from "../../src/core/ed25519.ts"
import { DAY, formatInstant, SECOND } from "../../src/core/time.ts"
import { openDataDirectory } from "../../src/data/data-directory.ts"
import { readPrivateKey } from "../../src/keys/key-file.ts"
import { nextKeys } from "../../src/keys/key-places.ts"
import type { OwnDeps } from "../../src/keys/own-identity.ts"
import { keptRecoveryKey, type RotationOutcome, replaceOwnKey } from "../../src/keys/own-rotation.ts"
import { findIdentity } from "../../src/store/identity/agent-identity.ts"
import { serviceIdentities } from "../../src/store/identity/service-identities.ts"
import { KEY_USES, type KeyUse, listServiceKeys, type ServiceKey } from "../../src/store/identity/service-keys.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { makeOlderDirectory } from "../fixtures/older-directory.ts"
import { clockAt, type TestService, testService } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const START = Date.UTC(2026, 0, 1)
const ROUTINE = { mode: "ROUTINE" } as const

function ownOf({ service }: TestService, at: number): OwnDeps {
  const { store, dataDirectory } = service
  return { store, keysDirectory: dataDirectory.paths.keys, issuerId: "svc", machine: clockAt(at) }
}

async function recoveryOf(own: OwnDeps, use: KeyUse) {
  return readPrivateKey(await keptRecoveryKey(own, use))
}

function replaced(outcome: RotationOutcome): { before: ServiceKey; active: ServiceKey; nextKeyId: string } {
  if (outcome.kind !== "REPLACED") throw new Error(outcome.kind)
  return outcome
}

async function identityOf({ store }: OwnDeps, use: KeyUse) {
  const of = (await store.read(serviceIdentities)).find((identity) => identity.use === use)
  const identity = await store.read(() => findIdentity(of?.agentId ?? ""))
  if (!identity) throw new Error("no identity")
  return identity
}

const statuses = (keys: readonly { keyId: string; status: string }[]) =>
  Object.fromEntries(keys.map(({ keyId, status }) => [keyId, status]))

/** The rows of the keys and of the identity, which must agree about every key. */
async function requireInStep(own: OwnDeps, use: KeyUse): Promise<void> {
  const operational = (await identityOf(own, use)).keys.filter(({ role }) => role === "OPERATIONAL")
  expect(statuses(operational)).toEqual(statuses(await own.store.read(() => listServiceKeys(use))))
}

test.each(KEY_USES)(
  "a routine rotation of the %s key activates the committed one, several times in a row",
  async (use) => {
    await using running = await testService(clockAt(START))
    let promised = ""
    for (const second of [1, 2, 3]) {
      const own = ownOf(running, START + second * SECOND)
      const { before, active, nextKeyId } = replaced(await replaceOwnKey(own, use, ROUTINE))
      expect(active.notBefore).toBe(formatInstant(START + second * SECOND))
      if (promised !== "") expect(active.keyId).toBe(promised)
      expect((await identityOf(own, use)).sequence).toBe(second)
      expect(statuses(await own.store.read(() => listServiceKeys(use)))[before.keyId]).toBe("ROTATED")
      await requireInStep(own, use)
      promised = nextKeyId
    }
  },
)

test("the new key signs the receipt of a statement rotation", async () => {
  await using running = await testService(clockAt(START))
  const { active } = replaced(await replaceOwnKey(ownOf(running, START + DAY), "statement", ROUTINE))
  const row = databaseOf(running.service.dataDirectory)
    .query<{ receipt_json: string }, []>("SELECT receipt_json FROM agent_event WHERE sequence = 1")
    .get()
  const { payload, signature } = JSON.parse(row?.receipt_json ?? "")
  expect(signature.key_id).toBe(active.keyId)
  expect(verifySignature(active.x, canonicalize(payload), signature.value)).toBe(true)
})

test("of two simultaneous rotations one succeeds; the other changes nothing and leaves no file", async () => {
  await using running = await testService(clockAt(START))
  const own = ownOf(running, START + DAY)
  const outcomes = await Promise.all([replaceOwnKey(own, "log", ROUTINE), replaceOwnKey(own, "log", ROUTINE)])
  expect(outcomes.map(({ kind }) => kind).sort()).toEqual(["CHANGED_MEANWHILE", "REPLACED"])
  expect(readdirSync(nextKeys(own.keysDirectory))).toHaveLength(3)
  await requireInStep(own, "log")
})

test("without the committed key only the recovery key can rotate, and the replaced key is ROTATED", async () => {
  await using running = await testService(clockAt(START))
  const own = ownOf(running, START + DAY)
  const recoveryKey = await recoveryOf(own, "statement")
  rmSync(nextKeys(own.keysDirectory), { recursive: true })
  const missing = await replaceOwnKey(own, "statement", ROUTINE)
  expect(missing.kind).toBe("NEXT_KEY_MISSING")
  expect((await identityOf(own, "statement")).sequence).toBe(0)
  const { before } = replaced(await replaceOwnKey(own, "statement", { mode: "RECOVERY", recoveryKey, revokes: null }))
  expect(statuses(await own.store.read(() => listServiceKeys("statement")))[before.keyId]).toBe("ROTATED")
  await requireInStep(own, "statement")
  replaced(await replaceOwnKey(own, "statement", ROUTINE))
})

test("the recovery key of another identity recovers nothing, and no new key is created", async () => {
  await using running = await testService(clockAt(START))
  const own = ownOf(running, START + DAY)
  const recoveryKey = await recoveryOf(own, "log")
  const files = readdirSync(own.keysDirectory, { recursive: true })
  const outcome = await replaceOwnKey(own, "statement", { mode: "RECOVERY", recoveryKey, revokes: null })
  expect(outcome.kind).toBe("OTHER_RECOVERY_KEY")
  expect(readdirSync(own.keysDirectory, { recursive: true })).toEqual(files)
})

test("a revocation claims the compromise in its event and records it for the key", async () => {
  await using running = await testService(clockAt(START))
  const own = ownOf(running, START + DAY)
  const [key] = await own.store.read(() => listServiceKeys("statement"))
  const since = formatInstant(START + DAY / 2)
  const revokes = { keyId: key?.keyId ?? "", since }
  const authority = { mode: "RECOVERY", recoveryKey: await recoveryOf(own, "statement"), revokes } as const
  replaced(await replaceOwnKey(own, "statement", authority))
  const rows = await own.store.read(() => listServiceKeys("statement"))
  expect(rows.map(({ status, revokedSince }) => [status, revokedSince])).toEqual([
    ["REVOKED", since],
    ["ACTIVE", null],
  ])
  expect(await lastChange(running)).toMatchObject({ mode: "RECOVERY", compromise_suspected_since: since })
  await requireInStep(own, "statement")
  expect((await replaceOwnKey(own, "statement", authority)).kind).toBe("CHANGED_MEANWHILE")
})

async function lastChange({ service }: Pick<TestService, "service">): Promise<KeyEvent["change"]> {
  const row = databaseOf(service.dataDirectory)
    .query<{ event_json: string }, []>("SELECT event_json FROM agent_event ORDER BY sequence DESC LIMIT 1")
    .get()
  return (JSON.parse(row?.event_json ?? "") as KeyEvent).change
}

test("a key older than its identity is revoked from the given time; the event claims the earliest time it may", async () => {
  using fresh = freshDirectory()
  const directory = join(fresh.path, "data")
  const keyId = await makeOlderDirectory(directory, START)
  const machine = clockAt(START + DAY)
  const onFatal = (error: unknown): never => {
    throw error
  }
  const { engine, store, paths } = await openDataDirectory(directory, { machine, migrate: true, onFatal })
  const own = { store, keysDirectory: paths.keys, issuerId: "svc", machine }
  const recoveryKey = await recoveryOf(own, "statement")
  const revokes = { keyId, since: formatInstant(START) }
  replaced(await replaceOwnKey(own, "statement", { mode: "RECOVERY", recoveryKey, revokes }))
  expect((await store.read(() => listServiceKeys("statement")))[0]).toMatchObject({
    status: "REVOKED",
    revokedSince: formatInstant(START),
  })
  const [event] = databaseOf({ engine })
    .query<{ event_json: string }, []>("SELECT event_json FROM agent_event WHERE sequence = 1")
    .all()
  expect(JSON.parse(event?.event_json ?? "").change.compromise_suspected_since).toBe(formatInstant(START + DAY))
  await store.close()
})

test("a clock earlier than the last event is rejected, and the new key is deleted again", async () => {
  await using running = await testService(clockAt(START))
  const own = ownOf(running, START - DAY)
  expect(await replaceOwnKey(own, "sandbox", ROUTINE)).toEqual({ kind: "REFUSED", fault: "ACCEPTED_BEFORE_HEAD" })
  expect(readdirSync(nextKeys(own.keysDirectory))).toHaveLength(3)
})
