/**
 * Fills a data directory with identities without keys: the rows, log leaves and map entries of enrolments, but with short texts in place of
 * event, signatures and receipt. The program's own code writes the log and the map.
 */
import type { Database } from "bun:sqlite"
import { createHash } from "node:crypto"
import { openDatabase } from "../../db/open.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { appendKeyEvent } from "../../src/store/log/transparency-log.ts"

const AT = "2026-01-01T00:00:00.000Z"
/** Log leaves of one unit, because a unit may run 2,000 statements. */
const LEAVES_A_UNIT = 100
const AGENTS_A_TRANSACTION = 10_000

const bytesOf = (label: string, n: number): Buffer => createHash("sha256").update(`${label} ${n}`).digest()

export function fillerId(n: number): string {
  return `svc:agent:${bytesOf("agent", n).toString("base64url", 0, 24)}`
}

/** Adds the fillers from `from` up to `to`, without `to`. Nothing else may use the database. */
export async function fill(path: string, from: number, to: number): Promise<void> {
  const database = openDatabase(path)
  // A power cut would lose the data, but a benchmark directory need not survive one.
  database.run("PRAGMA synchronous = OFF")
  const store = new SqliteStore(database, (error) => {
    throw error
  })
  for (let start = from; start < to; start += AGENTS_A_TRANSACTION) {
    const end = Math.min(to, start + AGENTS_A_TRANSACTION)
    database.transaction(() => insertRows(database, start, end)).immediate()
    for (let leaf = start; leaf < end; leaf += LEAVES_A_UNIT) {
      const last = Math.min(end, leaf + LEAVES_A_UNIT)
      await store.run(function* () {
        for (let n = leaf; n < last; n++) yield* appendKeyEvent(fillerId(n), eventDigest(n))
      })
    }
  }
  await store.close()
}

const eventDigest = (n: number): string => `sha256:${bytesOf("event", n).toString("hex")}`

function insertRows(database: Database, start: number, end: number): void {
  const agent = database.query(
    "INSERT INTO agent (agent_id, identity_status, sequence, head_event_digest, head_accepted_at) VALUES (?1, 'ACTIVE', 0, ?2, ?3)",
  )
  const key = database.query(
    "INSERT INTO agent_key (key_id, agent_id, role, x, scalar_owner, status, since) VALUES (?1, ?2, ?3, ?4, ?4, 'ACTIVE', ?5)",
  )
  const event = database.query(
    `INSERT INTO agent_event (agent_id, sequence, event_digest, challenge_id, event_json, signatures_json, receipt_json, accepted_at)
     VALUES (?1, 0, ?2, ?3, '{}', '[]', '{}', ?4)`,
  )
  const challenge = database.query(
    `INSERT INTO agent_challenge (challenge_id, state, event_json, challenge_digest, bad_proofs, issued_at, expires_at, proof_digest, result_json)
     VALUES (?1, 'CONSUMED', '{}', ?2, 0, ?3, ?3, ?2, '{}')`,
  )
  for (let n = start; n < end; n++) {
    const id = fillerId(n)
    const challengeId = bytesOf("challenge", n).toString("base64url", 0, 24)
    agent.run(id, eventDigest(n), AT)
    for (const role of ["OPERATIONAL", "RECOVERY"]) {
      key.run(
        `ed25519-${bytesOf(`${role} id`, n).toString("base64url")}`,
        id,
        role,
        bytesOf(role, n).toString("base64url"),
        AT,
      )
    }
    event.run(id, eventDigest(n), challengeId, AT)
    challenge.run(challengeId, eventDigest(n), AT)
  }
}
