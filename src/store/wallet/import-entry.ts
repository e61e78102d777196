/** The only unit that adds, changes or ends a wallet entry for its agent. The signature is spent in it, and the answer is kept in it. */
import { DAY, instant } from "../../core/time.ts"
import type { Unit } from "../engine/unit.ts"
import { admit, type FreeWriter, type NotAdmitted } from "../free-writes/admit.ts"
import { spendHttpSignature, type UnspentSignature } from "../identity/http-signatures.ts"
import {
  addWalletEntry,
  findWalletEntry,
  type NewWalletEntry,
  purgeWallet,
  purgeWalletEntries,
  removeWalletEntry,
  replaceVerified,
  retainWalletEntry,
  type WalletEntry,
} from "./wallet-entries.ts"
import { findTokenState, type TokenState } from "./wallet-pages.ts"
import { findWalletRequest, keepWalletRequest, purgeWalletRequests } from "./wallet-requests.ts"
import { readWalletTotal } from "./wallet-total.ts"
import { countImport, readWalletUsage, type WalletName } from "./wallet-usage.ts"

export interface WalletLimits {
  readonly entriesMax: number
  readonly documentBytesMax: number
  readonly importsPerHourMax: number
  /** Of all wallets together. */
  readonly allEntriesMax: number
  readonly allDocumentBytesMax: number
  readonly allAnswersMax: number
}

interface EntryImport {
  readonly signature: UnspentSignature
  readonly environment: WalletName
  readonly idempotencyKey: string
  readonly requestDigest: string
  /** RFC 3339, as all times here. */
  readonly requestExpiresAt: string
  readonly now: string
  readonly type: string
  readonly artifactDigest: string
  /** Of the document as it was sent. */
  readonly documentDigest: string
  /** The verified artifact; null if it was not verified, because the wallet held it when it was read. */
  readonly verified: NewWalletEntry | null
  /** Not after `now`: the entry ends. */
  readonly until: string
  /** Null: only the digest is kept. */
  readonly document: Uint8Array | null
  readonly limits: WalletLimits
  readonly writer: FreeWriter
  /** Makes the answer. Pure: the unit may run twice. */
  readonly answer: (entry: WalletEntry, token: TokenState) => string
}

export type WalletLimit =
  | "WALLET_ENTRIES"
  | "WALLET_DOCUMENT_BYTES"
  | "WALLET_IMPORTS_THIS_HOUR"
  | "ALL_WALLETS_ENTRIES"
  | "ALL_WALLETS_DOCUMENT_BYTES"
  | "ALL_WALLETS_ANSWERS"
  | "ALL_WALLETS_KEEP_SEVEN_DAYS"

export type ImportOutcome =
  | { readonly kind: "DONE" | "REPLAYED"; readonly response: string }
  | { readonly kind: "FULL"; readonly limit: WalletLimit }
  | NotAdmitted
  /** NOT_HELD: the wallet no longer holds what was not verified. Nothing changed, and the signature is not spent. */
  | { readonly kind: "CONFLICT" | "NOT_HELD" | "KEY_NOT_ACCEPTED" | "NONCE_REPLAY" }

export function* importEntry(given: EntryImport): Unit<ImportOutcome> {
  const { signature, environment, idempotencyKey, requestDigest, now, verified } = given
  const { agentId } = signature
  const earlier = yield* findWalletRequest(agentId, idempotencyKey, now)
  const held = yield* findWalletEntry(agentId, environment, given.artifactDigest, now)
  if (!earlier && !verified && !isSettledBy(held, given)) return { kind: "NOT_HELD" }
  const notAdmitted = yield* admitImport(given, earlier !== null, held)
  if (notAdmitted) return notAdmitted
  const spent = yield* spendHttpSignature(signature, now)
  if (spent !== "SPENT") return { kind: spent }
  if (earlier) {
    const isSame = earlier.requestDigest === requestDigest
    return isSame ? { kind: "REPLAYED", response: earlier.response } : { kind: "CONFLICT" }
  }
  const kept = yield* keep(given, held)
  if ("limit" in kept) return kept
  const response = given.answer(kept, yield* findTokenState(kept.reference))
  const expiresAt = given.requestExpiresAt
  yield* keepWalletRequest({ agentId, idempotencyKey, requestDigest, response, expiresAt })
  return { kind: "DONE", response }
}

/** Bytes of documents that count as one unit of the day's cap. */
const DOCUMENT_UNIT = 64 * 1024

