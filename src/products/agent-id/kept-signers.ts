import {
  findRecords,
  findSigner,
  type NamedSigner,
  NOTHING_RECORDED,
  type StatementRecords,
} from "../../store/identity/signature-facts.ts"
import type { Store, Unit } from "../../store/unit.ts"

/** Keys kept in memory; beyond it the one kept longest is forgotten. */
export const KEPT_SIGNERS_MAX = 4_000

export interface SignatureQuestion {
  readonly agentId: string
  readonly keyId: string
  /** Null where there is no statement: nothing is recorded of such a signature. */
  readonly statement: { readonly nonceDigest: string; readonly digest: string } | null
  /** RFC 3339; a nonce that expired by then is not found. */
  readonly at: string
}

export interface SignatureFacts extends NamedSigner, StatementRecords {
  readonly kind: "KNOWN"
}

interface KeptSigner {
  readonly version: number
  readonly agentId: string
  readonly signer: NamedSigner
}

/**
 * Who signs, as the database has it now. INVARIANT: a key is used again only on a view of the very version it was read on, so a
 * rotation or revocation that any process committed is seen by the next verification, together with the records of the same view.
 * Only facts are kept, never a verdict.
 */
export class KeptSigners {
  private readonly kept = new Map<string, KeptSigner>()

  constructor(private readonly store: Store) {}

  /** All on one view. null: no such agent. */
  factsOf(asked: SignatureQuestion): Promise<SignatureFacts | null> {
    return this.store.readTogether((version) => this.read(asked, version))
  }

  private *read({ agentId, keyId, statement, at }: SignatureQuestion, version: number): Unit<SignatureFacts | null> {
    const known = this.kept.get(keyId)
    const signer =
      known?.version === version && known.agentId === agentId ? known.signer : yield* findSigner(agentId, keyId)
    if (signer === null) return null
    if (signer !== known?.signer && signer.key !== null) this.keep(keyId, { version, agentId, signer })
    const records = statement
      ? yield* findRecords({ nonceDigest: statement.nonceDigest, statementDigest: statement.digest, at })
      : NOTHING_RECORDED
    const { identityStatus, headEventDigest, key } = signer
    const { recordId, registeredAt } = records
    return { kind: "KNOWN", identityStatus, headEventDigest, key, recordId, registeredAt }
  }

  /** Not for names that are nobody's: strangers can make up any number of those. */
  private keep(keyId: string, fresh: KeptSigner): void {
    this.kept.delete(keyId)
    if (this.kept.size >= KEPT_SIGNERS_MAX) {
      const oldest = this.kept.keys().next()
      if (!oldest.done) this.kept.delete(oldest.value)
    }
    this.kept.set(keyId, fresh)
  }
}
