/**
 * The service's keys in memory: for each use the key that signs now, and all earlier ones. Another process rotates them; `refresh` detects
 * that by the version of the database, so a request never reads keys from disk.
 */

import { ServiceError } from "../base/errors.ts"
import type { Machine } from "../base/machine.ts"
import { SecretFileError } from "../base/secret-file.ts"
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

/** `MISSING`: another process rotated the key, and this one does not have the file of the new key. */
type SigningState = "READY" | "EXPIRED" | "MISSING"

interface SigningKey {
  readonly keyId: string
  readonly x: string
  readonly since: number
  readonly expiresAt: number
  /** Null: its file cannot be used. The key before it must sign nothing more. */
  readonly held: (Signer & HeldKey) | null
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
    const ring = new KeyRing(parts, load(await parts.store.read(listAllServiceKeys), heldBy(parts)))
    ring.seenVersion = seenVersion
    return ring
  }

  /** The key that signs statements now. */
  current(): Signer {
    return this.unexpired("statement")
  }

  /** The same; null while it is expired. */
  currentOrNull(): Signer | null {
    return this.state() === "READY" ? this.loaded.signing.statement.held : null
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
    if (this.loaded.signing[use].held === null) return "MISSING"
    return this.parts.machine.now() < this.loaded.signing[use].expiresAt ? "READY" : "EXPIRED"
  }

  /** Whole days until the use's key expires; negative after expiry. */
  daysLeft(use: KeyUse = "statement"): number {
    return Math.floor((this.expiresAt(use) - this.parts.machine.now()) / DAY)
  }

  /** Since when the use's key signs, in milliseconds. */
  since(use: KeyUse = "statement"): number {
    return this.loaded.signing[use].since
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

  /** The keys that should sign now and whose files this process does not have. */
  missing(): readonly { readonly use: KeyUse; readonly keyId: string }[] {
    return KEY_USES.filter((use) => this.state(use) === "MISSING").map((use) => {
      return { use, keyId: this.loaded.signing[use].keyId }
    })
  }

  /**
   * Reads the keys again if the database changed, or while the file of one is missing. Returns true when the keys changed, or a file came. On failure
   * the ring stays as it was.
   */
  async refresh(): Promise<boolean> {
    const found = this.parts.othersVersion()
    // Planning calls this for each request: a number costs no turn.
    const version = typeof found === "number" ? found : await found
    if (version === this.seenVersion) return false
    const keys = await this.parts.store.read(listAllServiceKeys)
    const missed = this.missing().length
    const changed = JSON.stringify(keys) !== JSON.stringify(this.loaded.keys)
    if (changed || missed > 0) this.loaded = load(keys, heldIfThere(this.parts))
    const misses = this.missing().length
    // The file of a missing key may come without a change of the database.
    this.seenVersion = misses > 0 ? Number.NaN : version
    return changed || misses !== missed
  }

  /** Throws for an expired key: verifiers see `exp` and would reject its signatures. */
  private unexpired(use: KeyUse): Signer & HeldKey {
    const { held } = this.loaded.signing[use]
    if (held === null) {
      const detail = "Nothing was charged. This server does not have the signing key that another one rotated to."
      throw new ServiceError("NOT_READY", detail, { reasonCodes: ["SIGNING_KEY_MISSING"] })
    }
    if (this.state(use) === "EXPIRED") {
      throw new ServiceError(
        "SIGNING_KEY_EXPIRED",
        `Nothing was charged. The operator must run bizauth keys rotate --use ${use}.`,
      )
    }
    return held
  }
}

type Held = (keyId: string) => SigningKey["held"]

function heldBy({ heldKey, issuer }: KeyRingParts): Held {
  return (keyId) => ({ issuer, ...heldKey(keyId) })
}

/** Null for a key whose file cannot be used. */
function heldIfThere(parts: KeyRingParts): Held {
  const held = heldBy(parts)
  return (keyId) => {
    try {
      return held(keyId)
    } catch (error) {
      if (error instanceof SecretFileError) return null
      throw error
    }
  }
}

function load(keys: readonly ServiceKey[], held: Held): Loaded {
  const signing = Object.fromEntries(KEY_USES.map((use) => [use, signingKey(keys, use, held)]))
  return { keys, signing: signing as Record<KeyUse, SigningKey>, published: canonicalBytes(publishedKeys(keys)) }
}

function signingKey(keys: readonly ServiceKey[], use: KeyUse, held: Held): SigningKey {
  const active = keys.find((key) => key.use === use && key.status === "ACTIVE")
  if (!active) throw new Error(`the database has no ACTIVE ${use} key`)
  const { keyId, x } = active
  return { keyId, x, since: instant(active.notBefore), expiresAt: instant(active.expiresAt), held: held(keyId) }
}
