import { expect, test } from "bun:test"
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { checkKeyFiles } from "../../src/keys/check-key-files.ts"
import { issueKey } from "../../src/keys/issue-key.ts"
import { keyFilePath } from "../../src/keys/key-file.ts"
import { nextKeys, takeIntoUse } from "../../src/keys/key-places.ts"
import { SecretFileError } from "../../src/keys/secret-file.ts"
import { KEY_USES, type ServiceKey } from "../../src/store/service-keys.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { clockAt } from "../fixtures/service.ts"

const machine = clockAt(Date.UTC(2026, 0, 1))

/** A directory with one key in use for each use. */
function inUse(path: string): { keys: string; rows: ServiceKey[] } {
  const keys = join(path, "keys")
  mkdirSync(keys)
  const rows = KEY_USES.map((use) => issueKey(keys, use, machine))
  for (const { keyId } of rows) takeIntoUse(keys, keyId)
  return { keys, rows }
}

test.each(KEY_USES)("the ACTIVE %s key is needed, readable and its own", (use) => {
  using fresh = freshDirectory()
  const { keys, rows } = inUse(fresh.path)
  const file = keyFilePath(keys, rows.find((row) => row.use === use)?.keyId ?? "")
  expect(checkKeyFiles(keys, rows)).toEqual([])
  chmodSync(file, 0o640)
  expect(() => checkKeyFiles(keys, rows)).toThrow(`chmod 600 ${file}`)
  rmSync(file)
  expect(() => checkKeyFiles(keys, rows)).toThrow(`${file} is missing: the database says this key signs`)
})

test("the file of a key that no longer signs may be gone, and a file the database does not know is refused", () => {
  using fresh = freshDirectory()
  const { keys, rows } = inUse(fresh.path)
  const [first, ...others] = rows
  if (!first) throw new Error("no key")
  rmSync(keyFilePath(keys, first.keyId))
  expect(checkKeyFiles(keys, [{ ...first, status: "ROTATED" }, ...others])).toEqual([])
  writeFileSync(join(keys, "ed25519-stray.json"), "{}", { mode: 0o600 })
  const check = () => checkKeyFiles(keys, [{ ...first, status: "ROTATED" }, ...others])
  expect(check).toThrow(/ed25519-stray\.json belongs to no key of the database/)
  expect(check).toThrow(SecretFileError)
})

test("a crash after the file and before the row leaves a notice, even if the file itself was cut short", () => {
  using fresh = freshDirectory()
  const { keys, rows } = inUse(fresh.path)
  const left = issueKey(keys, "log", machine)
  const torn = keyFilePath(nextKeys(keys), "ed25519-torn")
  writeFileSync(torn, "", { mode: 0o600 })
  const notices = checkKeyFiles(keys, rows)
  expect(notices).toHaveLength(2)
  for (const path of [keyFilePath(nextKeys(keys), left.keyId), torn]) {
    expect(notices.find((notice) => notice.startsWith(path))).toContain("it has signed nothing; remove the file")
  }
  chmodSync(torn, 0o604)
  expect(() => checkKeyFiles(keys, rows)).toThrow(`chmod 600 ${torn}`)
})

test("a crash after the row and before the move is finished by the next look, once and for ever", () => {
  using fresh = freshDirectory()
  const { keys, rows } = inUse(fresh.path)
  const committed = issueKey(keys, "log", machine)
  for (let look = 0; look < 2; look++) {
    expect(checkKeyFiles(keys, [...rows, { ...committed, status: "ACTIVE" }])).toEqual([])
    expect(existsSync(keyFilePath(keys, committed.keyId))).toBe(true)
    expect(readdirSync(nextKeys(keys))).toEqual([])
  }
})
