/**
 * Gives the messages and spent nonces of an older database their marks. SQLite has no SHA-256. The computation stays as it was when the
 * migration was released: later changes of the product do not change it.
 */
import type { Database } from "bun:sqlite"
import { hash } from "node:crypto"

interface Unmarked {
  readonly agent_id: string
  readonly domain: string
  /** Null for a nonce. */
  readonly idempotency_key: string | null
  readonly request_digest: string
  readonly response: string
  readonly expires_at: string
  readonly event_digest: Uint8Array | null
  readonly key_id: string
  readonly nonce: string
}

/**
 * Which message spent a nonce was not kept, so a nonce gets a row of its own with its own end. An event that a database before migration 39
 * counted has no agent, and no mark can be made for it: sent again within 48 hours, it counts again.
 */
const UNMARKED = `
  SELECT agent_id, domain, idempotency_key, request_digest, response, expires_at, event_digest, '' AS key_id, '' AS nonce
    FROM unmarked_message WHERE agent_id <> ''
  UNION ALL
  SELECT k.agent_id, 'nonce', NULL, '', '', n.expires_at, NULL, k.key_id, n.nonce
    FROM used_nonce n JOIN agent_key k ON n.scope = 'agent-message:' || k.key_id
  ORDER BY expires_at`

export function fillMessageMarks(database: Database): void {
  const unmarked = database.prepare<Unmarked, []>(UNMARKED)
  const keep = database.prepare(
    `INSERT INTO agent_message (id, agent_id, domain, request_digest, response, expires_at, key_mark, nonce_mark, event_mark)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?7, ?8)`,
  )
  let id = 0
  try {
    for (const row of unmarked.iterate()) {
      const { agent_id, domain, idempotency_key, key_id, nonce } = row
      const named = idempotency_key === null ? { agent_id, key_id, nonce } : { agent_id, domain, idempotency_key }
      const mark = markOf(agent_id, hash("sha256", JSON.stringify(named), "buffer"))
      const event = row.event_digest && markOf(agent_id, Buffer.from(row.event_digest))
      id++
      keep.run(id, agent_id, domain, row.request_digest, row.response, row.expires_at, mark, event)
    }
  } finally {
    unmarked.finalize()
    keep.finalize()
  }
  // In the order of the table: otherwise each mark changes a page of its own.
  database.run(`
    INSERT INTO agent_message_mark (mark, message_id)
      SELECT key_mark AS mark, id FROM agent_message
      UNION ALL
      SELECT event_mark, id FROM agent_message WHERE event_mark IS NOT NULL
      ORDER BY mark;
    DROP TABLE unmarked_message;
    DELETE FROM used_nonce WHERE substr(scope, 1, 14) = 'agent-message:'`)
}

function markOf(agentId: string, digest: Buffer): Uint8Array {
  const mark = Buffer.from(digest.subarray(0, 20))
  mark.write(agentId.slice(-6), 0, 4, "base64url")
  return mark
}
