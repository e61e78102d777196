/** Reads entries of a wallet with the state of the token that the same answer issued: what judging reuse needs. */
import { and, asc, eq, gt, inArray, lte, sql } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import type { WalletEntry } from "./wallet-entries.ts"
import type { WalletName } from "./wallet-usage.ts"

export interface TokenState {
  readonly tokenKind: "PAYMENT" | "VENDOR_CHANGE" | null
  readonly tokenState: "ISSUED" | "SPENT" | "REVOKED" | "EXPIRED" | null
}

/** One row more than the longest page, so that its reader knows whether another page follows. A bound LIMIT would be planned at each call. */
const PAGE_ROWS = 101

/** Without a token all members are null. */
export type WalletEntryWithToken = WalletEntry & TokenState

const NO_TOKEN: TokenState = { tokenKind: null, tokenState: null }

const token = query((db, { authorizationToken: t }) =>
  db
    .select({ tokenKind: t.kind, tokenState: t.state })
    .from(t)
    .where(eq(t.evidenceReference, bind("evidenceReference"))),
)

const page = query((db, { walletEntry: t, authorizationToken: k }, words) =>
  db
    .select({ entry: t, tokenKind: k.kind, tokenState: k.state })
    .from(t)
    .leftJoin(k, eq(k.evidenceReference, t.reference))
    .where(
      and(
        eq(t.agentId, bind("agentId")),
        eq(t.environment, bind("environment")),
        gt(t.seq, bind("after")),
        lte(t.seq, bind("upTo")),
        // This condition must not use an index: the page is in the order of `seq`.
        sql`${words.withoutIndex(t.until)} > ${bind("now")}`,
        sql`${t.type} in (select ${words.wholeText} from ${words.each(bind("types"))})`,
        sql`(${bind("validity")} = 'ANY' or (${bind("validity")} = 'EXPIRED') = (${t.validUntil} is not null and ${t.validUntil} <= ${bind("now")}))`,
        sql`(${bind("issuer")} = '' or ${t.issuer} = ${bind("issuer")})`,
      ),
    )
    .orderBy(asc(t.seq))
    .limit(PAGE_ROWS),
)

const byId = query((db, { walletEntry: t, authorizationToken: k }) =>
  db
    .select({ entry: t, tokenKind: k.kind, tokenState: k.state })
    .from(t)
    .leftJoin(k, eq(k.evidenceReference, t.reference))
    .where(eq(t.walletEntryId, bind("walletEntryId"))),
)

const documents = query((db, { walletDocument: t }, words) =>
  db
    .select()
    .from(t)
    .where(inArray(t.walletEntryId, sql`(select ${words.wholeText} from ${words.each(bind("ids"))})`)),
)

interface WalletPageQuestion {
  readonly agentId: string
  readonly environment: WalletName
  /** Entries with a number above `after`, up to `upTo`. */
  readonly after: number
  readonly upTo: number
  /** JSON list. */
  readonly types: string
  readonly validity: "CURRENT" | "EXPIRED" | "ANY"
  /** Empty: any. */
  readonly issuer: string
  readonly now: string
}

/** At most {@link PAGE_ROWS} entries in the order of their numbers. */
export function* readWalletPage(question: WalletPageQuestion): Unit<WalletEntryWithToken[]> {
  const found = yield* rows(page, { ...question })
  return found.map(({ entry, tokenKind, tokenState }) => ({ ...entry, tokenKind, tokenState }))
}

/**
 * The LIVE entry with this id and this artifact, for the preview of reuse. Its random id is the caller's authority. Null also for an entry
 * that has ended.
 */
export function* findLiveEntry(
  walletEntryId: string,
  artifactDigest: string,
  now: string,
): Unit<WalletEntryWithToken | null> {
  const found = yield* first(byId, { walletEntryId })
  if (!found) return null
  const { entry, tokenKind, tokenState } = found
  const isThis = entry.environment === "LIVE" && entry.artifactDigest === artifactDigest && entry.until > now
  return isThis ? { ...entry, tokenKind, tokenState } : null
}

/** By the core digest of the answer that issued it. */
export function* findTokenState(evidenceReference: string | null): Unit<TokenState> {
  if (evidenceReference === null) return NO_TOKEN
  return (yield* first(token, { evidenceReference })) ?? NO_TOKEN
}

/** The stored documents of these entries, by entry id. */
export function* readWalletDocuments(walletEntryIds: readonly string[]): Unit<ReadonlyMap<string, Uint8Array>> {
  const found = yield* rows(documents, { ids: JSON.stringify(walletEntryIds) })
  return new Map(found.map(({ walletEntryId, bytes }) => [walletEntryId, bytes]))
}
