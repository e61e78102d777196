import { Database } from "bun:sqlite"
import { describe, expect } from "bun:test"
import { existsSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { join } from "node:path"
import { type Migration, migrations } from "../../db/migrations.ts"
import { createDataDirectory, DataDirectoryError, openDataDirectory } from "../../src/data/data-directory.ts"
import { databaseOf } from "../fixtures/database-of.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { makeOlderDirectory } from "../fixtures/older-directory.ts"
import { clockAt } from "../fixtures/service.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const machine = clockAt(Date.UTC(2026, 0, 1))
const onFatal = (error: unknown): never => {
  throw error
}
const last = migrations.at(-1)?.ordinal ?? 0
const further: Migration = { ordinal: last + 1, name: "further", sql: "CREATE TABLE further (a TEXT) STRICT" }
const failing: Migration = {
  ordinal: last + 1,
  name: "failing",
  sql: "CREATE TABLE half (a TEXT) STRICT; CREATE TABLE meta (a)",
}
const copyName = `bizauth.db.before-${String(last + 1).padStart(4, "0")}`

async function made(path: string): Promise<string> {
  const directory = join(path, "data")
  await createDataDirectory(directory, "live", machine)
  return directory
}

const open = (directory: string, migrate: boolean, known: readonly Migration[] = migrations) =>
  openDataDirectory(directory, { machine, migrate, onFatal, known })

test("a directory opens with the environment and the secrets it was made with", async () => {
  using fresh = freshDirectory()
  const directory = await made(fresh.path)
  const first = await open(directory, false)
  expect(first.environment).toBe("live")
  // NORMAL: a thread syncs the log, not COMMIT.
  expect(databaseOf(first).query("PRAGMA synchronous").get()).toEqual({ synchronous: 1 })
  expect(first.quoteKey).toHaveLength(32)
  expect(first.tokenKey).toHaveLength(32)
  expect(first.tokenKey).not.toEqual(first.quoteKey)
  await first.store.close()
  const second = await open(directory, false)
  expect(second.quoteKey).toEqual(first.quoteKey)
  expect(second.tokenKey).toEqual(first.tokenKey)
  await second.store.close()
})

test("two directories never share a key", async () => {
  using fresh = freshDirectory()
  const one = await createDataDirectory(join(fresh.path, "one"), "test", machine)
  const two = await createDataDirectory(join(fresh.path, "two"), "test", machine)
  const enrolled = [...one.enrolled, ...two.enrolled]
  expect(new Set(enrolled.flatMap(({ key, recoveryKeyId }) => [key.keyId, recoveryKeyId])).size).toBe(12)
  expect(new Set(enrolled.map(({ agentId }) => agentId)).size).toBe(6)
})

test("two processes may have one directory open", async () => {
  using fresh = freshDirectory()
  const directory = await made(fresh.path)
  const opened = await Promise.all([open(directory, true), open(directory, true)])
  expect(opened.map(({ applied }) => applied)).toEqual([[], []])
  for (const { store } of opened) await store.close()
})

describe("a directory of a release without tokens", () => {
  const tokenKey = (directory: string) => join(directory, "keys", "token-hmac.key")

  async function older(path: string): Promise<string> {
    const directory = join(path, "data")
    await makeOlderDirectory(directory, machine.now())
    return directory
  }

  test("gets the token key together with its table, readable only by the owner, and keeps it", async () => {
    using fresh = freshDirectory()
    const directory = await older(fresh.path)
    await expect(open(directory, false)).rejects.toThrow(/needs migration/)
    expect(existsSync(tokenKey(directory))).toBe(false)
    const first = await open(directory, true)
    expect(readFileSync(tokenKey(directory))).toEqual(Buffer.from(first.tokenKey))
    expect(statSync(tokenKey(directory)).mode & 0o777).toBe(0o600)
    await first.store.close()
    const second = await open(directory, false)
    expect(second.tokenKey).toEqual(first.tokenKey)
    await second.store.close()
  })

  test("uses the same key again after its first start stopped between the key and the table", async () => {
    using fresh = freshDirectory()
    const directory = await older(fresh.path)
    await expect(open(directory, true, [...migrations, failing])).rejects.toThrow(/already exists/)
    const made = readFileSync(tokenKey(directory))
    const opened = await open(directory, true)
    expect(Buffer.from(opened.tokenKey)).toEqual(made)
    await opened.store.close()
  })

  test("never gets a new key in place of a lost one once it has the table", async () => {
    using fresh = freshDirectory()
    const directory = await older(fresh.path)
    await (await open(directory, true)).store.close()
    rmSync(tokenKey(directory))
    await expect(open(directory, true)).rejects.toThrow(/token-hmac\.key is missing/)
    expect(existsSync(tokenKey(directory))).toBe(false)
  })
})

test("a pending migration is applied only on request, after a complete copy of the database", async () => {
  using fresh = freshDirectory()
  const directory = await made(fresh.path)
  const known = [...migrations, further]
  await expect(open(directory, false, known)).rejects.toThrow(/needs migration further; bizauth serve applies it/)
  expect(existsSync(join(directory, copyName))).toBe(false)
  const opened = await open(directory, true, known)
  expect(opened.applied).toEqual(["further"])
  expect(opened.copy).toBe(join(directory, copyName))
  await opened.store.close()
  const copy = new Database(join(directory, copyName), { readonly: true })
  expect(copy.query("SELECT value FROM meta WHERE name = 'environment'").get()).toEqual({ value: "live" })
  expect(copy.query("PRAGMA integrity_check").get()).toEqual({ integrity_check: "ok" })
  expect(copy.query("SELECT 1 FROM sqlite_schema WHERE name = 'further'").get()).toBeNull()
  copy.close()
  expect(statSync(join(directory, copyName)).mode & 0o777).toBe(0o600)
})

test("a failed migration leaves the database unchanged, and the next try replaces the copy", async () => {
  using fresh = freshDirectory()
  const directory = await made(fresh.path)
  for (let attempt = 0; attempt < 2; attempt++) {
    await expect(open(directory, true, [...migrations, failing])).rejects.toThrow(/already exists/)
  }
  expect(readdirSync(directory).filter((name) => name.includes("partial"))).toEqual([])
  const opened = await open(directory, true)
  expect(opened.applied).toEqual([])
  expect(databaseOf(opened).query("SELECT 1 FROM sqlite_schema WHERE name = 'half'").get()).toBeNull()
  await opened.store.close()
})

test("a database of a newer release is refused and left unchanged", async () => {
  using fresh = freshDirectory()
  const directory = await made(fresh.path)
  await (await open(directory, true, [...migrations, further])).store.close()
  await expect(open(directory, true)).rejects.toThrow(/database has migration further, which this binary does not know/)
  await expect(open(directory, true)).rejects.toBeInstanceOf(DataDirectoryError)
})

test("an interrupted init does not count as initialised", async () => {
  using fresh = freshDirectory()
  const directory = await made(fresh.path)
  const database = new Database(join(directory, "bizauth.db"))
  database.run("DELETE FROM meta WHERE name = 'environment'")
  database.close()
  await expect(open(directory, true)).rejects.toThrow(/an init of .* did not finish/)
  await expect(createDataDirectory(directory, "live", machine)).rejects.toThrow(/nothing was changed/)
})

test("a database that another process writes to is busy, not broken", async () => {
  using fresh = freshDirectory()
  const directory = await made(fresh.path)
  const other = new Database(join(directory, "bizauth.db"))
  other.run("BEGIN IMMEDIATE")
  await expect(open(directory, true, [...migrations, further])).rejects.toThrow(/cannot be used now \(BUSY\)/)
  other.run("ROLLBACK")
  other.close()
})
