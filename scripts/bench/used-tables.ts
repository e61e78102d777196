/**
 * Rows of earlier sales on PostgreSQL. A unit conflicts with another one by the pages of indexes, and in empty tables all share one page: figures of a
 * service in use need rows.
 */
import type { SQL } from "bun"
import { AT, LATER } from "../../test/store/money-rows.ts"

const ROWS = 20_000
/** A text that is different for each row, in no order. */
const drawn = (prefix: string) => `'${prefix}' || substr(encode(sha256((g || '${prefix}')::bytea), 'hex'), 1, 16)`

const TABLES: Readonly<Record<string, string>> = {
  "used_nonce (scope, nonce, expires_at)": `'s', ${drawn("")}, '${LATER}'`,
  "decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, organization_id, state, created_at, updated_at)": `${drawn("drq_")}, 'p', ${drawn("o")}, ${drawn("key")}, ${drawn("rd")}, 'b', '{}', ${drawn("o")}, 'DELIVERED', '${AT}', '${AT}'`,
  "purchase (id, request_id, rail, state, reference, created_at)": `${drawn("att_")}, ${drawn("drq_")}, 'x402', 'ACQUIRED', 'r', '${AT}'`,
  "payment_attempt (id, request_id, chain_id, asset, payer, nonce, pay_to, value, valid_after, valid_before, max_timeout_seconds, quote_id, payload_sha256, payer_has_code, settler, state, watched, settled_tx, settled_log_index, created_at, updated_at)": `${drawn("att_")}, ${drawn("drq_")}, 8453, 'usdc', ${drawn("p")}, ${drawn("n")}, 's', '1', 0, 1, 1, 'q', 's', 0, 'self', 'SETTLED', 0, ${drawn("t")}, 0, '${AT}', '${AT}'`,
  "payment_event (attempt_id, at, from_state, to_state, detail)": `${drawn("att_")}, '${AT}', 'SETTLING', 'SETTLED', 'x'`,
  "delivery (request_id, purchase_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest, key_id, valid_until, computed_at, body, response_digest, delivered_at, log_index)": `${drawn("drq_")}, ${drawn("att_")}, ${drawn("dec_")}, ${drawn("dlv_")}, '{}', '{}', '{}', 'd', 'k', '${LATER}', '${AT}', '{}', ${drawn("r")}, '${AT}', g`,
  "delivery_snapshot (request_id, snapshot_id)": `${drawn("drq_")}, 'snap-1'`,
  "entitlement (request_digest, rail, request_id, acquired_at)": `${drawn("e")}, 'x402', ${drawn("drq_")}, '${AT}'`,
  "authority_hold (organization_id, kind, value, request_id, spent, has_attempt)": `${drawn("o")}, 'OBLIGATION', ${drawn("v")}, ${drawn("drq_")}, 1, 1`,
  "unsettled_value (chain_id, asset, payer, value)": `8453, 'usdc', ${drawn("p")}, '1'`,
}

export async function useTables(client: SQL): Promise<void> {
  for (const [table, values] of Object.entries(TABLES)) {
    await client.unsafe(`insert into ${table} select ${values} from generate_series(1, ${ROWS}) g`)
  }
  await client.unsafe("analyze")
}
