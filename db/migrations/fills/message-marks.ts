/**
 * Gives the messages and spent nonces of an older database their marks. SQLite has no SHA-256. The computation stays as it was when the
 * migration was released: later changes of the product do not change it.
 */
import type { Database } from "bun:sqlite"
import { hash } from "node:crypto"

/** No row says which message spent a nonce, so each gets a row of its own. It ends within minutes, so it comes before the messages. */
const NONCES = `
  SELECT k.agent_id, k.key_id, n.nonce, n.expires_at
    FROM used_nonce n JOIN agent_key k ON n.scope = 'agent-message:' || k.key_id`

/**
 * An event that a database before migration 39 counted has no agent, and no mark can be made for it: sent again within 48 hours, it counts
 * again.
 */
const MESSAGES = "SELECT * FROM unmarked_message WHERE agent_id <> '' ORDER BY id"

interface SpentNonce {
  readonly agent_id: string
  readonly key_id: string
  readonly nonce: string
  readonly expires_at: string
}

interface Message {
  readonly agent_id: string
  readonly domain: string
  readonly idempotency_key: string
  readonly request_digest: string
  readonly response: string
  readonly expires_at: string
  readonly event_digest: Uint8Array | null
}

export function fillMessageMarks(database: Database): void {
  const nonces = database.prepare<SpentNonce, []>(NONCES)
  const messages = database.prepare<Message, []>(MESSAGES)
  const keep = database.prepare(
    `INSERT INTO agent_message (agent_id, domain, request_digest, response, expires_at, key_mark, nonce_mark, event_mark)
     VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)`,
  )
  try {
    for (const { agent_id, key_id, nonce, expires_at } of nonces.iterate()) {
      const mark = markOf(agent_id, sha256(JSON.stringify({ agent_id, key_id, nonce })))
      keep.run(agent_id, "nonce", "", "", expires_at, mark, null)
    }
    for (const message of messages.iterate()) {
      const { agent_id, domain, idempotency_key, request_digest, response, expires_at, event_digest } = message
      const mark = markOf(agent_id, sha256(JSON.stringify({ agent_id, domain, idempotency_key })))
      const event = event_digest && markOf(agent_id, event_digest)
      keep.run(agent_id, domain, request_digest, response, expires_at, mark, event)
    }
  } finally {
    for (const statement of [nonces, messages, keep]) statement.finalize()
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

const sha256 = (text: string) => hash("sha256", text, "buffer")

function markOf(agentId: string, digest: Uint8Array): Uint8Array {
  const mark = Buffer.from(digest.subarray(0, 20))
  mark.write(agentId.slice(-6), 0, 4, "base64url")
  return mark
}
