/** The units that run most, of callers who have nothing to do with each other, and tables as full as those of a service in use. */

import { countOnDay } from "../../../../src/store/agent-mode/beacon-consents.ts"
import { countEvent } from "../../../../src/store/agent-mode/beacon-counters.ts"
import { readMessageFacts } from "../../../../src/store/agent-mode/message-facts.ts"
import { keepMessage } from "../../../../src/store/agent-mode/messages.ts"
import type { Unit } from "../../../../src/store/engine/unit.ts"
import { SHARED_CAPS } from "../../../../src/store/free-writes/shared-caps.ts"
import { issueChallenge } from "../../../../src/store/identity/agent-challenge.ts"
import { recordNonce } from "../../../../src/store/identity/signature-nonces.ts"
import { isNonceSpent, spendNonce } from "../../../../src/store/nonces.ts"
import { moveAttempt, settleAttempt } from "../../../../src/store/payments/attempt-moves.ts"
import { unpaidAt } from "../../../../src/store/payments/unsettled-attempts.ts"
import { findBody, finishDelivery, keepComputed } from "../../../../src/store/sales/deliveries.ts"
import { spendHolds, takeHolds } from "../../../../src/store/sales/holds.ts"
import { findRequestRecord, moveRequest, recordEntitlement } from "../../../../src/store/sales/requests.ts"
import { keepSold } from "../../../../src/store/sales/sold-answers.ts"
import { redeemToken } from "../../../../src/store/tokens/token-moves.ts"
import { AT, LATER, LEASE, reserved } from "../../money-rows.ts"
import { issued, PAYMENT_BINDING, paymentToken } from "../../token-rows.ts"

const TEXT = "x".repeat(3_000)
const DAY = "2026-11-21"
/** Rows of each table, so that an index has dozens of pages. */
const FILLED = 5_000

/**
 * Somebody with names that begin with one hexadecimal digit. Those of another digit lie pages away in every index, as random names do in the
 * tables of a service in use.
 */
export class Stranger {
  constructor(
    private readonly digit: string,
    private readonly number: number,
  ) {}

  get name(): string {
    return `${this.digit}${this.number}`
  }

  get agentId(): string {
    return `agent-${this.digit}`
  }

  /** 24 bytes. */
  mark(of: string): Uint8Array {
    const bytes = new Uint8Array(24).fill(Number.parseInt(`${this.digit}0`, 16), 0, 1)
    bytes.set(new TextEncoder().encode(`${of}${this.number}`), 1)
    return bytes
  }

  /** 64 hexadecimal digits. */
  digest(of: string): string {
    return this.digit + Buffer.from(`${of}${this.number}`).toString("hex").padEnd(63, "0").slice(0, 63)
  }
}

type StrangerUnit = (stranger: Stranger) => Unit<unknown>

function ownerOf({ name }: Stranger): string {
  return `org${name}`
}

function* reserve(stranger: Stranger): Unit<void> {
  const { name } = stranger
  const organizationId = ownerOf(stranger)
  yield* unpaidAt({ chainId: 8453, asset: "usdc", payer: `payer${name}` }, 0n, [])
  yield* reserved(name, { scope: `${organizationId}\nagent\nkey`, organizationId }, { payer: `payer${name}` })
  yield* takeHolds(organizationId, `drq_${name}`, [{ kind: "OBLIGATION", value: name }])
}

function* reserveWithMandate({ name }: Stranger): Unit<void> {
  const delegation = { delegationId: `dlg_${name}k`, mandateDelegationId: `dlg_${name}m` }
  const organizationId = `org${name}`
  yield* reserved(
    name,
    { scope: `${organizationId}\nagent\nkey`, organizationId, ...delegation },
    { payer: `payer${name}` },
  )
  yield* takeHolds(organizationId, `drq_${name}`, [
    { kind: "MANDATE_ID", value: name },
    { kind: "MANDATE_NONCE", value: name },
    { kind: "SUPPLIER", value: name, destination: "d" },
  ])
}

function compute(stranger: Stranger): Unit<boolean> {
  const { name } = stranger
  const ids = { requestId: `drq_${name}`, purchaseId: `att_${name}`, answerId: `dec_${name}`, keyId: "k" }
  const texts = {
    coreJson: TEXT,
    factsJson: TEXT,
    capsuleJson: TEXT,
    capsuleDigest: `sha256:${stranger.digest("capsule")}`,
  }
  const rest = { deliveryReference: `dlv_${name}`, validUntil: LATER, computedAt: AT }
  return keepComputed({ ...ids, ...texts, ...rest, attachmentId: null, attachmentJson: null }, ["snap-1", "snap-2"])
}

