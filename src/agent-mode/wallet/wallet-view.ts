/** How an entry is shown and judged. Pure. */
import type { WalletVerification } from "../../../schemas/agent-mode/proof-wallet.ts"
import { instant } from "../../core/time.ts"
import type { WalletEntry } from "../../store/wallet/wallet-entries.ts"
import type { TokenState } from "../../store/wallet/wallet-pages.ts"
import { judgeReuse, type ReusableEntry, type ReuseJudgement } from "./judge-reuse.ts"
import type { WalletIssuer } from "./opened-artifact.ts"

/** The part of the verification that is stored with the entry. */
export type StoredVerification = Omit<WalletVerification, "temporal">

type JudgedEntry = Pick<WalletEntry, "product" | "decision" | "validUntil" | "signingKeyId">

/** What {@link judgeReuse} needs of a stored entry. */
export function reusableEntry(
  { product, decision, validUntil, signingKeyId }: JudgedEntry,
  { tokenKind, tokenState }: TokenState,
  { findKey }: Pick<WalletIssuer, "findKey">,
): ReusableEntry {
  const status = findKey(signingKeyId)?.status ?? "REVOKED"
  return { product, decision, validUntil, tokenKind, tokenState, isKeyRevoked: status === "REVOKED" }
}

export function judgeEntry(
  entry: JudgedEntry,
  token: TokenState,
  issuer: Pick<WalletIssuer, "findKey">,
  at: number,
): ReuseJudgement {
  return judgeReuse(reusableEntry(entry, token, issuer), at)
}

export function temporalOf(
  { validUntil }: Pick<WalletEntry, "validUntil">,
  at: number,
): WalletVerification["temporal"] {
  if (validUntil === null) return "NO_END"
  return instant(validUntil) <= at ? "EXPIRED" : "CURRENT"
}
