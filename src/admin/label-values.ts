/**
 * The closed tables of label values. A value that is in no table is printed as OTHER, so no label can name a customer, a payer, an agent or
 * an address, and the number of series is bounded.
 */
import { AnswerDecision } from "../../schemas/business-answer.ts"
import { StatedEnvironment } from "../../schemas/environment.ts"
import { ANSWER_PRODUCTS, PRODUCT_IDS } from "../../schemas/products.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { Decision } from "../../schemas/us/proof-capsule.ts"
import { COMMIT, VERSION } from "../base/build-facts.ts"
import { WAITING_STATES } from "../core/review/review-book.ts"
import { STATUS_CLASSES } from "../http/process-counts.ts"
import { SOURCE_IDS } from "../sources/records/party.ts"
import { REGISTER_IDS } from "../sources/records/register-id.ts"
import { SHOWN_CAPS } from "../store/free-writes/shared-use.ts"
import { KEY_USES } from "../store/identity/service-keys.ts"
import type { AttemptState } from "../store/payments/attempts.ts"

/** Printed for a value that its table does not have. */
export const OTHER = "OTHER"

const ANSWER_IDS = ANSWER_PRODUCTS.map(({ id }) => id)

const GATE_DECISIONS = Decision.anyOf.map((one) => one.const)
const ANSWER_DECISIONS = AnswerDecision.anyOf.map((one) => one.const)
/** Decisions that are never charged and never stored. */
const UNCHARGED: readonly string[] = ["RETRY", "NO_DECISION"] satisfies readonly AnswerDecision[]

type ProductDecision = readonly [product: string, decision: string]

const pairs = (products: readonly string[], decisions: readonly string[]): readonly ProductDecision[] =>
  products.flatMap((product) => decisions.map((decision) => [product, decision] as const))

/** Every product with every decision that it delivers. */
export const DELIVERED_PAIRS = [
  ...pairs([PAYMENT_DECISION_PRODUCT], GATE_DECISIONS),
  ...pairs(
    ANSWER_IDS,
    ANSWER_DECISIONS.filter((decision) => !UNCHARGED.includes(decision)),
  ),
]

/** Every product with every decision that it answers without a charge. */
export const UNCHARGED_PAIRS = pairs(ANSWER_IDS, UNCHARGED)

const ATTEMPT_STATES = [
  "RESERVED",
  "VERIFIED",
  "SETTLING",
  "SETTLED",
  "FAILED",
  "RELEASED",
  "PAID_OWED",
] as const satisfies readonly AttemptState[]

export const SOURCE_HEALTHS = ["HEALTHY", "STALE", "SCHEMA_BREAK", "UNAVAILABLE", "DISABLED"] as const

/** The codes of readiness; each has a section in the runbook. CHECK_FAILED stands for the failed check of any name. */
export const READINESS_CODES = [
  "CHAIN_UNAVAILABLE",
  "CHAIN_UNVERIFIED",
  "CHECK_FAILED",
  "CLOCK_DIFFERS",
  "CLOCK_OFF",
  "DATABASE_BUSY",
  "DATABASE_FULL",
  "DATABASE_IO",
  "DATABASE_LOG_SHORTER",
  "DATABASE_MOVED",
  "DATABASE_STANDBY",
  "DATABASE_UNREACHABLE",
  "DISK_LOW",
  "FACILITATOR_UNAVAILABLE",
  "GAS_TOO_EXPENSIVE",
  "HMAC_KEY_REPLACED",
  "MIGRATIONS_PENDING",
  "MIGRATIONS_UNKNOWN",
  "PAYMENTS_OPENING",
  "READINESS_STALE",
  "RELAYER_UNFUNDED",
  "RESTORED_RECENTLY",
  "SETTLEMENT_STUCK",
  "SIGNING_KEY_EXPIRED",
  "SIGNING_KEY_MISSING",
  "SINGLE_NODE",
  "WRONG_CHAIN",
] as const

/** Why a transaction ran again, by SQLSTATE: it could not be put into an order with others, or each waited for the other. */
export const REPEAT_CODES = ["40001", "40P01"] as const

/** Parts of the page that are read one by one: a fault of one leaves the others. */
export const PARTS = ["sales", "readiness", "sources", "requests", "files", "shares", "reviews", "process"] as const
export type Part = (typeof PARTS)[number]

interface Label {
  /** What the values are, for people. */
  readonly help: string
  /** Null: what the running server says: its operations with `none`, or its id. */
  readonly values: readonly string[] | null
}

export const LABELS = {
  product: { help: "product id", values: PRODUCT_IDS },
  decision: { help: "decision of a product", values: [...new Set([...GATE_DECISIONS, ...ANSWER_DECISIONS])] },
  state: {
    help: "state of a payment attempt, or of a case that waits for a person",
    values: [...ATTEMPT_STATES, ...WAITING_STATES],
  },
  source: { help: "id of a list or a register", values: [...SOURCE_IDS, ...REGISTER_IDS] },
  health: { help: "health of a source", values: SOURCE_HEALTHS },
  reason: { help: "code of readiness, as in the [runbook](../runbook.md)", values: READINESS_CODES },
  operation: {
    help: "operation id of the route, as in [HTTP routes](routes.md); `none` for an unknown path and a busy server",
    values: null,
  },
  status_class: { help: "class of the HTTP status", values: STATUS_CLASSES },
  use: { help: "use of a signing key", values: KEY_USES },
  file: { help: "file of the database", values: ["database", "wal"] },
  code: { help: "SQLSTATE of PostgreSQL", values: REPEAT_CODES },
  level: { help: "level of a log line", values: ["warn", "error"] },
  cap: { help: "shared cap, as in [limits](limits.md)", values: SHOWN_CAPS },
  part: { help: "part of this page", values: PARTS },
  instance_id: { help: "id of the process, as in `bizauth instances`", values: null },
  version: { help: "version of the program", values: [VERSION] },
  commit: { help: "commit that the program was built from", values: [COMMIT] },
  environment: {
    help: "environment of the data directory",
    values: StatedEnvironment.anyOf.map((one) => one.const),
  },
} as const satisfies Record<string, Label>

export type LabelName = keyof typeof LABELS

/** The values that a page may print, by label. */
export type AllowedValues = Readonly<Record<LabelName, ReadonlySet<string>>>

export function allowedValues(operations: Iterable<string>, instanceId: string): AllowedValues {
  const own: Readonly<Record<string, Iterable<string>>> = { operation: operations, instance_id: [instanceId] }
  const sets = Object.entries(LABELS).map(([name, { values }]) => [name, new Set(values ?? own[name])])
  return Object.fromEntries(sets) as AllowedValues
}
