/** The bytes of SQLite's files, which keep also what a row no longer has. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { SqliteStore } from "../../../src/store/engine/sqlite/sqlite-store.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { openMigrated } from "../../fixtures/new-database.ts"
import { serverOver } from "./test-server.ts"

test("no token, binding or key is in the log, in the database or in its write-ahead log", async () => {
  using fresh = freshDirectory()
  const database = openMigrated(join(fresh.path, "bizauth.db"))
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  const watched = serverOver(store)
  const tokens = [await watched.issue("watched"), await watched.issue("other", { kind: "VENDOR_CHANGE" })]
  for (const held of tokens) {
    for (const answer of [
      await watched.redeem(held, { binding: { ...held.binding, company_number: "99999999" } }),
      await watched.status(held),
      await watched.redeem(held, { purpose: held.token }),
      await watched.revoke(held),
      await watched.redeem(held),
    ]) {
      expect(await answer.text()).not.toContain(held.token.slice(7))
    }
  }
  const kept = ["", "-wal"].map((end) => Bun.file(database.filename + end).bytes())
  const text = Buffer.concat(await Promise.all(kept)).toString("latin1") + JSON.stringify(watched.logged)
  expect(text).toContain(tokens[0]?.tokenHash ?? "")
  for (const { token } of tokens) {
    expect(text).not.toContain(token.slice(7))
    expect(text).not.toContain(Buffer.from(token.slice(7), "base64url").toString("latin1"))
    expect(text).not.toContain(Buffer.from(token.slice(7), "base64url").toString("hex"))
  }
  expect(JSON.stringify(watched.logged)).not.toMatch(/01234567|99999999|sha256|0x0000|zq7/)
  await store.close()
})
