/** A database of the release that did not yet recognise lists by their content. Its imports and acceptances must be recognised too. */
import { expect, test } from "bun:test"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { knownBytes } from "../../src/store/sources/source-acceptances.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const LAST_BEFORE = 25
const AT = "2026-01-02T00:00:00.000Z"
const LATER = "2026-03-02T00:00:00.000Z"
const hex = (letter: string) => letter.repeat(64)
const SOURCE = "US_OFAC_SDN"

test("imports and acceptances of an earlier release are found by the content of their files and by their raw_sha256", async () => {
  using directory = freshDirectory()
  const database = openDatabase(`${directory.path}/bizauth.db`)
  migrate(
    database,
    AT,
    migrations.filter(({ ordinal }) => ordinal <= LAST_BEFORE),
  )
  const insert = database.query(
    `INSERT INTO source_snapshot (snapshot_id, source_id, source_url, source_version, retrieved_at, parser_version, raw_sha256,
       parties_sha256, counts, entries, files, findings, imported_at, state, published_at, published_from)
     VALUES ($id, '${SOURCE}', 'u', 'v', '${AT}', 'p', $raw, 'd', '{}', 1, $files, '[]', '${AT}', $state, '${AT}', 'STATED')`,
  )
  const files = (...letters: string[]) => JSON.stringify(letters.map((one) => ({ name: one, sha256: hex(one) })))
  insert.run({ id: "one", raw: `sha256:${hex("e")}`, files: files("e"), state: "KEPT" })
  insert.run({ id: "set", raw: "sha256:of-the-names", files: files("c", "a", "b"), state: "ACTIVE" })
  database.run(
    `INSERT INTO source_acceptance (source_id, at, raw_sha256, what, reason, snapshot_id)
     VALUES ('${SOURCE}', '${AT}', 'sha256:of-the-names', 'SMALL', 'drill', 'set')`,
  )
  migrate(database, LATER)
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const known = (content: string, rawSha256: string) => store.read(() => knownBytes(SOURCE, { content, rawSha256 }))
  const accepted = [{ what: "SMALL" as const, reason: "drill", at: AT }]
  const expected = { retrievedAt: AT, confirmedAt: null, published: { at: AT, from: "STATED" as const } }
  const set = [hex("a"), hex("b"), hex("c")].join(" ")
  expect(await known(set, "sha256:other-names")).toEqual({ ...expected, acceptances: accepted })
  expect(await known("unpacked", "sha256:of-the-names")).toEqual({ ...expected, acceptances: accepted })
  expect(await known(hex("e"), "sha256:other")).toEqual({ ...expected, acceptances: [] })
  const unknown = { retrievedAt: null, confirmedAt: null, published: null, acceptances: [] }
  expect(await known(hex("f"), "sha256:other")).toEqual(unknown)
  expect(await known("", "sha256:other")).toEqual(unknown)
  await store.close()
})
