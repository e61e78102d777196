/** At whatever point a command that makes keys is killed, the directory opens, names the files to remove, and the command then succeeds. */
import { expect, setDefaultTimeout } from "bun:test"
import { readdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { formatInstant } from "../../src/core/time.ts"
import { createDataDirectory, type DataDirectory, openDataDirectory } from "../../src/data/data-directory.ts"
import { readPrivateKey } from "../../src/keys/key-file.ts"
import { nextKeys, recoveryKeys } from "../../src/keys/key-places.ts"
import { enrolOwnIdentities } from "../../src/keys/own-identity.ts"
import { keptRecoveryKey, replaceOwnKey } from "../../src/keys/own-rotation.ts"
import { findIdentity } from "../../src/store/identity/agent-identity.ts"
import { keysOfUses } from "../../src/store/identity/service-identities.ts"
import { listServiceKeys } from "../../src/store/identity/service-keys.ts"
import { readTreeHead } from "../../src/store/log/transparency-log.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { howMany, sample } from "../fixtures/long.ts"
import { makeOlderDirectory } from "../fixtures/older-directory.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

/** Each test starts several processes, on a machine that may be busy. */
setDefaultTimeout(60_000)

const onFatal = (error: unknown): never => {
  throw error
}
const open = (directory: string, migrate = false) =>
  openDataDirectory(directory, { machine: realMachine, migrate, onFatal })
const ownOf = ({ store, paths }: DataDirectory) => ({
  store,
  keysDirectory: paths.keys,
  issuerId: "svc",
  machine: realMachine,
})

async function killed(...args: string[]): Promise<void> {
  const script = join(import.meta.dir, "own-killed-process.ts")
  const child = Bun.spawn([process.execPath, script, ...args], { stdout: "ignore", stderr: "inherit" })
  await child.exited
  expect(child.signalCode).toBe("SIGKILL")
}

/** One ACTIVE key of each use, the same in the key rows and in its identity, with its file; every event is a leaf. */
async function requireSound(opened: DataDirectory): Promise<void> {
  const { store, paths } = opened
  const uses = await store.read(keysOfUses)
  let events = 0
  for (const { agentId, active } of uses) {
    const identity = await store.read(() => findIdentity(agentId ?? ""))
    const operational = identity?.keys.filter(({ role, status }) => role === "OPERATIONAL" && status === "ACTIVE")
    expect(operational?.map(({ keyId }) => keyId)).toEqual([active?.keyId ?? "none"])
    expect(readdirSync(paths.keys)).toContain(`${active?.keyId}.json`)
    events += (identity?.sequence ?? 0) + 1
  }
  expect((await store.read(readTreeHead)).size).toBe(events)
}

const countIn = (directory: string) => readdirSync(directory).length

/** Leftover files, and whether the event was accepted. */
const rotations: readonly [point: string, left: number, rotated: boolean][] = [
  ["random 1", 0, false],
  ["random 2", 1, false],
  ["before-commit", 1, false],
  ["after-commit", 0, true],
]
test.each(sample(rotations, 2))(
  `a rotation killed at %s leaves a directory that opens and can be completed (${howMany(rotations.length, 2)} points)`,
  async (point, left, rotated) => {
    using fresh = freshDirectory()
    const directory = join(fresh.path, "data")
    await createDataDirectory(directory, "test", realMachine)
    await killed("rotate", directory, point)
    const opened = await open(directory)
    await requireSound(opened)
    expect(opened.notices).toHaveLength(left)
    for (const notice of opened.notices)
      expect(notice).toMatch(/keys\/next\/ed25519-.*\.json is named by no key event.*remove/)
    expect(countIn(nextKeys(opened.paths.keys))).toBe(3 + left)
    expect(await opened.store.read(() => listServiceKeys("statement"))).toHaveLength(rotated ? 2 : 1)
    expect((await replaceOwnKey(ownOf(opened), "statement", { mode: "ROUTINE" })).kind).toBe("REPLACED")
    await requireSound(opened)
    await opened.store.close()
  },
)

const revocations: readonly [point: string, left: number, revoked: boolean][] = [
  ["random 1", 0, false],
  ["random 2", 1, false],
  ["random 3", 2, false],
  ["before-commit", 2, false],
  // The key committed before the revocation is no longer committed.
  ["after-commit", 1, true],
]
test.each(sample(revocations, 2))(
  `a revocation of the signing key killed at %s leaves a directory that opens and can be completed (${howMany(revocations.length, 2)} points)`,
  async (point, left, revoked) => {
    using fresh = freshDirectory()
    const directory = join(fresh.path, "data")
    await createDataDirectory(directory, "test", realMachine)
    const before = await open(directory)
    const recoveryKey = await keptRecoveryKey(ownOf(before), "statement")
    const [key] = await before.store.read(() => listServiceKeys("statement"))
    await before.store.close()
    const since = formatInstant(realMachine.now())
    await killed("revoke", directory, point, recoveryKey, key?.keyId ?? "", since)

    const opened = await open(directory)
    await requireSound(opened)
    expect(opened.notices).toHaveLength(left)
    const authority = {
      mode: "RECOVERY",
      recoveryKey: readPrivateKey(recoveryKey),
      revokes: { keyId: key?.keyId ?? "", since },
    } as const
    const again = await replaceOwnKey(ownOf(opened), "statement", authority)
    expect(again.kind).toBe(revoked ? "CHANGED_MEANWHILE" : "REPLACED")
    await requireSound(opened)
    const rows = await opened.store.read(() => listServiceKeys("statement"))
    expect(rows.map(({ keyId, status }) => [keyId === key?.keyId, status]).sort()).toEqual([
      [false, "ACTIVE"],
      [true, "REVOKED"],
    ])
    await opened.store.close()
  },
)

const enrolments: readonly [point: string, left: number, enrolled: boolean][] = [
  // The first is drawn for the key of authorization tokens, which an earlier release did not have.
  ["random 1", 0, false],
  ["random 2", 0, false],
  ["random 3", 1, false],
  ["random 4", 2, false],
  ["random 6", 2, false],
  ["random 7", 3, false],
  ["random 9", 5, false],
  ["before-commit", 8, false],
  ["after-commit", 0, true],
]
test.each(sample(enrolments, 2))(
  `the first start on a directory of an earlier release killed at %s leaves a directory that opens and can be completed (${howMany(enrolments.length, 2)} points)`,
  async (point, left, enrolled) => {
    using fresh = freshDirectory()
    const directory = join(fresh.path, "data")
    const keyId = await makeOlderDirectory(directory, realMachine.now() - 1000)
    await killed("enrol", directory, point)
    const opened = await open(directory, true)
    expect(opened.notices).toHaveLength(left)
    const now = await enrolOwnIdentities(ownOf(opened))
    expect(now.map(({ use }) => use)).toEqual(enrolled ? [] : ["statement", "log", "sandbox"])
    await requireSound(opened)
    const [statement] = await opened.store.read(() => listServiceKeys("statement"))
    expect([statement?.keyId, statement?.status]).toEqual([keyId, "ACTIVE"])
    // Files named in a notice may be removed, and nothing else is missing.
    for (const notice of opened.notices) rmSync(notice.slice(0, notice.indexOf(".json") + ".json".length))
    await opened.store.close()
    const again = await open(directory)
    expect(again.notices).toEqual([])
    expect([countIn(nextKeys(again.paths.keys)), countIn(recoveryKeys(again.paths.keys))]).toEqual([3, 3])
    await again.store.close()
  },
)