/** Only the end of an entry that is held counts for no cap: the agent leaves. A repetition spends a signature, as a call that reads. */
function* admitImport(
  { now, until, document, writer }: EntryImport,
  isRepeat: boolean,
  held: WalletEntry | null,
): Unit<NotAdmitted | null> {
  if (isRepeat) return yield* admit("SIGNED_CALLS", writer)
  if (held && until <= now) return null
  const units = until <= now ? 0 : Math.ceil((document?.length ?? 0) / DOCUMENT_UNIT)
  const documents = units === 0 ? null : yield* admit("WALLET_DOCUMENTS", writer, { amount: units })
  return documents ?? (yield* admit("WALLET_IMPORTS", writer))
}

/**
 * True if an entry of this type is held and nothing needs to be verified: the entry ends, or this very document was verified for it.
 * Another document with the same artifact digest is verified like a new one.
 */
export function isSettledBy(
  held: WalletEntry | null,
  { type, until, now, documentDigest }: Pick<EntryImport, "type" | "until" | "now" | "documentDigest">,
): boolean {
  return held?.type === type && (until <= now || held.documentDigest === documentDigest)
}

function* keep(
  given: EntryImport,
  held: WalletEntry | null,
): Unit<WalletEntry | { readonly kind: "FULL"; readonly limit: WalletLimit }> {
  const { signature, environment, now, until, document, verified } = given
  const { agentId } = signature
  const ends = until <= now
  // Only the end of an entry that is held is not an import: deletion always works.
  if (held && ends) {
    yield* removeWalletEntry(held)
    return { ...held, until }
  }
  const added = ends
    ? { isNewEntry: false, bytes: 0 }
    : { isNewEntry: !held, bytes: (document?.length ?? 0) - (held?.documentBytes ?? 0) }
  let limit = yield* passedLimit(given, added)
  if (limit && (yield* removeEnded(given)) > 0) limit = yield* passedLimit(given, added)
  if (limit) return { kind: "FULL", limit }
  yield* countImport(agentId, environment, hourOf(now))
  if (held) {
    const same = verified ? yield* replaceVerified(held, verified) : held
    return yield* retainWalletEntry(same, until, document !== null && same.documentBytes > 0 ? "KEEP" : document)
  }
  if (!verified) throw new Error("an entry of an artifact that was not verified")
  if (ends) return { ...verified, until, seq: 0, documentBytes: 0 }
  return yield* addWalletEntry({ ...verified, until }, document)
}

/** Only for an import that would pass a limit: rows that have ended and are not yet removed must not refuse it. Returns how many it removed. */
function* removeEnded({ signature, environment, now }: EntryImport): Unit<number> {
  const own = yield* purgeWallet(signature.agentId, environment, now)
  return own + (yield* purgeWalletEntries(now)) + (yield* purgeWalletRequests(now))
}

/**
 * CHOICE: while all wallets together are half full, an entry is kept for seven days at most. What a day lets in fills less than the other
 * half in seven days, so no flood takes the room of others for longer than that.
 */
const CROWDED_RETENTION_MS = 7 * DAY

function* passedLimit(
  { signature, environment, now, until, limits }: EntryImport,
  added: { readonly isNewEntry: boolean; readonly bytes: number },
): Unit<WalletLimit | null> {
  const usage = yield* readWalletUsage(signature.agentId, environment)
  if (usage.documentBytes + added.bytes > limits.documentBytesMax && added.bytes > 0) return "WALLET_DOCUMENT_BYTES"
  if (added.isNewEntry && usage.entries >= limits.entriesMax) return "WALLET_ENTRIES"
  const isThisHour = usage.hour === hourOf(now)
  if (isThisHour && usage.imports >= limits.importsPerHourMax) return "WALLET_IMPORTS_THIS_HOUR"
  const all = yield* readWalletTotal()
  if (all.documentBytes + added.bytes > limits.allDocumentBytesMax && added.bytes > 0) {
    return "ALL_WALLETS_DOCUMENT_BYTES"
  }
  if (added.isNewEntry && all.entries >= limits.allEntriesMax) return "ALL_WALLETS_ENTRIES"
  const isLong = instant(until) > instant(now) + CROWDED_RETENTION_MS
  const isCrowded = 2 * all.entries >= limits.allEntriesMax || 2 * all.documentBytes >= limits.allDocumentBytesMax
  if (isLong && isCrowded) return "ALL_WALLETS_KEEP_SEVEN_DAYS"
  return all.answers >= limits.allAnswersMax ? "ALL_WALLETS_ANSWERS" : null
}

function hourOf(now: string): string {
  return now.slice(0, "YYYY-MM-DDTHH".length)
}
