/** State of the job rail beside its jobs: how far the logs are read, what the operator paused, how the last check went. */
import { and, desc, eq, lt } from "drizzle-orm"
import { formatInstant, instant } from "../../core/time.ts"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { voidBefore } from "../restores.ts"

const cursor = query((db, t) =>
  db
    .select({ blockNumber: t.acpCursor.blockNumber })
    .from(t.acpCursor)
    .where(and(eq(t.acpCursor.contract, bind("contract")), eq(t.acpCursor.provider, bind("provider")))),
)

interface CursorKey {
  /** In lower case. */
  readonly contract: string
  readonly provider: string
}

/** The safe block up to which the logs were read; null before the first reading. */
export function* readCursor({ contract, provider }: CursorKey): Unit<bigint | null> {
  const row = yield* first(cursor, { contract, provider })
  return row === undefined ? null : BigInt(row.blockNumber)
}

const setCursor = query((db, t) =>
  db
    .insert(t.acpCursor)
    .values({
      contract: bind("contract"),
      provider: bind("provider"),
      blockNumber: bind("blockNumber"),
      updatedAt: bind("at"),
    })
    .onConflictDoUpdate({
      target: [t.acpCursor.contract, t.acpCursor.provider],
      set: { blockNumber: bound("blockNumber"), updatedAt: bound("at") },
    })
    .returning({ blockNumber: t.acpCursor.blockNumber }),
)

/** Never moves back: another process may have read further. */
export function* advanceCursor(key: CursorKey, block: bigint, at: string): Unit<void> {
  const { contract, provider } = key
  const known = yield* readCursor(key)
  if (known !== null && known >= block) return
  yield* rows(setCursor, { contract, provider, blockNumber: String(block), at })
}

export interface PauseRow {
  readonly at: string
  readonly action: "PAUSE" | "RESUME"
  readonly reason: string
}

const newestSwitch = query((db, t) => db.select().from(t.acpSwitch).orderBy(desc(t.acpSwitch.id)).limit(1))
const addSwitch = query((db, t) =>
  db
    .insert(t.acpSwitch)
    .values({ at: bind("at"), action: bind("action"), reason: bind("reason") })
    .returning({ id: t.acpSwitch.id }),
)

/** The newest pause or resumption; null if there was none. A restore is a pause until the operator resumes. */
export function* newestPause(): Unit<PauseRow | null> {
  const newest = (yield* first(newestSwitch)) ?? null
  const before = yield* voidBefore()
  if (before === null || (newest !== null && instant(newest.at) >= before)) return newest
  return { at: formatInstant(before), action: "PAUSE", reason: "restored from a backup" }
}

export function* isPaused(): Unit<boolean> {
  return (yield* newestPause())?.action === "PAUSE"
}

export function* recordPause({ at, action, reason }: PauseRow): Unit<void> {
  yield* rows(addSwitch, { at, action, reason })
}

export interface ChannelCheck {
  /** The process that checked. */
  readonly owner: string
  readonly at: string
  readonly provider: string
  /** JSON array of reason codes; `[]` if jobs are taken. */
  readonly reasons: string
  readonly platformFeeBp: number | null
  readonly evaluatorFeeBp: number | null
  readonly balanceWei: string | null
}

const putCheck = query((db, t) =>
  db
    .insert(t.acpLook)
    .values({
      owner: bind("owner"),
      at: bind("at"),
      provider: bind("provider"),
      reasons: bind("reasons"),
      platformFeeBp: bind("platformFeeBp"),
      evaluatorFeeBp: bind("evaluatorFeeBp"),
      balanceWei: bind("balanceWei"),
    })
    .onConflictDoUpdate({
      target: t.acpLook.owner,
      set: {
        at: bound("at"),
        provider: bound("provider"),
        reasons: bound("reasons"),
        platformFeeBp: bound("platformFeeBp"),
        evaluatorFeeBp: bound("evaluatorFeeBp"),
        balanceWei: bound("balanceWei"),
      },
    })
    .returning({ owner: t.acpLook.owner }),
)
const dropChecks = query((db, t) =>
  db
    .delete(t.acpLook)
    .where(lt(t.acpLook.at, bind("before")))
    .returning({ owner: t.acpLook.owner }),
)
const checks = query((db, t) =>
  db.select().from(t.acpLook).orderBy(desc(t.acpLook.at), desc(t.acpLook.owner)).limit(16),
)

/** Keeps the newest check of this process, and deletes those of processes that have ended (older than `before`). */
export function* recordChannelCheck(check: ChannelCheck, before: string): Unit<void> {
  yield* rows(putCheck, { ...check })
  yield* rows(dropChecks, { before })
}

/** Newest first. */
export function* channelChecks(): Unit<ChannelCheck[]> {
  return yield* rows(checks)
}
