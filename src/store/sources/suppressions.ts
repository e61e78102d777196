/** "Not the same party": an operator's judgements, added, revoked and read. Rows are never deleted. */
import { and, asc, count, eq, gt, isNull, sql } from "drizzle-orm"
import { isPausedByRestore, recordConfirmation } from "../confirmations.ts"
import { bind, first, query, rows, type Tables, type Unit } from "../engine/unit.ts"
import { voidBefore } from "../restores.ts"
import { changeCount, countChange } from "./change-counts.ts"

export interface SuppressionRow {
  readonly suppressionId: string
  readonly partyDigest: string
  /** JSON of the screened party. */
  readonly party: string
  readonly sourceId: string
  readonly entryId: string
  readonly entryHash: string
  readonly author: string
  readonly reason: string
  readonly createdAt: string
  readonly expiresAt: string
  /** Version of the reader and digest of what the publisher printed about the entry. Null if there were no details. */
  readonly detailsVersion: string | null
  readonly detailsDigest: string | null
}

interface Revocation {
  readonly at: string
  readonly author: string
  readonly reason: string
}

export interface SuppressionRecord extends SuppressionRow {
  readonly revoked: Revocation | null
  /** The delivered answers that it changed; null if none. */
  readonly used: SuppressionUse | null
}

interface SuppressionUse {
  /** RFC 3339. */
  readonly lastAt: string
  readonly times: number
  /** Stored request of the last one. Null if an earlier release counted it. */
  readonly lastRequestId: string | null
}

/** Limit of judgements in force. A person must read, renew and answer for each. */
export const SUPPRESSIONS_MAX = 10_000

const revocationOf = (t: Tables) =>
  and(eq(t.suppressionEvent.suppressionId, t.suppression.suppressionId), eq(t.suppressionEvent.kind, "REVOKED"))

const insert = query((db, t) =>
  db
    .insert(t.suppression)
    .values({
      suppressionId: bind("suppressionId"),
      partyDigest: bind("partyDigest"),
      party: bind("party"),
      sourceId: bind("sourceId"),
      entryId: bind("entryId"),
      entryHash: bind("entryHash"),
      author: bind("author"),
      reason: bind("reason"),
      createdAt: bind("createdAt"),
      expiresAt: bind("expiresAt"),
      detailsVersion: bind("detailsVersion"),
      detailsDigest: bind("detailsDigest"),
    })
    .returning({ suppressionId: t.suppression.suppressionId }),
)
const putEvent = query((db, t) =>
  db
    .insert(t.suppressionEvent)
    .values({
      suppressionId: bind("suppressionId"),
      at: bind("at"),
      kind: bind("kind"),
      author: bind("author"),
      reason: bind("reason"),
    })
    .returning({ id: t.suppressionEvent.id }),
)
const existing = query((db, t) =>
  db
    .select({ suppressionId: t.suppression.suppressionId, createdAt: t.suppression.createdAt })
    .from(t.suppression)
    .leftJoin(t.suppressionEvent, revocationOf(t))
    .where(
      and(
        eq(t.suppression.partyDigest, bind("partyDigest")),
        eq(t.suppression.sourceId, bind("sourceId")),
        eq(t.suppression.entryId, bind("entryId")),
        eq(t.suppression.entryHash, bind("entryHash")),
        gt(t.suppression.expiresAt, bind("at")),
        isNull(t.suppressionEvent.id),
      ),
    )
    .limit(1),
)
const inForce = query((db, t) =>
  db
    .select({ total: count() })
    .from(t.suppression)
    .leftJoin(t.suppressionEvent, revocationOf(t))
    .where(and(gt(t.suppression.expiresAt, bind("at")), isNull(t.suppressionEvent.id))),
)
const all = query((db, t) =>
  db
    .select({ row: t.suppression, revocation: t.suppressionEvent, use: t.suppressionUse })
    .from(t.suppression)
    .leftJoin(t.suppressionEvent, revocationOf(t))
    .leftJoin(t.suppressionUse, eq(t.suppressionUse.suppressionId, t.suppression.suppressionId))
    .orderBy(asc(t.suppression.createdAt), asc(t.suppression.suppressionId)),
)
const unrevoked = query((db, t) =>
  db
    .select({ row: t.suppression })
    .from(t.suppression)
    .leftJoin(t.suppressionEvent, revocationOf(t))
    .where(and(gt(t.suppression.expiresAt, bind("at")), isNull(t.suppressionEvent.id)))
    .orderBy(asc(t.suppression.createdAt), asc(t.suppression.suppressionId)),
)
const putUse = query((db, t) =>
  db
    .insert(t.suppressionUse)
    .values({ suppressionId: bind("suppressionId"), lastAt: bind("at"), times: 1, lastRequestId: bind("requestId") })
    .onConflictDoUpdate({
      target: t.suppressionUse.suppressionId,
      set: {
        lastAt: sql`excluded.last_at`,
        times: sql`${t.suppressionUse.times} + 1`,
        lastRequestId: sql`excluded.last_request_id`,
      },
    })
    .returning({ times: t.suppressionUse.times }),
)
const kindsOf = query((db, t) =>
  db
    .select({ kind: t.suppressionEvent.kind })
    .from(t.suppressionEvent)
    .where(eq(t.suppressionEvent.suppressionId, bind("suppressionId"))),
)
const one = query((db, t) =>
  db
    .select({ suppressionId: t.suppression.suppressionId })
    .from(t.suppression)
    .where(eq(t.suppression.suppressionId, bind("suppressionId"))),
)

