/**
 * The service's keys in memory: for each use the key that signs now, and all earlier ones. Another process rotates them; `refresh` detects
 * that by the version of the database, so a request never reads keys from disk.
 */

import { ServiceError } from "../base/errors.ts"
import type { Machine } from "../base/machine.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { sandboxIssuer } from "../core/sandbox/sandbox-issuer.ts"
import type { LogKey } from "../core/sign-checkpoint.ts"
import type { Signer } from "../core/signer.ts"
import { DAY, instant } from "../core/time.ts"
import type { Store } from "../store/engine/unit.ts"
import { KEY_USES, type KeyUse, listAllServiceKeys, type ServiceKey } from "../store/identity/service-keys.ts"
import type { HeldKey } from "./key-file.ts"
import { publishedKeys } from "./published-keys.ts"

interface KeyRingParts {
  readonly store: Store
  /** Returns the private half of a key that signs. Throws SecretFileError when its file cannot be used. */
  readonly heldKey: (keyId: string) => HeldKey
  readonly issuer: string
  readonly machine: Machine
  /** See `Engine`. */
  readonly othersVersion: () => number | Promise<number>
}

type SigningState = "READY" | "EXPIRED"

interface SigningKey extends Signer, HeldKey {
  readonly expiresAt: number
}

/** Replaced as a whole, so that no reader sees keys of two states. */
interface Loaded {
  readonly keys: readonly ServiceKey[]
  readonly signing: Readonly<Record<KeyUse, SigningKey>>
  readonly published: Uint8Array
}

export class KeyRing {
  private seenVersion = Number.NaN

  private constructor(
    private readonly parts: KeyRingParts,
    private loaded: Loaded,
  ) {}

  /** Throws SecretFileError when an ACTIVE key's file cannot be used, and Error when a use has no ACTIVE key. */
  static async open(parts: KeyRingParts): Promise<KeyRing> {
    const seenVersion = await parts.othersVersion()
    const ring = new KeyRing(parts, load(parts, await parts.store.read(listAllServiceKeys)))
    ring.seenVersion = seenVersion
    return ring
  }

  /** The key that signs statements now. */
  current(): Signer {
    return this.unexpired("statement")
  }

  /** The same; null while it is expired. */
  currentOrNull(): Signer | null {
    return this.state() === "EXPIRED" ? null : this.loaded.signing.statement
  }

  /** The key that signs checkpoints of the log now. */
  logKey(): LogKey {
    return this.unexpired("log")
  }

  /** The key that signs the documents of the sandbox now. Its issuer differs from that of statements. */
  sandboxKey(): Signer {
    const { keyId, privateKey } = this.unexpired("sandbox")
    return { issuer: sandboxIssuer(this.parts.issuer), keyId, privateKey }
  }

  /** The public keys that sign now, one for each use. */
  signingKeys(): readonly { readonly use: KeyUse; readonly keyId: string; readonly x: string }[] {
    const { signing } = this.loaded
    return KEY_USES.map((use) => ({ use, keyId: signing[use].keyId, x: signing[use].x }))
  }

  /** Public keys whose checkpoints are valid, base64url: the current one first, then the ROTATED ones. */
  checkpointKeys(): readonly string[] {
    const signing = this.loaded.signing.log.x
    const rotated = this.loaded.keys.filter(({ use, status }) => use === "log" && status === "ROTATED")
    return [signing, ...rotated.map(({ x }) => x)]
  }

  state(use: KeyUse = "statement"): SigningState {
    return this.parts.machine.now() < this.loaded.signing[use].expiresAt ? "READY" : "EXPIRED"
  }

  /** Whole days until the use's key expires; negative after expiry. */
  daysLeft(use: KeyUse = "statement"): number {
    return Math.floor((this.expiresAt(use) - this.parts.machine.now()) / DAY)
  }

  /** When the use's key expires, in milliseconds. */
  expiresAt(use: KeyUse): number {
    return this.loaded.signing[use].expiresAt
  }

  /** Any key that this service ever signed with, whatever its use and status. */
  find(keyId: string): ServiceKey | undefined {
    return this.loaded.keys.find((key) => key.keyId === keyId)
  }

  /** Canonical bytes of the public key set. */
  jwks(): Uint8Array {
    return this.loaded.published
  }

  /** Reads the keys again if the database changed. Returns true when the keys changed. On failure the ring stays as it was. */
  async refresh(): Promise<boolean> {
    const found = this.parts.othersVersion()
    // Planning calls this for each request: a number costs no turn.
    const version = typeof found === "number" ? found : await found
    if (version === this.seenVersion) return false
    const keys = await this.parts.store.read(listAllServiceKeys)
    const changed = JSON.stringify(keys) !== JSON.stringify(this.loaded.keys)
    if (changed) this.loaded = load(this.parts, keys)
    this.seenVersion = version
    return changed
  }

  /** Throws for an expired key: verifiers see `exp` and would reject its signatures. */
  private unexpired(use: KeyUse): SigningKey {
    if (this.state(use) === "EXPIRED") {
      throw new ServiceError(
        "SIGNING_KEY_EXPIRED",
        `Nothing was charged. The operator must run bizauth keys rotate --use ${use}.`,
      )
    }
    return this.loaded.signing[use]
  }
}

function load(parts: KeyRingParts, keys: readonly ServiceKey[]): Loaded {
  const signing = Object.fromEntries(KEY_USES.map((use) => [use, signingKey(parts, keys, use)]))
  return { keys, signing: signing as Record<KeyUse, SigningKey>, published: canonicalBytes(publishedKeys(keys)) }
}

function signingKey({ heldKey, issuer }: KeyRingParts, keys: readonly ServiceKey[], use: KeyUse): SigningKey {
  const active = keys.find((key) => key.use === use && key.status === "ACTIVE")
  if (!active) throw new Error(`the database has no ACTIVE ${use} key`)
  const { keyId } = active
  return { issuer, ...heldKey(keyId), expiresAt: instant(active.expiresAt) }
}
