/**
 * Gives the messages and spent nonces of an older database their marks. SQLite has no SHA-256. The computation stays as it was when the
 * migration was released: later changes of the product do not change it.
 */
import { hash } from "node:crypto"
import { type FillSteps, fillRows, fillText } from "../../fill.ts"

/** So many messages are in memory together. */
const MESSAGES_AT_ONCE = 100

/** No row says which message spent a nonce, so each gets a row of its own. It ends within minutes, so it comes before the messages. */
const NONCES = `
  SELECT k.agent_id, k.key_id, n.nonce, n.expires_at
    FROM used_nonce n JOIN agent_key k ON n.scope = 'agent-message:' || k.key_id`

/**
 * An event that a database before migration 39 counted has no agent, and no mark can be made for it: sent again within 48 hours, it counts
 * again.
 */
const MESSAGES = `SELECT * FROM unmarked_message WHERE agent_id <> '' AND id > ?1 ORDER BY id LIMIT ${MESSAGES_AT_ONCE}`

const KEEP = `
  INSERT INTO agent_message (agent_id, domain, request_digest, response, expires_at, key_mark, nonce_mark, event_mark)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6, ?7)`

interface SpentNonce {
  readonly agent_id: string
  readonly key_id: string
  readonly nonce: string
  readonly expires_at: string
}

interface Message {
  readonly id: number | string
  readonly agent_id: string
  readonly domain: string
  readonly idempotency_key: string
  readonly request_digest: string
  readonly response: string
  readonly expires_at: string
  readonly event_digest: Uint8Array | null
}

export function* fillMessageMarks(): FillSteps<void> {
  for (const { agent_id, key_id, nonce, expires_at } of yield* fillRows<SpentNonce>(NONCES)) {
    const mark = markOf(agent_id, sha256(JSON.stringify({ agent_id, key_id, nonce })))
    yield* fillRows(KEEP, agent_id, "nonce", "", "", expires_at, mark, null)
  }
  for (let after = 0, read = MESSAGES_AT_ONCE; read === MESSAGES_AT_ONCE; ) {
    const messages: readonly Message[] = yield* fillRows<Message>(MESSAGES, after)
    for (const message of messages) yield* keepMessage(message)
    after = Number(messages.at(-1)?.id ?? after)
    read = messages.length
  }
  // In the order of the table: otherwise each mark changes a page of its own.
  yield* fillText(`
    INSERT INTO agent_message_mark (mark, message_id)
      SELECT key_mark AS mark, id FROM agent_message
      UNION ALL
      SELECT event_mark, id FROM agent_message WHERE event_mark IS NOT NULL
      ORDER BY mark;
    DROP TABLE unmarked_message;
    DELETE FROM used_nonce WHERE substr(scope, 1, 14) = 'agent-message:'`)
}

function* keepMessage(message: Message): FillSteps<void> {
  const { agent_id, domain, idempotency_key, request_digest, response, expires_at, event_digest } = message
  const mark = markOf(agent_id, sha256(JSON.stringify({ agent_id, domain, idempotency_key })))
  const event = event_digest && markOf(agent_id, event_digest)
  yield* fillRows(KEEP, agent_id, domain, request_digest, response, expires_at, mark, event)
}

const sha256 = (text: string) => hash("sha256", text, "buffer")

function markOf(agentId: string, digest: Uint8Array): Uint8Array {
  const mark = Buffer.from(digest.subarray(0, 20))
  mark.write(agentId.slice(-6), 0, 4, "base64url")
  return mark
}
