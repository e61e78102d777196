/** Which delivered authorizations vouch for a destination when a request names one of the anchors that they named (rulings 89). */
import { and, desc, eq, sql } from "drizzle-orm"
import { bind, changed, query, rows, type Unit, write } from "../engine/unit.ts"

interface RecordAnchors {
  readonly ownerId: string
  readonly keys: readonly string[]
  /** "" for an answer without one. */
  readonly destination: string
  readonly decidedAt: string
  readonly requestId: string
}

/** Records of one anchor and destination that enter a decision; newest first. One is enough, unless its key was lost. */
const VOUCHING_MAX = 20

/** `keys`: JSON. */
const insert = write((db, { recordAnchor: t }, words) =>
  db
    .insert(t)
    .select(
      sql`select ${bind("ownerId")}, ${words.wholeText}, ${bind("destination")}, ${bind("decidedAt")}, ${bind("requestId")} from ${words.each(bind("keys"))} where true`,
    )
    .onConflictDoNothing(),
)
const ofDestination = query((db, { recordAnchor: t }) =>
  db
    .select({ requestId: t.requestId })
    .from(t)
    .where(and(eq(t.ownerId, bind("ownerId")), eq(t.key, bind("key")), eq(t.destination, bind("destination"))))
    .orderBy(desc(t.decidedAt), desc(t.requestId))
    .limit(VOUCHING_MAX),
)
const ofRecord = query((db, { recordAnchor: t }) =>
  db
    .select({ key: t.key })
    .from(t)
    .where(and(eq(t.requestId, bind("requestId")), eq(t.ownerId, bind("ownerId")))),
)

export function* keepAnchors({ keys, ...record }: RecordAnchors): Unit<void> {
  if (keys.length > 0) yield* changed(insert, { ...record, keys: JSON.stringify(keys) })
}

/** Ids of the requests whose records vouch for a destination by one of these anchors. */
export function* vouchingRequests(
  ownerId: string,
  anchors: readonly string[],
  destination: string,
): Unit<ReadonlySet<string>> {
  const found = new Set<string>()
  for (const key of anchors) {
    for (const { requestId } of yield* rows(ofDestination, { ownerId, key, destination })) found.add(requestId)
  }
  return found
}

/** Whether the record of a request named one of these anchors. */
export function* isAnchoredBy(ownerId: string, anchors: readonly string[], requestId: string): Unit<boolean> {
  const named = yield* rows(ofRecord, { ownerId, requestId })
  return named.some(({ key }) => anchors.includes(key))
}
