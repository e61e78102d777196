/** The HMAC keys of a directory are those of its database, whatever else is in it. */
import { expect, setDefaultTimeout, test } from "bun:test"
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { realMachine } from "../../src/base/machine.ts"
import { openDataDirectory } from "../../src/data/data-directory.ts"
import { dataPaths } from "../../src/data/data-paths.ts"
import { keyChecksOf } from "../../src/data/hmac-keys.ts"
import { directoryForEach } from "../fixtures/new-data-directory.ts"
import { TEST_ENGINE } from "../fixtures/new-store.ts"

setDefaultTimeout(60_000)

const directory = directoryForEach()

const onFatal = (error: unknown): never => {
  throw error
}
const openAt = (path: string, migrate = true) =>
  openDataDirectory(path, { machine: realMachine, migrate, onFatal, databaseFile: directory().databaseFile })
const open = (migrate = true) => openAt(directory().path, migrate)
const close = async (opening: ReturnType<typeof open>) => (await opening).store.close()

const checks = () =>
  directory().database.rows<{ name: string; value: string }>(
    "SELECT name, value FROM meta WHERE name IN ('quote_key_check', 'token_key_check') ORDER BY name",
  )
const forget = () => directory().database.write("DELETE FROM meta WHERE name IN ('quote_key_check', 'token_key_check')")

/** Puts another key in the place of one, and returns the fingerprints of both: of the file and of the database. */
function exchange(path: string, key: "quoteKey" | "tokenKey"): readonly [file: string, database: string] {
  const both = (bytes: Uint8Array) => keyChecksOf({ quoteKey: bytes, tokenKey: bytes })[key].slice(0, 16)
  const before = both(new Uint8Array(readFileSync(path)))
  const other = new Uint8Array(32).fill(5)
  rmSync(path)
  writeFileSync(path, other, { mode: 0o600 })
  return [both(other), before]
}

test("init writes check values of both keys, which say nothing about them", async () => {
  const paths = dataPaths(directory().path)
  const [quote, token] = await checks()
  expect(quote?.value).toMatch(/^[0-9a-f]{64}$/)
  expect(token?.value).not.toBe(quote?.value)
  for (const path of [paths.quoteKey, paths.tokenKey]) {
    expect(`${quote?.value} ${token?.value}`).not.toContain(readFileSync(path).toString("hex"))
  }
  await close(open())
  await close(open(false))
})

test.each(["quoteKey", "tokenKey"] as const)(
  "another %s is refused with both fingerprints, the file and the way out",
  async (key) => {
    const path = dataPaths(directory().path)[key]
    const [file, stored] = exchange(path, key)
    for (const migrate of [true, false]) {
      const refused = open(migrate)
      await expect(refused).rejects.toThrow(`${path} has the fingerprint ${file}, and the database ${stored}.`)
      await expect(refused).rejects.toThrow(/Copy keys\/ and bizauth\.toml of the directory that init made/)
    }
    const other = key === "quoteKey" ? "token-hmac.key" : "quote-hmac.key"
    await expect(open()).rejects.not.toThrow(other)
  },
)

test("in a database of an earlier release serve writes the check values, and no other command does", async () => {
  const before = await checks()
  await forget()
  await close(open(false))
  expect(await checks()).toEqual([])
  await close(open(true))
  expect(await checks()).toEqual(before)
})

test("of two directories with different keys that start at once on such a database, one is refused, and later the same one", async () => {
  const second = join(directory().folder, "second")
  cpSync(directory().path, second, { recursive: true })
  exchange(dataPaths(second).tokenKey, "tokenKey")
  if (TEST_ENGINE === "sqlite") rmSync(join(second, "bizauth.db"))
  await forget()
  // A file belongs to one directory: then the same one starts with its keys and with others.
  const openings = TEST_ENGINE === "sqlite" ? [open(), open()] : [open(), openAt(second), open(), openAt(second)]
  const ended = await Promise.allSettled(openings)
  for (const one of ended) if (one.status === "fulfilled") await one.value.store.close()
  expect(await checks()).toHaveLength(2)
  if (TEST_ENGINE === "sqlite") return
  const states = ended.map(({ status }) => status)
  expect(states[0]).toBe(states[2] as "fulfilled")
  expect(states[1]).toBe(states[3] as "fulfilled")
  expect(new Set(states).size).toBe(2)
  const [winner, loser] = states[0] === "fulfilled" ? [directory().path, second] : [second, directory().path]
  await close(openAt(winner))
  await expect(openAt(loser)).rejects.toThrow(/has the fingerprint/)
})

test.skipIf(TEST_ENGINE === "sqlite")(
  "a further instance needs a copy of keys/ and bizauth.toml, and nothing else",
  async () => {
    const paths = dataPaths(directory().path)
    const second = dataPaths(join(directory().folder, "second"))
    mkdirSync(second.directory, { mode: 0o700 })
    cpSync(paths.configuration, second.configuration)
    await expect(openAt(second.directory)).rejects.toThrow(/not initialised/)
    cpSync(paths.keys, second.keys, { recursive: true })
    await close(openAt(second.directory))
    for (const path of [second.quoteKey, second.tokenKey]) rmSync(path)
    const refused = openAt(second.directory)
    await expect(refused).rejects.toThrow(`${second.quoteKey}, ${second.tokenKey}: missing.`)
    await expect(refused).rejects.toThrow(/copy keys\/ and bizauth\.toml of the directory that init made/)
    expect(existsSync(second.quoteKey)).toBe(false)
  },
)
