/** Every change of the rows that the invariants cover. Triggers of the database write them into a table, which is read after each step. */
import type { FactLevel, FactName } from "../../../src/store/jobs/job-facts.ts"
import type { JobState } from "../../../src/store/jobs/jobs.ts"

export type AttemptState = "RESERVED" | "VERIFIED" | "SETTLING" | "SETTLED" | "FAILED" | "RELEASED" | "PAID_OWED"

export interface AttemptRow {
  readonly id: string
  readonly requestId: string
  readonly payer: string
  readonly nonce: string
  readonly value: string
  readonly validAfter: number
  readonly validBefore: number
  readonly state: AttemptState
  readonly reason: string | null
  readonly watched: number
  readonly settledTx: string | null
  readonly settledLogIndex: number | null
  readonly finality: string | null
  readonly leaseOwner: string | null
}

export interface EventRow {
  readonly attemptId: string
  readonly fromState: AttemptState | null
  readonly toState: AttemptState
  readonly detail: string
}

export interface RequestRow {
  readonly id: string
  readonly product: string
  readonly scope: string
  readonly idempotencyKey: string
  readonly state: "NEW" | "COMPUTED" | "DELIVERED"
  readonly amountMillionths: string | null
  readonly delegationId: string | null
}

export interface PurchaseRow {
  readonly id: string
  readonly requestId: string
  readonly rail: "x402" | "acp"
  readonly state: "LIVE" | "OWED" | "ACQUIRED" | "ENDED"
  readonly reference: string | null
}

export interface DeliveryRow {
  readonly requestId: string
  readonly purchaseId: string
  readonly capsuleDigest: string
  readonly decisionId: string
  readonly body: string | null
}

export interface NonceRow {
  readonly relayer: string
  readonly nonce: number
  readonly attemptId: string | null
  readonly state: "ALLOCATED" | "STORED" | "MINED"
}

export interface TransactionRow {
  readonly txHash: string
  readonly relayer: string
  readonly nonce: number
  /** Empty once the bytes are erased. */
  readonly raw: string
}

export interface HoldRow {
  readonly organizationId: string
  readonly kind: string
  readonly value: string
  readonly requestId: string
  readonly spent: number
}

export interface JobRow {
  readonly id: string
  /** Decimal digits. */
  readonly jobId: string
  readonly client: string
  readonly state: JobState
  readonly reason: string | null
  readonly requestId: string | null
  readonly expiredAt: number
  readonly leaseOwner: string | null
  /** When a later job got its number. */
  readonly replacedAt: string | null
}

export interface JobEventRow {
  readonly job: string
  readonly fromState: JobState | null
  readonly toState: JobState
  readonly detail: string
}

export interface DeliverableRow {
  readonly job: string
  readonly text: string
  readonly keccak256: string
}

export interface JobActionRow {
  readonly job: string
  readonly action: "SET_BUDGET" | "SUBMIT"
  readonly nonce: number
  readonly state: "OPEN" | "SAFE" | "REVERTED"
}

export interface JobTransactionRow {
  readonly txHash: string
  readonly job: string
  readonly action: JobActionRow["action"]
}

export interface JobFactRow {
  readonly job: string
  readonly fact: FactName
  readonly level: FactLevel
  readonly txHash: string
  readonly blockHash: string
  readonly amountAtomic: string | null
  readonly deliverableHash: string | null
}

interface Rows {
  readonly purchase: PurchaseRow
  readonly payment_attempt: AttemptRow
  readonly payment_event: EventRow
  readonly decision_request: RequestRow
  readonly delivery: DeliveryRow
  readonly relayer_nonce: NonceRow
  readonly relayer_transaction: TransactionRow
  readonly authority_hold: HoldRow
  readonly acp_job: JobRow
  readonly acp_event: JobEventRow
  readonly acp_deliverable: DeliverableRow
  readonly acp_action: JobActionRow
  readonly acp_transaction: JobTransactionRow
  readonly acp_fact: JobFactRow
}

type ChangeOf<Table extends keyof Rows> = {
  readonly table: Table
  readonly before: Rows[Table] | null
  readonly after: Rows[Table] | null
}
export type Change = { [Table in keyof Rows]: ChangeOf<Table> }[keyof Rows]

const COLUMNS: Readonly<Record<keyof Rows, readonly string[]>> = {
  purchase: ["id", "request_id", "rail", "state", "reference"],
  payment_attempt: [
    "id",
    "request_id",
    "payer",
    "nonce",
    "value",
    "valid_after",
    "valid_before",
    "state",
    "reason",
    "watched",
    "settled_tx",
    "settled_log_index",
    "finality",
    "lease_owner",
  ],
  payment_event: ["attempt_id", "from_state", "to_state", "detail"],
  decision_request: ["id", "product", "scope", "idempotency_key", "state", "amount_millionths", "delegation_id"],
  delivery: ["request_id", "purchase_id", "capsule_digest", "decision_id", "body"],
  relayer_nonce: ["relayer", "nonce", "attempt_id", "state"],
  relayer_transaction: ["tx_hash", "relayer", "nonce", "raw"],
  authority_hold: ["organization_id", "kind", "value", "request_id", "spent"],
  acp_job: ["id", "job_id", "client", "state", "reason", "request_id", "expired_at", "lease_owner", "replaced_at"],
  acp_event: ["job", "from_state", "to_state", "detail"],
  acp_deliverable: ["job", "text", "keccak256"],
  acp_action: ["job", "action", "nonce", "state"],
  acp_transaction: ["tx_hash", "job", "action"],
  acp_fact: ["job", "fact", "level", "tx_hash", "block_hash", "amount_atomic", "deliverable_hash"],
}

/** A renewed or dropped lease, or another reason to wait, does not count as a change alone. */
const UNWATCHED: ReadonlySet<string> = new Set(["lease_owner", "acp_job.reason"])

/** A table with triggers. */
interface Watched {
  readonly table: string
  /** Alternately a name as text and a value of the row `side`, for the engine's function that makes JSON. */
  members(side: "OLD" | "NEW"): string
  /** Whether an UPDATE counts, for a condition. `differ`: the operator for values that may be null. */
  differs(differ: string): string
}

const camel = (column: string) => column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase())

export const WATCHED: readonly Watched[] = Object.entries(COLUMNS).map(([table, columns]) => ({
  table,
  members: (side) => columns.map((column) => `'${camel(column)}', ${side}.${column}`).join(", "),
  differs: (differ) =>
    columns
      .filter((column) => !UNWATCHED.has(column) && !UNWATCHED.has(`${table}.${column}`))
      .map((column) => `OLD.${column} ${differ} NEW.${column}`)
      .join(" OR "),
}))

/** What a trigger wrote: the table, and its rows as JSON. */
export interface ChangeRow {
  readonly what: string
  readonly old: string | null
  readonly new: string | null
}

export function changeOf({ what, old, new: now }: ChangeRow): Change {
  const read = (text: string | null) => (text === null ? null : JSON.parse(text))
  return { table: what, before: read(old), after: read(now) } as Change
}
