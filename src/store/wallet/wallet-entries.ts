/** The entries of proof wallets and their documents. An entry whose `until` has passed is ended: nobody sees it, and it is removed later. */
import { and, eq, lte, sql } from "drizzle-orm"
import { bind, bound, first, type Query, query, rows, type Unit, type Values } from "../engine/unit.ts"
import { areFirst, PURGED_AT_ONCE } from "../purge.ts"
import { changeUsage, countEntry, type WalletName } from "./wallet-usage.ts"

/** Instants are RFC 3339 with milliseconds. */
export interface WalletEntry {
  readonly walletEntryId: string
  readonly agentId: string
  readonly environment: WalletName
  readonly seq: number
  readonly type: string
  readonly artifactDigest: string
  readonly issuer: string
  readonly product: string | null
  /** JSON: digest by pointer. */
  readonly subjectDigests: string
  readonly signingKeyId: string
  /** Core digest of the answer that it proves. */
  readonly reference: string | null
  readonly decision: string | null
  /** JSON. */
  readonly verification: string
  readonly validAsOf: string | null
  readonly validUntil: string | null
  readonly importedAt: string
  readonly until: string
  readonly documentBytes: number
  /** Digest of the imported document that `verification` is about. Null in entries of earlier releases. */
  readonly documentDigest: string | null
}

export type NewWalletEntry = Omit<WalletEntry, "seq" | "documentBytes">

const byArtifact = query((db, { walletEntry: t }) =>
  db
    .select()
    .from(t)
    .where(
      and(
        eq(t.agentId, bind("agentId")),
        eq(t.environment, bind("environment")),
        eq(t.artifactDigest, bind("artifactDigest")),
      ),
    ),
)

const insert = query((db, { walletEntry: t }) =>
  db
    .insert(t)
    .values({
      walletEntryId: bind("walletEntryId"),
      agentId: bind("agentId"),
      environment: bind("environment"),
      seq: bind("seq"),
      type: bind("type"),
      artifactDigest: bind("artifactDigest"),
      issuer: bind("issuer"),
      product: bind("product"),
      subjectDigests: bind("subjectDigests"),
      signingKeyId: bind("signingKeyId"),
      reference: bind("reference"),
      decision: bind("decision"),
      verification: bind("verification"),
      validAsOf: bind("validAsOf"),
      validUntil: bind("validUntil"),
      importedAt: bind("importedAt"),
      until: bind("until"),
      documentBytes: bind("documentBytes"),
      documentDigest: bind("documentDigest"),
    })
    .returning({ walletEntryId: t.walletEntryId }),
)

const retain = query((db, { walletEntry: t }) =>
  db
    .update(t)
    .set({ until: bound("until"), documentBytes: bound("documentBytes") })
    .where(eq(t.walletEntryId, bind("walletEntryId")))
    .returning({ walletEntryId: t.walletEntryId }),
)

const verifyAgain = query((db, { walletEntry: t }) =>
  db
    .update(t)
    .set({
      type: bound("type"),
      issuer: bound("issuer"),
      product: bound("product"),
      subjectDigests: bound("subjectDigests"),
      signingKeyId: bound("signingKeyId"),
      reference: bound("reference"),
      decision: bound("decision"),
      verification: bound("verification"),
      validAsOf: bound("validAsOf"),
      validUntil: bound("validUntil"),
      documentDigest: bound("documentDigest"),
    })
    .where(eq(t.walletEntryId, bind("walletEntryId")))
    .returning({ walletEntryId: t.walletEntryId }),
)

const insertDocument = query((db, { walletDocument: t }) =>
  db
    .insert(t)
    .values({ walletEntryId: bind("walletEntryId"), bytes: bind("bytes") })
    .returning({ walletEntryId: t.walletEntryId }),
)

const removeDocuments = query((db, { walletDocument: t }, words) =>
  db
    .delete(t)
    .where(sql`${t.walletEntryId} in (select ${words.wholeText} from ${words.each(bind("ids"))})`)
    .returning({ walletEntryId: t.walletEntryId }),
)

const remove = query((db, { walletEntry: t }) =>
  db
    .delete(t)
    .where(eq(t.walletEntryId, bind("walletEntryId")))
    .returning({ walletEntryId: t.walletEntryId }),
)

const purge = query((db, { walletEntry: t }) =>
  db
    .delete(t)
    .where(
      areFirst(db, {
        key: [t.walletEntryId],
        where: lte(t.until, bind("now")),
        order: [t.until, t.walletEntryId],
      }),
    )
    .returning(),
)

