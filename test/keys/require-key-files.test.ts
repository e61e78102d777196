import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { SecretFileError } from "../../src/base/secret-file.ts"
import { commitmentTo } from "../../src/core/agent-id.ts"
import { drawKey, signingKeyRow } from "../../src/keys/issue-key.ts"
import { keyFilePath } from "../../src/keys/key-file.ts"
import { nextKeys, recoveryKeys, takeIntoUse } from "../../src/keys/key-places.ts"
import { type KnownKeys, requireKeyFiles } from "../../src/keys/require-key-files.ts"
import { KEY_USES, type ServiceKey } from "../../src/store/identity/service-keys.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { clockAt } from "../fixtures/service.ts"

const machine = clockAt(Date.UTC(2026, 0, 1))

const check = (keys: string, known: KnownKeys, missingIsNotice = false) =>
  requireKeyFiles(keys, { known: async () => known, missingIsNotice })

/** A directory with one key for each use, written and moved as the commands do it. */
function inUse(path: string): { keys: string; rows: ServiceKey[]; known: KnownKeys } {
  const keys = join(path, "keys")
  mkdirSync(keys)
  const rows = KEY_USES.map((use) => signingKeyRow(drawKey(nextKeys(keys), machine), use, machine.now()))
  for (const { keyId } of rows) takeIntoUse(keys, keyId)
  return { keys, rows, known: { signing: rows, nextDigests: [], recoveryKeyIds: [] } }
}

test.each(KEY_USES)("the ACTIVE %s key must exist, be readable and match its row", async (use) => {
  using fresh = freshDirectory()
  const { keys, rows, known } = inUse(fresh.path)
  const file = keyFilePath(keys, rows.find((row) => row.use === use)?.keyId ?? "")
  expect(await check(keys, known)).toEqual([])
  chmodSync(file, 0o640)
  await expect(check(keys, known)).rejects.toThrow(`chmod 600 ${file}`)
  rmSync(file)
  await expect(check(keys, known)).rejects.toThrow(`${file} is missing: the database says this key signs`)
  expect(await check(keys, known, true)).toEqual([expect.stringContaining(`keys rotate --use ${use} --recovery-key`)])
})

test("a key that no longer signs may lack its file, and a file unknown to the database is rejected", async () => {
  using fresh = freshDirectory()
  const { keys, rows, known } = inUse(fresh.path)
  const [first, ...others] = rows
  if (!first) throw new Error("no key")
  rmSync(keyFilePath(keys, first.keyId))
  expect(await check(keys, { ...known, signing: [{ ...first, status: "ROTATED" }, ...others] })).toEqual([])
  writeFileSync(join(keys, "ed25519-stray.json"), "{}", { mode: 0o600 })
  const refused = await check(keys, { ...known, signing: [{ ...first, status: "ROTATED" }, ...others] }).catch(
    (error: unknown) => error,
  )
  expect(refused).toBeInstanceOf(SecretFileError)
  expect(String(refused)).toContain("ed25519-stray.json belongs to no key of the database")
})

test("a crash after the file and before the row leaves a notice, even if the file was cut short", async () => {
  using fresh = freshDirectory()
  const { keys, known } = inUse(fresh.path)
  const left = drawKey(nextKeys(keys), machine)
  const torn = keyFilePath(nextKeys(keys), "ed25519-torn")
  writeFileSync(torn, "", { mode: 0o600 })
  const notices = await check(keys, known)
  expect(notices).toHaveLength(2)
  for (const path of [keyFilePath(nextKeys(keys), left.keyId), torn]) {
    expect(notices.find((notice) => notice.startsWith(path))).toContain("it will never sign; remove the file")
  }
  chmodSync(torn, 0o604)
  await expect(check(keys, known)).rejects.toThrow(`chmod 600 ${torn}`)
})

test("a crash after the row and before the move is finished by the next check, once", async () => {
  using fresh = freshDirectory()
  const { keys, rows, known } = inUse(fresh.path)
  const committed = signingKeyRow(drawKey(nextKeys(keys), machine), "log", machine.now())
  for (let look = 0; look < 2; look++) {
    expect(await check(keys, { ...known, signing: [...rows, committed] })).toEqual([])
    expect(existsSync(keyFilePath(keys, committed.keyId))).toBe(true)
    expect(readdirSync(nextKeys(keys))).toEqual([])
  }
})

test("the committed next keys and the recovery keys give no notice, in place or taken offline", async () => {
  using fresh = freshDirectory()
  const { keys, known } = inUse(fresh.path)
  const next = drawKey(nextKeys(keys), machine)
  const recovery = drawKey(recoveryKeys(keys), machine)
  const named = { ...known, nextDigests: [commitmentTo(next.keyId)], recoveryKeyIds: [recovery.keyId] }
  expect(await check(keys, named)).toEqual([])
  chmodSync(keyFilePath(recoveryKeys(keys), recovery.keyId), 0o644)
  await expect(check(keys, named)).rejects.toThrow(/mode 0644/)
  rmSync(recoveryKeys(keys), { recursive: true })
  rmSync(nextKeys(keys), { recursive: true })
  expect(await check(keys, named)).toEqual([])
})

test("a key that another process activates between the two checks is not reported as foreign", async () => {
  using fresh = freshDirectory()
  const { keys, rows, known } = inUse(fresh.path)
  const rotated = signingKeyRow(drawKey(nextKeys(keys), machine), "log", machine.now())
  const meanwhile = async () => {
    takeIntoUse(keys, rotated.keyId)
    return { ...known, signing: [...rows, rotated] }
  }
  expect(await requireKeyFiles(keys, { known: meanwhile, missingIsNotice: false })).toEqual([])
})
