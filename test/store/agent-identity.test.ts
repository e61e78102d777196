import type { Database } from "bun:sqlite"
import { afterEach, beforeEach, expect, test } from "bun:test"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { migrate } from "../../db/migrate.ts"
import { migrations } from "../../db/migrations.ts"
import { openDatabase } from "../../db/open.ts"
import { issueChallenge } from "../../src/store/agent-challenge.ts"
import {
  acceptEnrolment,
  type Enrolment,
  findActiveOperationalKey,
  findAgentKey,
  findIdentity,
} from "../../src/store/agent-identity.ts"
import { SqliteStore } from "../../src/store/sqlite-store.ts"

const AT = "2026-03-01T12:00:00.000Z"
const EXPIRES = "2026-03-01T12:10:00.000Z"
let folder: string
let database: Database
let store: SqliteStore
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "agent-store-"))
  database = openDatabase(join(folder, "test.db"))
  migrate(database, "2026-01-01T00:00:00.000Z", migrations.slice(0, 2))
  store = new SqliteStore(database, (error) => {
    throw error
  })
})
afterEach(async () => {
  await store.close()
  rmSync(folder, { recursive: true, force: true })
})

const issue = (challengeId: string) =>
  store.run(() =>
    issueChallenge({
      challengeId,
      client: "192.0.2.1",
      eventJson: "{}",
      challengeDigest: "sha256:c",
      issuedAt: AT,
      expiresAt: EXPIRES,
      purgeBefore: "2026-03-01T11:50:00.000Z",
      perClientMax: 20,
      inAllMax: 100_000,
    }),
  )
const enrolment = (name: string, changes: Partial<Enrolment> = {}): Enrolment => ({
  challengeId: `challenge-${name}`,
  proofDigest: `proof-${name}`,
  resultJson: "{}",
  agentId: `agent-${name}`,
  eventDigest: `event-${name}`,
  eventJson: "{}",
  signaturesJson: "[]",
  receiptJson: "{}",
  acceptedAt: AT,
  keys: [
    { keyId: `op-${name}`, role: "OPERATIONAL", x: `x-op-${name}`, scalarOwner: `owner-op-${name}` },
    { keyId: `rec-${name}`, role: "RECOVERY", x: `x-rec-${name}`, scalarOwner: `owner-rec-${name}` },
  ],
  client: "192.0.2.1",
  enrolmentsPerDayMax: 200,
  ...changes,
})
const accept = (row: Enrolment) => store.run(() => acceptEnrolment(row))
const counts = () =>
  ["agent", "agent_key", "agent_event", "agent_enrolment_count"].map(
    (table) => (database.query(`SELECT count(*) AS n FROM ${table}`).get() as { n: number }).n,
  )

test("an enrolled identity is found whole, and its keys by agent and key id together", async () => {
  await issue("challenge-a")
  expect(await accept(enrolment("a"))).toEqual({ kind: "ENROLLED" })
  const key = {
    agentId: "agent-a",
    keyId: "op-a",
    role: "OPERATIONAL",
    x: "x-op-a",
    status: "ACTIVE",
    since: AT,
    until: null,
    successorKeyId: null,
  } as const
  const recovery = { ...key, keyId: "rec-a", role: "RECOVERY", x: "x-rec-a" } as const
  expect(await store.read(() => findAgentKey("agent-a", "op-a"))).toEqual({ ...key, identityStatus: "ACTIVE" })
  expect(await store.read(() => findAgentKey("agent-a", "rec-a"))).toEqual({ ...recovery, identityStatus: "ACTIVE" })
  expect(await store.read(() => findActiveOperationalKey("agent-a"))).toEqual(key)
  expect(await store.read(() => findIdentity("agent-a"))).toEqual({
    agentId: "agent-a",
    identityStatus: "ACTIVE",
    sequence: 0,
    headEventDigest: "event-a",
    headAcceptedAt: AT,
    keys: [key, recovery],
  })
})