const purgeOwn = query((db, { walletEntry: t }) =>
  db
    .delete(t)
    .where(
      areFirst(db, {
        key: [t.walletEntryId],
        where: and(eq(t.agentId, bind("agentId")), eq(t.environment, bind("environment")), lte(t.until, bind("now"))),
        order: [t.until, t.walletEntryId],
      }),
    )
    .returning(),
)

/** Null for an artifact that this wallet does not hold, or that has ended. */
export function* findWalletEntry(
  agentId: string,
  environment: WalletName,
  artifactDigest: string,
  now: string,
): Unit<WalletEntry | null> {
  const found = yield* first(byArtifact, { agentId, environment, artifactDigest })
  return found && found.until > now ? found : null
}

/** Adds an entry with its document, if one is given. An ended entry of the same artifact makes room for it. Limits are the caller's part. */
export function* addWalletEntry(entry: NewWalletEntry, document: Uint8Array | null): Unit<WalletEntry> {
  const { agentId, environment, artifactDigest } = entry
  const ended = yield* first(byArtifact, { agentId, environment, artifactDigest })
  if (ended) yield* removeWalletEntry(ended)
  const documentBytes = document?.length ?? 0
  const seq = yield* countEntry(agentId, environment, documentBytes)
  const added = { ...entry, seq, documentBytes }
  yield* rows(insert, added)
  if (document) yield* rows(insertDocument, { walletEntryId: entry.walletEntryId, bytes: document })
  return added
}

/** The entry of a known artifact becomes that of another genuine document. Its id, number and first import stay, and no document is kept. */
export function* replaceVerified(entry: WalletEntry, verified: NewWalletEntry): Unit<WalletEntry> {
  const { walletEntryId, importedAt, until } = entry
  const { type, issuer, product, subjectDigests, signingKeyId, reference, decision, verification } = verified
  const { validAsOf, validUntil, documentDigest } = verified
  const about = { type, issuer, product, subjectDigests, signingKeyId, reference, decision, verification }
  yield* written(verifyAgain, { walletEntryId, ...about, validAsOf, validUntil, documentDigest })
  return yield* retainWalletEntry({ ...entry, ...verified, walletEntryId, importedAt, until }, until, null)
}

/** Sets the end of an entry. `document`: KEEP leaves it as it is, null removes it, bytes are stored; there was none then. */
export function* retainWalletEntry(
  entry: WalletEntry,
  until: string,
  document: "KEEP" | Uint8Array | null,
): Unit<WalletEntry> {
  const { walletEntryId, agentId, environment } = entry
  const documentBytes = document === "KEEP" ? entry.documentBytes : (document?.length ?? 0)
  if (document === null) yield* rows(removeDocuments, { ids: JSON.stringify([walletEntryId]) })
  else if (document !== "KEEP") yield* rows(insertDocument, { walletEntryId, bytes: document })
  yield* written(retain, { walletEntryId, until, documentBytes })
  const moreBytes = documentBytes - entry.documentBytes
  if (moreBytes !== 0) yield* changeUsage(agentId, environment, { moreEntries: 0, moreBytes })
  return { ...entry, until, documentBytes }
}

export function* removeWalletEntry({ walletEntryId, ...entry }: WalletEntry): Unit<void> {
  yield* written(remove, { walletEntryId })
  yield* removeTraces([{ walletEntryId, ...entry }])
}

/** Removes at most {@link PURGED_AT_ONCE} ended entries of one wallet, so that they do not count against its limits. */
export function* purgeWallet(agentId: string, environment: WalletName, now: string): Unit<number> {
  const ended = yield* rows(purgeOwn, { agentId, environment, now })
  yield* removeTraces(ended)
  return ended.length
}

/** Removes at most {@link PURGED_AT_ONCE} ended entries, those that ended first; returns how many. */
export function* purgeWalletEntries(now: string): Unit<number> {
  const ended = yield* rows(purge, { now })
  yield* removeTraces(ended)
  return ended.length
}

/** Of removed entries: their documents, and what they add to the sums of their wallets. */
function* removeTraces(removed: readonly WalletEntry[]): Unit<void> {
  if (removed.length === 0) return
  yield* rows(removeDocuments, { ids: JSON.stringify(removed.map(({ walletEntryId }) => walletEntryId)) })
  const wallets = Map.groupBy(removed, ({ agentId, environment }) => `${agentId} ${environment}`)
  for (const ended of wallets.values()) {
    const [{ agentId, environment }] = ended as [WalletEntry]
    const moreBytes = -ended.reduce((sum, { documentBytes }) => sum + documentBytes, 0)
    yield* changeUsage(agentId, environment, { moreEntries: -ended.length, moreBytes })
  }
}

function* written<Row>(statement: Query<Row>, values: Values): Unit<void> {
  if (!(yield* first(statement, values))) throw new Error("a write of a wallet entry changed no row")
}
