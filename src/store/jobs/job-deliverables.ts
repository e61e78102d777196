/** The frozen text of a delivery. It is stored once, in the unit that acquires the purchase. */
import { and, eq, isNull } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"

export interface StoredDeliverable {
  readonly job: string
  readonly text: string
  readonly sha256: string
  /** `0x` and 64 hex digits: what `submit` puts on the chain. */
  readonly keccak256: string
  readonly createdAt: string
  readonly postedAt: string | null
}

const byJob = query((db, t) =>
  db
    .select()
    .from(t.acpDeliverable)
    .where(eq(t.acpDeliverable.job, bind("job"))),
)

export function* findDeliverable(job: string): Unit<StoredDeliverable | null> {
  return (yield* first(byJob, { job })) ?? null
}

const insert = query((db, t) =>
  db
    .insert(t.acpDeliverable)
    .values({
      job: bind("job"),
      text: bind("text"),
      sha256: bind("sha256"),
      keccak256: bind("keccak256"),
      createdAt: bind("createdAt"),
    })
    .returning({ job: t.acpDeliverable.job }),
)

export function* storeDeliverable(deliverable: Omit<StoredDeliverable, "postedAt">): Unit<void> {
  yield* rows(insert, { ...deliverable })
}

const posted = query((db, t) =>
  db
    .update(t.acpDeliverable)
    .set({ postedAt: bound("at") })
    .where(and(eq(t.acpDeliverable.job, bind("job")), isNull(t.acpDeliverable.postedAt)))
    .returning({ job: t.acpDeliverable.job }),
)

export function* markDeliverablePosted(job: string, at: string): Unit<void> {
  yield* rows(posted, { job, at })
}