function move(from: "RESERVED" | "VERIFIED", to: "VERIFIED" | "SETTLING"): StrangerUnit {
  return ({ name }) => moveAttempt(`att_${name}`, LEASE.owner, { from, to, at: LATER, detail: "x" })
}

function settle(finality: "INCLUDED" | "SAFE"): StrangerUnit {
  return ({ name }) => {
    const transfer = { tx: `tx${name}`, logIndex: 0, block: "1", blockHash: "b", finality }
    return settleAttempt(`att_${name}`, LEASE.owner, { from: "SETTLING", at: LATER, transfer })
  }
}

function* deliver({ name }: Stranger): Unit<void> {
  const requestId = `drq_${name}`
  const finished = {
    product: "p",
    decision: "ALLOW",
    body: TEXT,
    holdsCapsule: false,
    responseDigest: name,
    paymentResponse: "p",
  }
  if (!(yield* finishDelivery(requestId, { ...finished, arrival: "IN_TIME" }, LATER))) throw new Error("not delivered")
  yield* moveRequest(requestId, "DELIVERED", LATER)
  yield* recordEntitlement(`ent${name}`, "x402", requestId, LATER)
  yield* spendHolds(requestId)
  const ids = { requestId, answerId: `dec_${name}`, deliveryReference: `dlv_${name}` }
  const sold = { product: "p", decision: "ALLOW", payer: `payer${name}`, tx: `tx${name}`, soldAt: LATER }
  yield* keepSold({ ...ids, ...sold }, { names: [name], identifiers: [] })
}

function* recover({ name }: Stranger): Unit<void> {
  const scope = `recovery\nagent${name}`
  if (!(yield* spendNonce(scope, name, LATER, AT))) throw new Error("the nonce is spent")
  const found = yield* findRequestRecord("p", `org${name}\nagent\nkey`, `key-drq_${name}`)
  yield* findBody(found?.id ?? "")
}

function tokenOf(stranger: Stranger) {
  const { name } = stranger
  const own = { tokenHash: stranger.digest("token"), evidenceReference: stranger.digest("evidence") }
  return paymentToken(name, own)
}

function redeem(stranger: Stranger): Unit<unknown> {
  const { tokenHash } = tokenOf(stranger)
  const once = { idempotencyKey: stranger.name, requestDigest: "d", at: Date.parse(AT) }
  return redeemToken({ country: "GB", tokenHash, binding: PAYMENT_BINDING, ...once })
}

function* beaconEvent(stranger: Stranger): Unit<void> {
  const { agentId } = stranger
  const [keyMark, nonceMark, eventMark] = ["k", "n", "e"].map((of) => stranger.mark(of)) as [
    Uint8Array,
    Uint8Array,
    Uint8Array,
  ]
  yield* readMessageFacts({ agentId, keyId: agentId, keyMark, nonceMark, eventMark, consentId: "c", day: DAY, at: AT })
  yield* countOnDay({ agentId, consentId: "c", day: DAY })
  yield* countEvent({ day: DAY, eventKind: "SEEN", productId: "", channel: "x" })
  const kept = { agentId, domain: "svc.beacon.event.v1", requestDigest: "d", response: AT, expiresAt: LATER }
  yield* keepMessage({ ...kept, keyMark, nonceMark, eventMark }, AT)
}

function writerOf({ name }: Stranger) {
  return { client: `client${name}`, at: Date.parse(AT), hasSpace: true, caps: SHARED_CAPS }
}

function challenge(stranger: Stranger): Unit<unknown> {
  const { name } = stranger
  return issueChallenge({
    ...{ challengeId: `chl${name}`, client: `client${name}`, agentId: `agent${name}`, eventJson: "{}" },
    ...{ challengeDigest: "d", issuedAt: AT, expiresAt: LATER, perClientMax: 10, writer: writerOf(stranger) },
  })
}

function record(stranger: Stranger): Unit<unknown> {
  const own = { nonceDigest: stranger.digest("nonce"), agentId: stranger.agentId, writer: writerOf(stranger) }
  return recordNonce({ ...own, recordId: "r", isRepeatable: false, at: AT, expiresAt: LATER })
}

const PAID: readonly StrangerUnit[] = [reserve, compute, move("RESERVED", "VERIFIED"), move("VERIFIED", "SETTLING")]

/** Each with the units that run before it. */
export const UNITS: Readonly<
  Record<string, { readonly unit: StrangerUnit; readonly before?: readonly StrangerUnit[] }>
