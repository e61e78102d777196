/** What each wallet holds and how often it was imported to. The unit that changes entries also changes this row and the total. */
import { and, eq, sql } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"
import { changeWalletTotal } from "./wallet-total.ts"

export type WalletName = "SANDBOX" | "LIVE"

interface WalletUsage {
  readonly lastSeq: number
  readonly entries: number
  readonly documentBytes: number
  /** UTC hour of `imports`. */
  readonly hour: string
  readonly imports: number
}

const EMPTY: WalletUsage = { lastSeq: 0, entries: 0, documentBytes: 0, hour: "", imports: 0 }

const usage = query((db, { walletUsage: t }) =>
  db
    .select({
      lastSeq: t.lastSeq,
      entries: t.entries,
      documentBytes: t.documentBytes,
      hour: t.hour,
      imports: t.imports,
    })
    .from(t)
    .where(and(eq(t.agentId, bind("agentId")), eq(t.environment, bind("environment")))),
)

const put = query((db, { walletUsage: t }) =>
  db
    .insert(t)
    .values({
      agentId: bind("agentId"),
      environment: bind("environment"),
      lastSeq: bind("lastSeq"),
      entries: bind("entries"),
      documentBytes: bind("documentBytes"),
      hour: bind("hour"),
      imports: bind("imports"),
    })
    .onConflictDoUpdate({
      target: [t.agentId, t.environment],
      set: {
        lastSeq: sql`excluded.last_seq`,
        entries: sql`excluded.entries`,
        documentBytes: sql`excluded.document_bytes`,
        hour: sql`excluded.hour`,
        imports: sql`excluded.imports`,
      },
    })
    .returning({ agentId: t.agentId }),
)

const change = query((db, { walletUsage: t }) =>
  db
    .update(t)
    .set({
      entries: sql`${t.entries} + ${bound("moreEntries")}`,
      documentBytes: sql`${t.documentBytes} + ${bound("moreBytes")}`,
    })
    .where(and(eq(t.agentId, bind("agentId")), eq(t.environment, bind("environment"))))
    .returning({ agentId: t.agentId }),
)

export function* readWalletUsage(agentId: string, environment: WalletName): Unit<WalletUsage> {
  return (yield* first(usage, { agentId, environment })) ?? EMPTY
}

/** Counts one more import of this UTC hour, whether or not it adds an entry. */
export function* countImport(agentId: string, environment: WalletName, hour: string): Unit<void> {
  const before = yield* readWalletUsage(agentId, environment)
  const imports = before.hour === hour ? before.imports + 1 : 1
  yield* rows(put, { agentId, environment, ...before, hour, imports })
}

/** Counts one more entry with a document of `bytes`. Returns the entry's number. */
export function* countEntry(agentId: string, environment: WalletName, bytes: number): Unit<number> {
  const before = yield* readWalletUsage(agentId, environment)
  const lastSeq = before.lastSeq + 1
  const { entries, documentBytes } = before
  yield* rows(put, {
    agentId,
    environment,
    ...before,
    lastSeq,
    entries: entries + 1,
    documentBytes: documentBytes + bytes,
  })
  yield* changeWalletTotal({ entries: 1, documentBytes: bytes })
  return lastSeq
}

/** Adds to the sums; negative numbers take away. The wallet has had an entry. */
export function* changeUsage(
  agentId: string,
  environment: WalletName,
  { moreEntries, moreBytes }: { readonly moreEntries: number; readonly moreBytes: number },
): Unit<void> {
  if (!(yield* first(change, { agentId, environment, moreEntries, moreBytes }))) {
    throw new Error("an entry without the usage of its wallet")
  }
  yield* changeWalletTotal({ entries: moreEntries, documentBytes: moreBytes })
}