test("a key of another agent, an unknown key and an unknown agent are null", async () => {
  await Promise.all([issue("challenge-a"), issue("challenge-b")])
  await Promise.all([accept(enrolment("a")), accept(enrolment("b"))])
  expect(await store.read(() => findAgentKey("agent-a", "op-b"))).toBeNull()
  expect(await store.read(() => findAgentKey("agent-a", "op-x"))).toBeNull()
  expect(await store.read(() => findActiveOperationalKey("agent-x"))).toBeNull()
  expect(await store.read(() => findIdentity("agent-x"))).toBeNull()
})

test("the active operational key is neither a rotated nor a revoked nor a recovery one", async () => {
  await issue("challenge-a")
  await accept(enrolment("a"))
  for (const status of ["ROTATED", "REVOKED"] as const) {
    database.run("UPDATE agent_key SET status = ?, until = ? WHERE key_id = 'op-a'", [status, EXPIRES])
    expect(await store.read(() => findActiveOperationalKey("agent-a"))).toBeNull()
    expect(await store.read(() => findAgentKey("agent-a", "op-a"))).toMatchObject({ status, until: EXPIRES })
  }
})

test("an enrolment that fails at its last write leaves nothing: challenge open, no rows, and it can be done again", async () => {
  await issue("challenge-a")
  database.run("CREATE TRIGGER refuse BEFORE INSERT ON agent_event BEGIN SELECT RAISE(ABORT, 'power cut'); END")
  await expect(accept(enrolment("a"))).rejects.toThrow()
  expect(counts()).toEqual([0, 0, 0, 0])
  expect(database.query("SELECT state, client, result_json FROM agent_challenge").all()).toEqual([
    { state: "ISSUED", client: "192.0.2.1", result_json: null },
  ])
  database.run("DROP TRIGGER refuse")
  expect(await accept(enrolment("a"))).toEqual({ kind: "ENROLLED" })
  expect(counts()).toEqual([1, 2, 1, 1])
})

test("a unit abandoned between its writes leaves nothing", async () => {
  await issue("challenge-a")
  for (let writes = 1; writes <= 10; writes++) {
    const cut = store.run(function* () {
      const unit = acceptEnrolment(enrolment("a"))
      let step = unit.next()
      for (let done = 0; done < writes && !step.done; done++) step = unit.next(yield step.value)
      throw new Error("killed")
    })
    await expect(cut).rejects.toThrow("killed")
    expect(counts()).toEqual([0, 0, 0, 0])
    expect(database.query("SELECT state FROM agent_challenge").get()).toEqual({ state: "ISSUED" })
  }
})

test("a refusal writes nothing: unknown, expired and consumed challenge, taken key, used-up day", async () => {
  await Promise.all([issue("challenge-a"), issue("challenge-b"), issue("challenge-c")])
  expect(await accept(enrolment("x"))).toEqual({ kind: "NOT_OPEN", challenge: null })
  expect(await accept(enrolment("a", { acceptedAt: EXPIRES }))).toMatchObject({ kind: "NOT_OPEN" })
  expect(counts()).toEqual([0, 0, 0, 0])
  await accept(enrolment("a"))
  expect(await accept(enrolment("a", { proofDigest: "other" }))).toMatchObject({
    kind: "NOT_OPEN",
    challenge: { state: "CONSUMED", proofDigest: "proof-a" },
  })
  const [taken] = enrolment("a").keys
  const [, fresh] = enrolment("b").keys
  if (!taken || !fresh) throw new Error("two keys")
  expect(
    await accept(
      enrolment("b", {
        keys: [
          { ...fresh, role: "OPERATIONAL" },
          { ...taken, role: "RECOVERY" },
        ],
      }),
    ),
  ).toEqual({
    kind: "KEY_ALREADY_ENROLLED",
    role: "RECOVERY",
  })
  expect(await accept(enrolment("c", { enrolmentsPerDayMax: 1 }))).toEqual({ kind: "DAILY_LIMIT" })
  expect(counts()).toEqual([1, 2, 1, 1])
  expect(database.query("SELECT enrolments FROM agent_enrolment_count").get()).toEqual({ enrolments: 1 })
})
