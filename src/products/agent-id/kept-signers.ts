import { Cache } from "../../core/cache.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import {
  findRecords,
  findSigner,
  type NamedSigner,
  NOTHING_RECORDED,
  type StatementRecords,
} from "../../store/identity/signature-facts.ts"

/** Maximum number of cached keys. */
export const KEPT_SIGNERS_MAX = 4_000

interface SignatureQuestion {
  readonly agentId: string
  readonly keyId: string
  /** Null if there is no statement. Then nothing about the signature is recorded. */
  readonly statement: { readonly nonceDigest: string; readonly digest: string } | null
  /** RFC 3339. A nonce that expired before this time is not found. */
  readonly at: string
}

export interface SignatureFacts extends NamedSigner, StatementRecords {
  readonly kind: "KNOWN"
}

interface KeptSigner {
  readonly agentId: string
  readonly signer: NamedSigner
}

/**
 * Caches signers. INVARIANT: a key is reused only on the same database version on which it was read. So the next verification sees a
 * rotation or revocation that any process committed, together with the records of the same version. Only facts are cached, never a verdict.
 */
export class KeptSigners {
  private readonly kept = new Cache<string, KeptSigner, number>({ max: KEPT_SIGNERS_MAX })

  constructor(private readonly store: Store) {}

  /** Reads everything from one database snapshot. Null: the agent does not exist. */
  factsOf(question: SignatureQuestion): Promise<SignatureFacts | null> {
    return this.store.readTogether((version) => this.read(question, version))
  }

  private *read({ agentId, keyId, statement, at }: SignatureQuestion, version: number): Unit<SignatureFacts | null> {
    const known = this.kept.get(keyId, version)
    const signer = known?.agentId === agentId ? known.signer : yield* findSigner(agentId, keyId)
    if (signer === null) return null
    // Unknown names are not cached, because strangers can invent any number of them.
    if (signer !== known?.signer && signer.key !== null) this.kept.set(keyId, { agentId, signer }, version)
    const records = statement
      ? yield* findRecords({ nonceDigest: statement.nonceDigest, statementDigest: statement.digest, at })
      : NOTHING_RECORDED
    return { kind: "KNOWN", ...signer, ...records }
  }
}