export type Addition =
  | { readonly outcome: "ADDED" }
  /** PAUSED: by a restore, so it does not count until somebody confirms it. */
  | { readonly outcome: "STANDS_ALREADY" | "PAUSED"; readonly suppressionId: string }

/**
 * Adds all of them or none: TOO_MANY if one has no room. One that exists at its `createdAt`, neither ended nor revoked, is not added again, because
 * two of them would need two revocations.
 */
export function* addSuppressions(judgements: readonly SuppressionRow[]): Unit<readonly Addition[] | "TOO_MANY"> {
  const known = new Map<string, string>()
  const additions: Addition[] = []
  const added: SuppressionRow[] = []
  for (const row of judgements) {
    const { partyDigest, sourceId, entryId, entryHash, createdAt: at } = row
    const key = JSON.stringify([partyDigest, sourceId, entryId, entryHash])
    const same = yield* first(existing, { partyDigest, sourceId, entryId, entryHash, at })
    const id = same?.suppressionId ?? known.get(key)
    const isCounted = !same || !(yield* isPaused(same))
    const outcome = isCounted ? "STANDS_ALREADY" : "PAUSED"
    additions.push(id === undefined ? { outcome: "ADDED" } : { outcome, suppressionId: id })
    if (id === undefined) added.push(row)
    known.set(key, id ?? row.suppressionId)
  }
  const [one] = added
  if (!one) return additions
  const total = (yield* first(inForce, { at: one.createdAt }))?.total ?? 0
  if (total + added.length > SUPPRESSIONS_MAX) return "TOO_MANY"
  for (const row of added) {
    yield* rows(insert, { ...row })
    const { suppressionId, createdAt: at, author, reason } = row
    yield* rows(putEvent, { suppressionId, at, kind: "ADDED", author, reason })
  }
  yield* countChange("SUPPRESSIONS")
  return additions
}

export function* revokeSuppression(
  suppressionId: string,
  { at, author, reason }: Revocation,
): Unit<"REVOKED" | "UNKNOWN" | "REVOKED_ALREADY"> {
  const kinds = (yield* rows(kindsOf, { suppressionId })).map(({ kind }) => kind)
  if (!kinds.includes("ADDED")) return "UNKNOWN"
  if (kinds.includes("REVOKED")) return "REVOKED_ALREADY"
  yield* rows(putEvent, { suppressionId, at, kind: "REVOKED", author, reason })
  yield* countChange("SUPPRESSIONS")
  return "REVOKED"
}

/** All judgements, oldest first, including ended ones. */
export function* listSuppressions(): Unit<SuppressionRecord[]> {
  return (yield* rows(all)).map(({ row, revocation, use }) => ({
    ...row,
    revoked: revocation && { at: revocation.at, author: revocation.author, reason: revocation.reason },
    used: use && { lastAt: use.lastAt, times: use.times, lastRequestId: use.lastRequestId },
  }))
}

/** Neither revoked, expired at `at` (RFC 3339 as the service writes it) nor paused by a restore, oldest first. */
export function* suppressionsInForce(at: string): Unit<SuppressionRow[]> {
  const inForce: SuppressionRow[] = []
  for (const { row } of yield* rows(unrevoked, { at })) if (!(yield* isPaused(row))) inForce.push(row)
  return inForce
}

/** Those that would count if no restore had paused them, oldest first. */
export function* pausedSuppressions(at: string): Unit<SuppressionRow[]> {
  if ((yield* voidBefore()) === null) return []
  const paused: SuppressionRow[] = []
  for (const { row } of yield* rows(unrevoked, { at })) if (yield* isPaused(row)) paused.push(row)
  return paused
}

function* isPaused({ suppressionId, createdAt }: Pick<SuppressionRow, "suppressionId" | "createdAt">): Unit<boolean> {
  return yield* isPausedByRestore("SUPPRESSION", { subject: suppressionId, createdAt })
}

/** A restored judgement counts again after its confirmation. */
export function* confirmSuppression(
  suppressionId: string,
  { at, author, reason }: Revocation,
): Unit<"CONFIRMED" | "UNKNOWN" | "NOT_PAUSED"> {
  const row = yield* first(one, { suppressionId })
  if (!row) return "UNKNOWN"
  const isOpen = (yield* pausedSuppressions(at)).some((paused) => paused.suppressionId === suppressionId)
  if (!isOpen) return "NOT_PAUSED"
  yield* recordConfirmation({ kind: "SUPPRESSION", subject: suppressionId, confirmedAt: at, author, reason })
  yield* countChange("SUPPRESSIONS")
  return "CONFIRMED"
}

/** Changes with every addition, revocation and confirmation, and with a restore and its declaration. */
export function* suppressionGeneration(): Unit<string> {
  return `${yield* changeCount("SUPPRESSIONS")} ${(yield* voidBefore()) ?? ""}`
}

/** Counts one delivered answer that these judgements changed, by its stored request. `at` is RFC 3339. */
export function* recordSuppressionUse(
  suppressionIds: readonly string[],
  { requestId, at }: { readonly requestId: string; readonly at: string },
): Unit<void> {
  for (const suppressionId of suppressionIds) yield* rows(putUse, { suppressionId, requestId, at })
}
