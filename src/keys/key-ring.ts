/**
 * The statement keys in memory: one that signs now, all that ever signed. Rotation happens in another process; `refresh` notices
 * it by SQLite's `data_version`, so a request never reads keys from disk.
 */
import { canonicalBytes } from "../core/canonical-json.ts"
import type { Signer } from "../core/signer.ts"
import { DAY, instant } from "../core/time.ts"
import { ServiceError } from "../errors.ts"
import type { Machine } from "../machine.ts"
import { listServiceKeys, type ServiceKey } from "../store/service-keys.ts"
import type { Store } from "../store/unit.ts"
import { readKeyFile } from "./key-file.ts"
import { publishedKeys } from "./published-keys.ts"

export interface KeyRingParts {
  readonly store: Store
  readonly keysDirectory: string
  readonly issuer: string
  readonly machine: Machine
  /** Changes whenever another connection commits (`PRAGMA data_version`). */
  readonly dataVersion: () => number
}

export type SigningState = "READY" | "EXPIRED"

export class KeyRing {
  private seenVersion = Number.NaN

  private constructor(
    private readonly parts: KeyRingParts,
    private keys: readonly ServiceKey[],
    private signer: Signer,
    private published: Uint8Array,
  ) {}

  /** Throws SecretFileError when the ACTIVE key's file cannot be used, and Error when there is no ACTIVE key. */
  static async open(parts: KeyRingParts): Promise<KeyRing> {
    const seenVersion = parts.dataVersion()
    const keys = await parts.store.read(() => listServiceKeys("statement"))
    const ring = new KeyRing(parts, keys, signerOf(parts, keys), canonicalBytes(publishedKeys(keys)))
    ring.seenVersion = seenVersion
    return ring
  }

  /** The key that signs now. An expired key signs nothing: verifiers are told `exp` and would refuse what it signs. */
  current(): Signer {
    if (this.state() === "EXPIRED") {
      throw new ServiceError("SIGNING_KEY_EXPIRED", "Nothing was charged. The operator must run bizauth keys rotate.")
    }
    return this.signer
  }

  state(): SigningState {
    return this.parts.machine.now() < this.expiresAt() ? "READY" : "EXPIRED"
  }

  /** Whole days until the signing key expires; negative afterwards. */
  daysLeft(): number {
    return Math.floor((this.expiresAt() - this.parts.machine.now()) / DAY)
  }

  /** Any key this service ever signed statements with, whatever its status. */
  find(keyId: string): ServiceKey | undefined {
    return this.keys.find((key) => key.keyId === keyId)
  }

  /** Canonical bytes of the public key set. */
  jwks(): Uint8Array {
    return this.published
  }

  /** Reads the keys again if the database changed. True when the keys did. A failure leaves the ring as it was. */
  async refresh(): Promise<boolean> {
    const version = this.parts.dataVersion()
    if (version === this.seenVersion) return false
    const keys = await this.parts.store.read(() => listServiceKeys("statement"))
    const changed = JSON.stringify(keys) !== JSON.stringify(this.keys)
    if (changed) {
      this.signer = signerOf(this.parts, keys)
      this.published = canonicalBytes(publishedKeys(keys))
      this.keys = keys
    }
    this.seenVersion = version
    return changed
  }

  private expiresAt(): number {
    const active = this.find(this.signer.keyId)
    return active ? instant(active.expiresAt) : Number.NEGATIVE_INFINITY
  }
}

function signerOf({ keysDirectory, issuer }: KeyRingParts, keys: readonly ServiceKey[]): Signer {
  const active = keys.find((key) => key.status === "ACTIVE")
  if (!active) throw new Error("the database has no ACTIVE statement key")
  return { issuer, keyId: active.keyId, privateKey: readKeyFile(keysDirectory, active.keyId).privateKey }
}