> = {
  reserve: { unit: reserve },
  "reserve with a mandate": { unit: reserveWithMandate },
  "keep what is computed": { unit: compute, before: [reserve] },
  verify: { unit: move("RESERVED", "VERIFIED"), before: [reserve] },
  "begin to settle": { unit: move("VERIFIED", "SETTLING"), before: [reserve, move("RESERVED", "VERIFIED")] },
  settle: { unit: settle("INCLUDED"), before: PAID },
  "settle by a safe block": { unit: settle("SAFE"), before: PAID },
  deliver: { unit: deliver, before: [...PAID, settle("SAFE")] },
  recover: { unit: recover, before: [...PAID, settle("SAFE"), deliver] },
  "redeem a token": { unit: redeem, before: [(stranger) => issued(tokenOf(stranger))] },
  "spend a nonce": { unit: ({ name }) => spendNonce(`scope${name}`, name, LATER, AT) },
  "look for a nonce": { unit: ({ name }) => isNonceSpent(`scope${name}`, name, AT) },
  "Beacon event": { unit: beaconEvent },
  challenge: { unit: challenge },
  "record a nonce": { unit: record },
}

/** A random name from the number of the row. */
function key(prefix: string): string {
  return `'${prefix}' || md5(g || '${prefix}')`
}

const STATES = ["RESERVED", "VERIFIED", "SETTLING", "SETTLED"]

function insert(table: string, columns: Readonly<Record<string, string>>, from = `generate_series(1, ${FILLED}) g`) {
  return `INSERT INTO ${table} (${Object.keys(columns).join(", ")}) SELECT ${Object.values(columns).join(", ")} FROM ${from} ON CONFLICT DO NOTHING;`
}

function text(value: string): string {
  return `'${value}'`
}

const REQUEST = {
  ...{ id: key("drq_"), product: "'p'", scope: `${key("org")} || '\nagent\nkey'`, idempotency_key: key("key-drq_") },
  ...{ request_digest: key("request-drq_"), body_digest: "'b'", request_json: "'{}'", organization_id: key("org") },
  ...{ state: "'DELIVERED'", created_at: text(AT), updated_at: text(AT) },
}
const ATTEMPT = {
  ...{ id: key("att_"), request_id: key("drq_"), chain_id: "8453", asset: "'usdc'", payer: key("payer") },
  ...{ nonce: key("nonce-att_"), pay_to: "'service'", value: "'1'", valid_after: "0", valid_before: "1" },
  ...{ max_timeout_seconds: "1", quote_id: "'q'", payload_sha256: "'s'", payer_has_code: "0", settler: "'self'" },
  ...{ state: "'SETTLED'", watched: "0", settled_tx: key("tx"), settled_log_index: "0", finality: "'INCLUDED'" },
  ...{ created_at: text(AT), updated_at: text(AT) },
}
const DELIVERY = {
  ...{ request_id: key("drq_"), purchase_id: key("att_"), decision_id: key("dec_"), delivery_reference: key("dlv_") },
  ...{ core_json: "'{}'", facts_json: "'{}'", capsule_json: "'{}'", capsule_digest: "'d'", key_id: "'k'" },
  ...{ valid_until: text(LATER), computed_at: text(AT), body: "'{}'", response_digest: key("") },
  ...{ delivered_at: text(AT), log_index: "g" },
}
const TOKEN = {
  ...{ token_hash: "md5(g || 'a') || md5(g || 'b')", request_id: key("drq_"), execution_id: key("exe_") },
  ...{ product: "'p'", country: "'GB'", kind: "'PAYMENT'", binding_json: "'{}'", wallet: "'w'" },
  ...{ evidence_reference: key(""), issued_at: text(AT), expires_at: text(AT), state: "'ISSUED'" },
}
const CHALLENGE = {
  ...{
    challenge_id: key("chl"),
    state: "'ISSUED'",
    client: key("client"),
    event_json: "'{}'",
    challenge_digest: "'d'",
  },
  ...{ bad_proofs: "0", issued_at: text(AT), expires_at: text(LATER), agent_id: key("agent") },
}
const AGENT = { identity_status: "'ACTIVE'", sequence: "0", head_event_digest: "'d'", head_accepted_at: text(AT) }
const MARK = (of: string) => `decode(md5(g || '${of}'), 'hex')`
const SLOTS = "generate_series(0, 255) s"

