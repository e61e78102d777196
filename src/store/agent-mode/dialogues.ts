/** Dialogues that are open, and for a while those that ended. */
import { and, desc, eq, gt, lte, sql } from "drizzle-orm"
import { bind, changed, first, query, type Unit } from "../engine/unit.ts"
import { purgeOf } from "../purge.ts"

export interface Dialogue {
  readonly agentId: string
  readonly dialogueId: string
  readonly turn: number
  /** Digest of the last answer. */
  readonly lastDigest: string
  /** Offers in the last answer, as a JSON list of ids. */
  readonly lastOffers: string
  /** RFC 3339. */
  readonly endsAt: string
}

const byId = query((db, t) =>
  db
    .select()
    .from(t.salesDialogue)
    .where(and(eq(t.salesDialogue.agentId, bind("agentId")), eq(t.salesDialogue.dialogueId, bind("dialogueId")))),
)

const put = query((db, t) =>
  db
    .insert(t.salesDialogue)
    .values({
      agentId: bind("agentId"),
      dialogueId: bind("dialogueId"),
      turn: bind("turn"),
      lastDigest: bind("lastDigest"),
      lastOffers: bind("lastOffers"),
      endsAt: bind("endsAt"),
    })
    .onConflictDoUpdate({
      target: [t.salesDialogue.agentId, t.salesDialogue.dialogueId],
      set: {
        turn: sql`excluded.turn`,
        lastDigest: sql`excluded.last_digest`,
        lastOffers: sql`excluded.last_offers`,
        endsAt: sql`excluded.ends_at`,
      },
    })
    .returning({ turn: t.salesDialogue.turn }),
)

const nthOpen = query((db, t) =>
  db
    .select({ endsAt: t.salesDialogue.endsAt })
    .from(t.salesDialogue)
    .where(and(eq(t.salesDialogue.agentId, bind("agentId")), gt(t.salesDialogue.endsAt, bind("at"))))
    .orderBy(desc(t.salesDialogue.endsAt), desc(t.salesDialogue.dialogueId))
    .limit(1)
    .offset(bind("others")),
)

const purge = purgeOf(({ salesDialogue: t }) => ({
  key: [t.agentId, t.dialogueId],
  where: lte(t.endsAt, bind("before")),
  order: [t.endsAt, t.agentId, t.dialogueId],
}))

/** Also one that ended, until it is purged. */
export function* findDialogue(agentId: string, dialogueId: string): Unit<Dialogue | null> {
  return (yield* first(byId, { agentId, dialogueId })) ?? null
}

export function* keepDialogue(dialogue: Dialogue): Unit<void> {
  yield* first(put, { ...dialogue })
}

/** Whether the agent has at least `count` open dialogues. */
export function* hasOpenDialogues(agentId: string, count: number, at: string): Unit<boolean> {
  return (yield* first(nthOpen, { agentId, at, others: count - 1 })) !== undefined
}

/** Removes at most 64 that ended before `before`; returns how many. */
export function* purgeDialogues(before: string): Unit<number> {
  return yield* changed(purge, { before })
}
