/** Judges whether a wallet entry may replace a purchase. Pure. The inventory and the preview of reuse both use it. */
import type { ReuseState } from "../../../schemas/agent-mode/proof-wallet.ts"
import { instant } from "../../core/time.ts"
import type { TokenState } from "../../store/wallet/wallet-pages.ts"

export type ReuseReason =
  | "KEY_REVOKED"
  | "TOKEN_REVOKED"
  | "EXPIRED"
  | "DECISION_NOT_POSITIVE"
  | "TOKEN_SPENT"
  | "TYPE_NOT_REUSABLE"

export interface ReusableEntry extends TokenState {
  /** The product whose purchase it may replace, or null for a kind that replaces none. */
  readonly product: string | null
  readonly decision: string | null
  /** RFC 3339, or null without an end. */
  readonly validUntil: string | null
  /** True if the key that signed it is revoked now, or no longer known. */
  readonly isKeyRevoked: boolean
}

export interface ReuseJudgement {
  readonly state: ReuseState
  /** Null if it may be reused. */
  readonly reason: ReuseReason | null
}

/** After these decisions a caller may go on, of the Payment Decision and of the answer products. */
const POSITIVE: ReadonlySet<string | null> = new Set(["ALLOW", "ALLOW_WITH_CONDITIONS", "APPROVE", "CONDITIONAL"])

const STATE_OF: Readonly<Record<ReuseReason, ReuseState>> = {
  KEY_REVOKED: "REVOKED",
  TOKEN_REVOKED: "REVOKED",
  EXPIRED: "EXPIRED",
  DECISION_NOT_POSITIVE: "NOT_REUSABLE",
  TOKEN_SPENT: "NOT_REUSABLE",
  TYPE_NOT_REUSABLE: "NOT_REUSABLE",
}

/** Returns every reason against reusing the entry at `at` (milliseconds), the decisive one first. Empty: it may be reused. */
export function reasonsAgainstReuse(entry: ReusableEntry, at: number): readonly ReuseReason[] {
  const { product, decision, validUntil, tokenState } = entry
  const hasEnded = validUntil !== null && instant(validUntil) <= at
  const holds: Readonly<Record<ReuseReason, boolean>> = {
    KEY_REVOKED: entry.isKeyRevoked,
    TOKEN_REVOKED: tokenState === "REVOKED",
    EXPIRED: hasEnded || tokenState === "EXPIRED",
    DECISION_NOT_POSITIVE: product !== null && !POSITIVE.has(decision),
    TOKEN_SPENT: tokenState === "SPENT",
    TYPE_NOT_REUSABLE: product === null,
  }
  return (Object.keys(holds) as ReuseReason[]).filter((reason) => holds[reason])
}

export function judgeReuse(entry: ReusableEntry, at: number): ReuseJudgement {
  const [reason = null] = reasonsAgainstReuse(entry, at)
  return { state: reason === null ? "REUSABLE" : STATE_OF[reason], reason }
}

/** Digest of C14N(value) by pointer into the request; "" is the whole request. */
export type SubjectDigests = Readonly<Record<string, string>>

/**
 * Compares what an entry is about with what a caller states about its request. Null: they are about the same. The whole request is enough;
 * otherwise every pointer of the entry must be stated and agree.
 */
export function subjectFault(
  entry: SubjectDigests,
  stated: SubjectDigests,
): "SUBJECT_NOT_STATED" | "SUBJECT_DIFFERS" | null {
  if (Object.hasOwn(entry, "") && entry[""] === stated[""]) return null
  const pointers = Object.keys(entry).filter((pointer) => pointer !== "")
  const needed = pointers.length > 0 ? pointers : [""]
  if (!needed.every((pointer) => Object.hasOwn(stated, pointer))) return "SUBJECT_NOT_STATED"
  return pointers.length > 0 && pointers.every((pointer) => stated[pointer] === entry[pointer])
    ? null
    : "SUBJECT_DIFFERS"
}
