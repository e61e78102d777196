/** The upgrade of files that an earlier release made. PostgreSQL begins with the present schema. */
import type { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { hash } from "node:crypto"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { markOf } from "../../src/agent-mode/conversation/messages/message-marks.ts"
import { readMessageFacts } from "../../src/store/agent-mode/message-facts.ts"
import { purgeMessages } from "../../src/store/agent-mode/messages.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { freshDirectory } from "../fixtures/directories.ts"

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const AGENT = `svc:agent:${"A".repeat(26)}qqqqqq`

const sha256 = (text: string) => hash("sha256", text, "buffer")

interface Messages {
  readonly store: SqliteStore
  readonly database: Database
}

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
    await use({ store, database })
  } finally {
    await store.close()
  }
}

const keyOf = (name: string) => markOf({ agent_id: AGENT, domain: "domain", idempotency_key: name })
const nonceOf = (nonce: string) => markOf({ agent_id: AGENT, key_id: "key", nonce })
const eventOf = (name: string) => markOf({ agent_id: AGENT, event_id: name })

/** Without `nonce`, the nonce has the name of the message. */
interface Named {
  readonly nonce?: string
  readonly event?: string
}

const factsOf = ({ store }: Messages, name: string, now: string, { nonce = name, event }: Named = {}) => {
  const marks = { keyMark: keyOf(name), nonceMark: nonceOf(nonce), eventMark: event ? eventOf(event) : null }
  return store.read(() => readMessageFacts({ agentId: AGENT, keyId: "", ...marks, consentId: "", day: "", at: now }))
}

/** Names of the kept messages, and the number of marks. */
const keptBy = ({ database }: Messages) => ({
  names: database
    .query<{ response: string }, []>("SELECT response FROM agent_message ORDER BY id")
    .all()
    .map((row) => row.response.split(" until ")[0]),
  marks: database.query<{ n: number }, []>("SELECT count(*) AS n FROM agent_message_mark").get()?.n,
})

test("an upgrade keeps answers, spent nonces and counted events, and the nonces come first", () =>
  withMessages(
    async (messages) => {
      expect((await factsOf(messages, "first", at(29))).earlier).toEqual({ requestDigest: "d1", response: "first" })
      expect((await factsOf(messages, "second", at(9))).earlier).toEqual({ requestDigest: "d2", response: "second" })
      expect((await factsOf(messages, "x", at(0), { event: "e1" })).countedUntil).toBe(at(30))
      expect((await factsOf(messages, "x", at(0), { event: "e2" })).countedUntil).toBeNull()
      expect((await factsOf(messages, "x", at(0), { nonce: "n" })).isNonceSpent).toBe(true)
      expect((await factsOf(messages, "x", at(0), { nonce: "other" })).isNonceSpent).toBe(false)
      expect(keptBy(messages)).toEqual({ names: ["", "second", "first"], marks: 4 })
      expect(messages.database.query("SELECT scope FROM used_nonce").values()).toEqual([["agent-http:key"]])
      expect(await messages.store.run(() => purgeMessages(at(20)))).toBe(2)
      expect(keptBy(messages)).toEqual({ names: ["first"], marks: 2 })
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
      expect(keptBy(messages)).toEqual({ names: ["first"], marks: 1 })
    },
    38,
    (database) => {
      database.run(`INSERT INTO agent_message VALUES ('${AGENT}', 'domain', 'first', 'd1', 'first', '${at(30)}')`)
      database.run(`INSERT INTO beacon_seen VALUES ('sha256:${"01".repeat(32)}', '${at(20)}')`)
    },
  ))
