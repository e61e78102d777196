import type { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { readMessageFacts } from "../../src/store/agent-mode/message-facts.ts"
import { forgetEvent, type KeptMessage, keepMessage, purgeMessages } from "../../src/store/agent-mode/messages.ts"
import { PURGED_AT_ONCE } from "../../src/store/agent-mode/purged-at-once.ts"
import { SqliteStore } from "../../src/store/sqlite-store.ts"

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()
const BEFORE_ORDER = 38

interface Messages {
  readonly store: SqliteStore
  readonly database: Database
}

/** `prepare` writes to the database of the version before the messages had an order. */
async function withMessages(
  use: (messages: Messages) => Promise<void>,
  prepare: (database: Database) => void = () => {},
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), "bizauth-messages-"))
  const database = openDatabase(join(directory, "bizauth.db"))
  migrate(
    database,
    at(0),
    migrations.filter(({ ordinal }) => ordinal <= BEFORE_ORDER),
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
    rmSync(directory, { recursive: true })
  }
}

const keyOf = (name: string) => ({ agentId: "agent", domain: "domain", idempotencyKey: name })
const digestOf = (n: number) => Buffer.alloc(32, n)

function message(expiresAt: string, eventDigest: Uint8Array | null = null): KeptMessage {
  return { requestDigest: "digest", response: `until ${expiresAt}`, expiresAt, eventDigest }
}

const keep = ({ store }: Messages, name: string, kept: KeptMessage, now = at(0), hasEnded = false) =>
  store.run(() => keepMessage(keyOf(name), kept, now, hasEnded))

const factsOf = ({ store }: Messages, name: string, now: string, eventDigest: Uint8Array | null = null) =>
  store.read(() => readMessageFacts({ ...keyOf(name), keyId: "", consentId: "", day: "", eventDigest, at: now }))

const namesOf = ({ database }: Messages) =>
  database
    .query<{ idempotency_key: string }, []>("SELECT idempotency_key FROM agent_message ORDER BY id")
    .all()
    .map((row) => row.idempotency_key)

test("an answer is found until it ends", () =>
  withMessages(async (messages) => {
    await keep(messages, "a", message(at(10)))
    expect((await factsOf(messages, "a", at(9))).earlier).toEqual({
      requestDigest: "digest",
      response: `until ${at(10)}`,
    })
    expect((await factsOf(messages, "a", at(10))).earlier).toBeNull()
    expect((await factsOf(messages, "b", at(9))).earlier).toBeNull()
  }))

test("an event has the end of the message that counted it, until it is forgotten", () =>
  withMessages(async (messages) => {
    await keep(messages, "a", message(at(10), digestOf(1)))
    await keep(messages, "b", message(at(10)))
    expect((await factsOf(messages, "c", at(9), digestOf(1))).countedUntil).toBe(at(10))
    expect((await factsOf(messages, "c", at(11), digestOf(1))).countedUntil).toBe(at(10))
    expect((await factsOf(messages, "c", at(9), digestOf(2))).countedUntil).toBeNull()
    expect((await factsOf(messages, "c", at(9))).countedUntil).toBeNull()
    await messages.store.run(() => forgetEvent(digestOf(1)))
    expect((await factsOf(messages, "c", at(9), digestOf(1))).countedUntil).toBeNull()
    await keep(messages, "c", message(at(20), digestOf(1)))
    expect((await factsOf(messages, "d", at(9), digestOf(1))).countedUntil).toBe(at(20))
    expect((await factsOf(messages, "a", at(9))).earlier).not.toBeNull()
  }))

test("two messages never count one event", () =>
  withMessages(async (messages) => {
    await keep(messages, "a", message(at(10), digestOf(1)))
    await expect(keep(messages, "b", message(at(10), digestOf(1)))).rejects.toThrow("UNIQUE")
    expect(namesOf(messages)).toEqual(["a"])
  }))

test("a key that is used again after its end becomes the newest", () =>
  withMessages(async (messages) => {
    await keep(messages, "a", message(at(10), digestOf(1)))
    await keep(messages, "b", message(at(11)))
    await keep(messages, "a", message(at(60), digestOf(2)), at(30))
    expect(namesOf(messages)).toEqual(["b", "a"])
    expect((await factsOf(messages, "c", at(30), digestOf(1))).countedUntil).toBeNull()
    expect((await factsOf(messages, "c", at(30), digestOf(2))).countedUntil).toBe(at(60))
    expect((await factsOf(messages, "c", at(30))).hasEndedMessages).toBe(true)
  }))

test("messages that ended are removed oldest first, a bounded number at once, and with a new message", () =>
  withMessages(async (messages) => {
    const count = PURGED_AT_ONCE + 10
    for (let n = 0; n < count; n++) await keep(messages, `m${n}`, message(at(10)))
    await keep(messages, "live", message(at(50)))
    expect((await factsOf(messages, "m", at(9))).hasEndedMessages).toBe(false)
    expect(await messages.store.run(() => purgeMessages(at(9)))).toBe(0)
    expect((await factsOf(messages, "m", at(10))).hasEndedMessages).toBe(true)
    expect(await messages.store.run(() => purgeMessages(at(10)))).toBe(PURGED_AT_ONCE)
    expect(namesOf(messages).slice(0, 2)).toEqual([`m${PURGED_AT_ONCE}`, `m${PURGED_AT_ONCE + 1}`])
    await keep(messages, "new", message(at(60)), at(10), true)
    expect(namesOf(messages)).toEqual(["live", "new"])
    expect((await factsOf(messages, "m", at(10))).hasEndedMessages).toBe(false)
  }))

test("a message with a later end holds back those behind it until it ends", () =>
  withMessages(async (messages) => {
    await keep(messages, "clock was ahead", message(at(40)))
    await keep(messages, "a", message(at(10)))
    expect((await factsOf(messages, "m", at(20))).hasEndedMessages).toBe(false)
    expect((await factsOf(messages, "m", at(40))).hasEndedMessages).toBe(true)
    expect(await messages.store.run(() => purgeMessages(at(40)))).toBe(2)
  }))

test("an upgrade keeps answers and counted events, in the order of their ends", () =>
  withMessages(
    async (messages) => {
      expect(namesOf(messages)).toEqual(["second", `sha256:${"01".repeat(32)}`, "first"])
      expect((await factsOf(messages, "first", at(29))).earlier).toEqual({ requestDigest: "d1", response: "r1" })
      expect((await factsOf(messages, "second", at(9))).earlier).toEqual({ requestDigest: "d2", response: "r2" })
      expect((await factsOf(messages, "x", at(0), digestOf(1))).countedUntil).toBe(at(20))
      expect((await factsOf(messages, "x", at(0), digestOf(2))).countedUntil).toBeNull()
    },
    (database) => {
      const insert = database.prepare("INSERT INTO agent_message VALUES ('agent', 'domain', ?1, ?2, ?3, ?4)")
      insert.run("first", "d1", "r1", at(30))
      insert.run("second", "d2", "r2", at(10))
      database.run(`INSERT INTO beacon_seen VALUES ('sha256:${"01".repeat(32)}', '${at(20)}')`)
    },
  ))
