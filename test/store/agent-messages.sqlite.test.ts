/** The upgrade of files that an earlier release made. PostgreSQL begins with the present schema. */
import type { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { hash } from "node:crypto"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { purgeMessages } from "../../src/store/agent-mode/messages.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { besideOf } from "../fixtures/test-database.ts"
import { AGENT, at, factsOf, keptBy, type Messages } from "./agent-message-rows.ts"

const sha256 = (text: string) => hash("sha256", text, "buffer")

/** `prepare` writes to the database after the migration `first`. */
async function withMessages(
  use: (messages: Messages) => Promise<void>,
  first: number,
  prepare: (database: Database) => void,
): Promise<void> {
  using fresh = freshDirectory()
  const database = openDatabase(`${fresh.path}/bizauth.db`)
  migrate(
    database,
    at(0),
    migrations.filter(({ ordinal }) => ordinal <= first),
  )
  prepare(database)
  migrate(database, at(0))
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  try {
    await use({ store, ...besideOf(database) })
  } finally {
    await store.close()
  }
}

test("an upgrade keeps answers, spent nonces and counted events, and the nonces come first", () =>
  withMessages(
    async (messages) => {
      expect((await factsOf(messages, "first", at(29))).earlier).toEqual({ requestDigest: "d1", response: "first" })
      expect((await factsOf(messages, "second", at(9))).earlier).toEqual({ requestDigest: "d2", response: "second" })
      expect((await factsOf(messages, "x", at(0), { event: "e1" })).countedUntil).toBe(at(30))
      expect((await factsOf(messages, "x", at(0), { event: "e2" })).countedUntil).toBeNull()
      expect((await factsOf(messages, "x", at(0), { nonce: "n" })).isNonceSpent).toBe(true)
      expect((await factsOf(messages, "x", at(0), { nonce: "other" })).isNonceSpent).toBe(false)
      expect(await keptBy(messages)).toEqual({ names: ["", "second", "first"], marks: 4 })
      expect(await messages.rows("SELECT scope FROM used_nonce")).toEqual([{ scope: "agent-http:key" }])
      expect(await messages.store.run(() => purgeMessages(at(20)))).toBe(2)
      expect(await keptBy(messages)).toEqual({ names: ["first"], marks: 2 })
    },
    40,
    (database) => {
      database.run(`INSERT INTO agent (agent_id, identity_status, sequence, head_event_digest, head_accepted_at)
        VALUES ('${AGENT}', 'ACTIVE', 0, 'sha256:0', '${at(0)}')`)
      database.run(`INSERT INTO agent_key (key_id, agent_id, role, x, scalar_owner, status, since)
        VALUES ('key', '${AGENT}', 'OPERATIONAL', 'x', 'x', 'ACTIVE', '${at(0)}')`)
      const insert = database.prepare(
        `INSERT INTO agent_message (agent_id, domain, idempotency_key, request_digest, response, expires_at, event_digest)
         VALUES (?1, 'domain', ?2, ?3, ?2, ?4, ?5)`,
      )
      insert.run(AGENT, "second", "d2", at(10), null)
      insert.run(AGENT, "first", "d1", at(30), sha256(`{"agent_id":"${AGENT}","event_id":"e1"}`))
      database.run(`INSERT INTO used_nonce VALUES ('agent-message:key', 'n', '${at(20)}')`)
      database.run(`INSERT INTO used_nonce VALUES ('agent-http:key', 'n', '${at(20)}')`)
    },
  ))

test("an upgrade from before migration 39 keeps answers; an event that has no agent can count again", () =>
  withMessages(
    async (messages) => {
      expect((await factsOf(messages, "first", at(29))).earlier).toEqual({ requestDigest: "d1", response: "first" })
      expect(await keptBy(messages)).toEqual({ names: ["first"], marks: 1 })
    },
    38,
    (database) => {
      database.run(`INSERT INTO agent_message VALUES ('${AGENT}', 'domain', 'first', 'd1', 'first', '${at(30)}')`)
      database.run(`INSERT INTO beacon_seen VALUES ('sha256:${"01".repeat(32)}', '${at(20)}')`)
    },
  ))
