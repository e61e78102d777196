/** What the worker found in the chat of a job, and what it says there. */
import { and, eq, isNull } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"

/** DRAFT: without the buyer's signature. SERVED_AGAIN: the frozen delivery was posted once more for it. */
type EntryVerdict = "DRAFT" | "ACCEPTED" | "IGNORED" | "REFUSED" | "SERVED_AGAIN"

export interface JudgedEntry {
  readonly entryKey: string
  /** RFC 3339. */
  readonly receivedAt: string
  readonly verdict: EntryVerdict
  /** Upper case; null for DRAFT and ACCEPTED. */
  readonly code: string | null
}

/** Limit of judged messages of one job. The worker reads no further requirement of a job that has as many. */
export const ENTRIES_MAX = 100
/** How often one job is served again. Recovery over HTTP has no such limit. */
export const SERVED_AGAIN_MAX = 8

const ofJob = query((db, t) =>
  db
    .select()
    .from(t.acpEntry)
    .where(eq(t.acpEntry.job, bind("job")))
    .orderBy(t.acpEntry.entryKey)
    .limit(ENTRIES_MAX + SERVED_AGAIN_MAX),
)

/** All of a job: at most {@link ENTRIES_MAX}, and those that were served again after them. */
export function* judgedEntries(job: string): Unit<JudgedEntry[]> {
  return yield* rows(ofJob, { job })
}

const insert = query((db, t) =>
  db
    .insert(t.acpEntry)
    .values({
      job: bind("job"),
      entryKey: bind("entryKey"),
      receivedAt: bind("receivedAt"),
      verdict: bind("verdict"),
      code: bind("code"),
    })
    .onConflictDoNothing()
    .returning({ entryKey: t.acpEntry.entryKey }),
)

export function* recordEntry(job: string, entry: JudgedEntry): Unit<void> {
  yield* rows(insert, { job, ...entry })
}

const queue = query((db, t) =>
  db
    .insert(t.acpNotice)
    .values({ job: bind("job"), code: bind("code"), text: bind("text"), createdAt: bind("at") })
    .onConflictDoNothing()
    .returning({ code: t.acpNotice.code }),
)

/** Queues a message to the buyer. Each code is posted once in a job. */
export function* queueNotice(job: string, code: string, text: string, at: string): Unit<void> {
  yield* rows(queue, { job, code, text, at })
}

const unposted = query((db, t) =>
  db
    .select()
    .from(t.acpNotice)
    .where(and(eq(t.acpNotice.job, bind("job")), isNull(t.acpNotice.postedAt)))
    .orderBy(t.acpNotice.code)
    .limit(8),
)

interface Notice {
  readonly code: string
  readonly text: string
}

export function* unpostedNotices(job: string): Unit<Notice[]> {
  return yield* rows(unposted, { job })
}

const markRow = query((db, t) =>
  db
    .update(t.acpNotice)
    .set({ postedAt: bound("at") })
    .where(and(eq(t.acpNotice.job, bind("job")), eq(t.acpNotice.code, bind("code"))))
    .returning({ code: t.acpNotice.code }),
)

export function* markPosted(job: string, code: string, at: string): Unit<void> {
  yield* first(markRow, { job, code, at })
}
