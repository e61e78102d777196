/**
 * PostgreSQL refuses a row of an index above 2,704 bytes, and SQLite none. So each indexed text has a bound, and the bounds of one index fit
 * together.
 */
import { Database } from "bun:sqlite"
import { expect, test } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { schemaImage } from "../../db/schema-image.ts"
import { Identifier } from "../../schemas/common.ts"
import { Buyer, DecisionRequest, RequestingAgent, Supplier } from "../../schemas/us/payment-decision.ts"
import { NAME_LENGTH_MAX } from "../../src/sources/screening/fold.ts"
import { indexedKey } from "../../src/store/indexed-key.ts"

const INDEX_BYTES_MAX = 2_704
/** Header of a row, numbers, and the length and alignment of each text. */
const BESIDE_TEXTS = 100
/** Texts that the program, the chain or a closed list makes, none longer than {@link OWN_BYTES}: ids, digests, instants, codes, products, sources. */
const OWN_BYTES = 200
const OWN = new Set(
  `action amount_order answers artifact_digest asset at attempt_id block_at block_hash cap challenge challenge_id changed_at channel code code_hash
   companion_id confirmed_at consent_id content continuation_id contract core_digest created_at credential_id day decided_at decision decision_id
   delegation_id delivery_reference destination details_version dialogue_id digest document_digest ended_at ends_at enrolled_at entry_hash entry_key
   environment event_digest event_kind evidence_reference execution_id expires_at fact group_key id imported_at instance_id instruction_digest
   invitation_reference issued_at job job_id key_digest key_owner kind lease_until level link_hash look_at nonce_digest offer_capsule_id one opened_at other
   party_digest party_key payer payload_sha256 product product_id provider raw_sha256 received_at record_digest reference registration_id relayer
   request_digest request_id response_digest retrieved_at reviewer_id role root_id scalar_owner session_hash settled_tx sha256 snapshot_id sold_at
   source source_id spent_by state statement_digest supplier_id suppression_id token_hash tx tx_hash until updated_at use used_by valid_until
   wallet wallet_entry_id x`.split(/\s+/),
)

/** The longest key of {@link indexedKey}. */
const KEY = [...Array(4_096).keys()].map((bytes) => Buffer.byteLength(indexedKey("x".repeat(bytes)))).reduce(greater)
const NAME = longest(RequestingAgent.properties.agent_id)
/** Its characters have one byte each. */
const OWNER = characters(Identifier)
const MAILBOX = 254

/** Texts that a caller, an operator or a publisher fills: bytes by column, or by table and column. */
const FILLED: Readonly<Record<string, number>> = {
  agent_id: NAME,
  // The rate-limit key of an address.
  client: OWN_BYTES,
  domain: MAILBOX,
  mailbox: MAILBOX,
  entity_id: longest(Supplier.properties.entity_id),
  entry_id: 4 * 160,
  idempotency_key: longest(DecisionRequest.properties.idempotency_key),
  // An identifier of a supplier.
  key: OWN_BYTES,
  // An organization names its own keys.
  key_id: OWNER,
  "list_file.name": OWN_BYTES,
  "meta.name": OWN_BYTES,
  // Of Latin, Cyrillic and Greek letters, whose keys have six bytes at most: a name in another script is refused. Two Tibetan marks have nine, but
  // PostgreSQL compresses what repeats.
  name_key: 6 * NAME_LENGTH_MAX,
  nonce: 96,
  obligation_key: KEY,
  // Only one that the operator entered owns rows.
  organization_id: OWNER,
  owner: OWNER,
  owner_id: OWNER,
  // The name of a person, at most 160 characters.
  "reviewer.name": 4 * 160,
  "decision_request.scope": longest(Buyer.properties.organization_id) + 1 + NAME,
  // Of a delivered decision, whose organization the operator entered.
  "redelivery.scope": OWNER + 1 + NAME,
  scope: OWN_BYTES + OWNER,
  share: OWN_BYTES + MAILBOX,
  // A look-up by an identifier.
  source_url: 500,
  subject: KEY,
  "restore_confirmation.subject": 2 * OWNER,
  subject_id: OWNER,
  "authority_hold.value": Math.max(KEY, supplierHold()),
  // A product or a channel.
  "sales_opt_out.value": OWN_BYTES,
}

interface Column {
  readonly table: string
  readonly index: string
  readonly column: string
  readonly type: string
}

const INDEXED = `
  SELECT t.name AS "table", i.name AS "index", c.name AS "column", x.type AS type
    FROM sqlite_schema t, pragma_index_list(t.name) i, pragma_index_info(i.name) c, pragma_table_info(t.name) x
    WHERE t.type = 'table' AND x.name = c.name
  UNION ALL
  SELECT t.name, 'key', x.name, x.type FROM sqlite_schema t, pragma_table_info(t.name) x WHERE t.type = 'table' AND x.pk > 0`

function characters({ maxLength }: TSchema): number {
  if (typeof maxLength !== "number") throw new TypeError("a text of a request has a greatest length")
  return maxLength
}

/** A code point has at most four bytes in UTF-8. */
function longest(text: TSchema): number {
  return 4 * characters(text)
}

/** An entity id of control characters is the longest in JSON. A destination and a request follow. */
function supplierHold(): number {
  const entity = JSON.stringify(`entity\n${"\u0001".repeat(characters(Supplier.properties.entity_id))}`)
  return Math.max(KEY, entity.length) + 2 * OWN_BYTES
}

function greater(one: number, other: number): number {
  return Math.max(one, other)
}

function bytesOf({ table, column }: Column): number | undefined {
  return FILLED[`${table}.${column}`] ?? FILLED[column] ?? (OWN.has(column) ? OWN_BYTES : undefined)
}

const database = Database.deserialize(schemaImage(), { readonly: true })
const texts = (database.query(INDEXED).all() as Column[]).filter(({ type }) => type === "TEXT")
database.close()

test("each indexed text has a bound", () => {
  const unknown = texts.filter((one) => bytesOf(one) === undefined).map(({ table, column }) => `${table}.${column}`)
  expect([...new Set(unknown)]).toEqual([])
  const used = new Set(texts.flatMap(({ table, column }) => [column, `${table}.${column}`]))
  expect([...OWN, ...Object.keys(FILLED)].filter((name) => !used.has(name))).toEqual([])
})

test("the texts of each index fit into a row of PostgreSQL", () => {
  const sums = new Map<string, number>()
  for (const one of texts) {
    const index = `${one.table}: ${one.index}`
    sums.set(index, (sums.get(index) ?? BESIDE_TEXTS) + (bytesOf(one) ?? 0))
  }
  expect(sums.size).toBeGreaterThan(150)
  expect([...sums].filter(([, bytes]) => bytes > INDEX_BYTES_MAX)).toEqual([])
})
