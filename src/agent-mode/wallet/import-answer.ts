/** What an import answers: the entry, and what the verification in the answer is about. Pure. */
import type {
  ImportedProofWalletArtifact,
  ImportProofWalletArtifact,
} from "../../../schemas/agent-mode/proof-wallet.ts"
import type { ArtifactType } from "../../../schemas/agent-mode/wallet-artifact.ts"
import { ServiceError } from "../../base/errors.ts"
import { HOUR, waitSeconds } from "../../core/time.ts"
import type { FreeWriter } from "../../store/free-writes/admit.ts"
import type { UnspentSignature } from "../../store/identity/http-signatures.ts"
import type { WalletLimit } from "../../store/wallet/import-entry.ts"
import type { WalletEntry } from "../../store/wallet/wallet-entries.ts"
import type { TokenState } from "../../store/wallet/wallet-pages.ts"
import { CONTRACT, NO_EFFECTS } from "../answer-members.ts"
import { HOLDING_PROVES_NO_PURCHASE, type OpenedArtifact, type WalletIssuer } from "./opened-artifact.ts"
import { judgeEntry, type StoredVerification, temporalOf } from "./wallet-view.ts"

/** One import with everything that was computed from its request. */
export interface Import {
  readonly signature: UnspentSignature
  readonly body: ImportProofWalletArtifact
  readonly opened: OpenedArtifact
  readonly requestDigest: string
  /** Of the document as it was sent, with the token or invitation that is not stored. */
  readonly documentDigest: string
  readonly document: Uint8Array | null
  readonly at: number
  readonly now: string
  readonly until: string
  readonly writer: FreeWriter
}

/** The entry as it is kept after an import. */
interface KeptEntry {
  readonly entry: WalletEntry
  readonly token: TokenState
  /** This import verified the document. */
  readonly isVerified: boolean
}

export function importAnswer(
  deps: Pick<WalletIssuer, "findKey">,
  given: Import,
  { entry, token, isVerified }: KeptEntry,
): ImportedProofWalletArtifact {
  const { body, opened, at, now, until } = given
  const stored = JSON.parse(entry.verification) as StoredVerification
  const { state } = judgeEntry(entry, token, deps, at)
  return {
    ...CONTRACT,
    wallet_entry_id: entry.walletEntryId,
    // Only imports write entries.
    artifact_type: entry.type as ArtifactType,
    artifact_digest: entry.artifactDigest,
    issuer: entry.issuer,
    environment: body.environment,
    verification: { ...stored, temporal: temporalOf(entry, at) },
    imported_at: entry.importedAt,
    valid_until: entry.validUntil,
    reuse_state: state,
    retention: { mode: body.retention.mode, until },
    replayed: false,
    effects: NO_EFFECTS,
    limitations: [
      ...verifiedWhat(given, isVerified, entry),
      ...(opened.product === null ? [] : [HOLDING_PROVES_NO_PURCHASE]),
      ...opened.limitations,
    ],
    next_machine_action: until <= now ? "ENTRY_ENDED" : NEXT_ACTION[state],
  }
}

/**
 * What `verification` is about. CHOICE: a document that the wallet knows is not verified again, and the answer says so. Another document of
 * a known artifact is verified like a new one, except to end the entry: ending verifies nothing, so that it always works.
 */
function verifiedWhat({ documentDigest }: Import, isVerified: boolean, entry: WalletEntry): readonly string[] {
  if (entry.documentDigest !== documentDigest) return ["VERIFIED_BEFORE", "THIS_DOCUMENT_NOT_VERIFIED"]
  return [isVerified ? "VERIFIED_AT_IMPORT" : "VERIFIED_BEFORE"]
}

const NEXT_ACTION: Readonly<Record<ImportedProofWalletArtifact["reuse_state"], string>> = {
  REVOKED: "DO_NOT_RELY_ON_ARTIFACT",
  EXPIRED: "KEEP_AS_HISTORY",
  NOT_REUSABLE: "KEEP_AS_EVIDENCE",
  REUSABLE: "NAME_ENTRY_IN_REUSE_PREVIEW",
}

export function walletFull(limit: WalletLimit, { environment }: ImportProofWalletArtifact, at: number): ServiceError {
  if (limit === "ALL_WALLETS_KEEP_SEVEN_DAYS") {
    return new ServiceError(
      "WALLET_FULL",
      "All wallets together are half full. Send an until at most seven days ahead.",
      {
        reasonCodes: [limit],
        retryAfterSeconds: 3600,
      },
    )
  }
  const seconds = limit === "WALLET_IMPORTS_THIS_HOUR" ? waitSeconds(at - (at % HOUR) + HOUR, at, HOUR / 1000) : 3600
  const whose = limit.startsWith("ALL_")
    ? "The wallets of this service together are at their"
    : `The ${environment} wallet is at its`
  return new ServiceError(
    "WALLET_FULL",
    `${whose} limit. Ended entries make room: import an artifact with an until that is not ahead.`,
    { reasonCodes: [limit], retryAfterSeconds: seconds },
  )
}