/** Statements for a session that does not mind references to nowhere. */
export const FILL = [
  insert("decision_request", REQUEST),
  insert("purchase", {
    ...{ id: key("att_"), request_id: key("drq_"), rail: "'x402'", state: "'ACQUIRED'", reference: "'r'" },
    created_at: text(AT),
  }),
  insert("payment_attempt", ATTEMPT),
  insert("payment_event", { attempt_id: key("att_"), at: text(AT), to_state: "'SETTLED'", detail: "'x'" }),
  insert("delivery", DELIVERY),
  insert("delivery_snapshot", { request_id: key("drq_"), snapshot_id: "'snap-1'" }),
  insert("entitlement", {
    ...{ request_digest: key("ent"), rail: "'x402'", request_id: key("drq_"), acquired_at: text(AT) },
  }),
  insert("authority_hold", {
    ...{ organization_id: key("org"), kind: "'OBLIGATION'", value: key(""), request_id: key("drq_") },
    ...{ spent: "1", has_attempt: "1" },
  }),
  insert("authority_hold", {
    ...{ organization_id: key("org"), kind: "'CHANGE_AUTHORIZATION'", value: key(""), request_id: key("drq_") },
    ...{ spent: "1", has_attempt: "1" },
  }),
  insert("unsettled_value", { chain_id: "8453", asset: "'usdc'", payer: key("payer"), value: "'0'" }),
  insert("relayer_nonce", {
    ...{ relayer: key("relayer"), nonce: "g", attempt_id: key("att_"), state: "'MINED'" },
    ...{ created_at: text(AT), updated_at: text(AT) },
  }),
  insert("relayer_transaction", {
    ...{ tx_hash: key("tx"), relayer: key("relayer"), nonce: "g", raw: "''", max_fee_wei: "'1'" },
    created_at: text(AT),
  }),
  insert("delegation_total", { delegation_id: key("dlg_"), millionths: "'1'" }),
  insert("delegation_day", { delegation_id: key("dlg_"), day: text(DAY), requests: "1" }),
  insert("used_nonce", { scope: key("scope"), nonce: key(""), expires_at: text(LATER) }),
  insert("used_nonce", { scope: `'recovery\n' || ${key("agent")}`, nonce: key(""), expires_at: text(LATER) }),
  insert("authorization_token", TOKEN),
  insert("agent_challenge", CHALLENGE),
  insert("agent", { agent_id: key("agent-"), ...AGENT }),
  insert("agent", { agent_id: "'agent-' || d", ...AGENT }, "unnest(array['1', 'e']) d"),
  insert("agent_key", {
    ...{ key_id: key("agent-"), agent_id: key("agent-"), role: "'OPERATIONAL'", x: "'x'", scalar_owner: key("") },
    ...{ status: "'ACTIVE'", since: text(AT) },
  }),
  insert("signature_nonce", {
    ...{ nonce_digest: "md5(g || 'a') || md5(g || 'b')", record_id: "'r'", agent_id: key("agent-") },
    expires_at: text(LATER),
  }),
  insert("agent_message", {
    ...{ agent_id: key("agent-"), domain: "'x'", request_digest: "''", response: "''", expires_at: text(LATER) },
    ...{ key_mark: MARK("k"), nonce_mark: MARK("n") },
  }),
  insert("agent_message_mark", { mark: MARK("k"), message_id: "g" }),
  insert("beacon_consent", {
    ...{ agent_id: key("agent-"), consent_id: "'c'", terms: "'{}'", request_digest: "'d'", granted_at: text(AT) },
    ...{ valid_until: text(LATER), ended_at: text(LATER) },
  }),
  insert("beacon_consent_day", { agent_id: key("agent-"), consent_id: "'c'", day: text(DAY), events: "1" }),
  insert("sales_opt_out", {
    ...{ agent_id: key("agent-"), scope: "'ALL'", value: "''", action: "'OPT_OUT'", effective_at: text(AT) },
    request_digest: "'d'",
  }),
  ...["CHALLENGES", "NONCES"].map((cap) =>
    insert("shared_use", {
      ...{ cap: text(cap), share: key("ADDRESS client"), opened_at: "0", used: "1", used_at: "0" },
    }),
  ),
  // Each counter has its row: the first count of a slot is rare.
  ...STATES.map((state) =>
    insert("attempt_count", { state: text(state), slot: "s", entered: "1", present: "1" }, SLOTS),
  ),
  insert("decision_count", { product: "'p'", decision: "'ALLOW'", slot: "s", answers: "1" }, SLOTS),
  insert(
    "beacon_count",
    { day: text(DAY), event_kind: "'SEEN'", product_id: "''", channel: "'x'", slot: "s", events: "1" },
    SLOTS,
  ),
  "ANALYZE;",
].join("\n")
