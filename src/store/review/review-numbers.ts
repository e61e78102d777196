/** What the operator watches of the reviews: cases that wait, for how long, and keys that nobody approved. */
import { and, desc, eq, gt, isNotNull } from "drizzle-orm"
import { WAITING_STATES } from "../../core/review/review-book.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import { listCases } from "./review-cases.ts"
import { type CaseCount, caseCounts } from "./review-counts.ts"

/** A key that was admitted without approvals. */
export interface BreakGlass {
  readonly keyId: string
  /** Of the person. */
  readonly name: string
  readonly why: string
  /** RFC 3339. When the key was enrolled. */
  readonly since: string
}

interface ReviewNumbers {
  /** One for each product and state that a case was ever in. */
  readonly counts: readonly CaseCount[]
  /** RFC 3339. When the answer was delivered that has waited longest; null if none waits. */
  readonly oldest: string | null
  /** The newest first. */
  readonly breakGlass: readonly BreakGlass[]
}

/** CHOICE: for 30 days the desk and the metrics show a key that was admitted without approvals. */
const BREAK_GLASS_SHOWN_MS = 30 * DAY

const admitted = query((db, { reviewerKey: k, reviewer: r }) =>
  db
    .select({ keyId: k.keyId, name: r.name, why: k.breakGlass, since: k.enrolledAt })
    .from(k)
    .innerJoin(r, eq(r.reviewerId, k.reviewerId))
    .where(and(isNotNull(k.breakGlass), gt(k.enrolledAt, bind("since"))))
    .orderBy(desc(k.enrolledAt), desc(k.keyId)),
)

/** `now` in milliseconds. A revoked key is listed too: what it signed before counts. */
export function* admittedKeys(now: number): Unit<readonly BreakGlass[]> {
  const found = yield* rows(admitted, { since: formatInstant(now - BREAK_GLASS_SHOWN_MS) })
  return found.map((key) => ({ ...key, why: key.why ?? "" }))
}

/** `now` in milliseconds. */
export function* reviewNumbers(now: number): Unit<ReviewNumbers> {
  const counts = yield* caseCounts()
  const { cases } = yield* listCases({ order: "AGE", states: WAITING_STATES, after: null, limit: 1 })
  return { counts, oldest: cases[0]?.openedAt ?? null, breakGlass: yield* admittedKeys(now) }
}
