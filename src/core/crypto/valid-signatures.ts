import { hash } from "node:crypto"
import { Cache } from "../cache.ts"
import { signatureFaultAside, verifySignature } from "../ed25519.ts"

/** `x` has passed `checkPublicKey`. */
type NamedKey = Readonly<Record<"keyId" | "x", string>>
type Verify = (x: string, message: string, signature: string) => boolean | Promise<boolean>
const verifyAside: Verify = async (x, message, signature) => (await signatureFaultAside(x, message, signature)) === null

/**
 * Two signatures each of 2,000 requests, some 1 MB: at a hundred purchases a second, those of the last twenty seconds. A client signs its
 * payment sooner; for one that does not, the signatures are verified again.
 */
const VALID_MAX = 4000
const KEYS_MAX = 1000

/**
 * Verifies the signatures of requests, and remembers which are valid: a quote and its payment carry the same two, whose verification is a
 * fourth of the time of a quote. It knows nothing of the state of a key or of what the key may sign: each call judges that from its own records.
 */
export class ValidSignatures {
  /** INVARIANT: only of valid signatures. An entry is the whole key, the SHA-256 of the message and the whole signature. */
  readonly #valid = new Cache<string, true>({ max: VALID_MAX })
  /** The `x` of keys that signed, by key id. */
  readonly #keys = new Cache<string, string>({ max: KEYS_MAX })

  /** `isAside`: on threads of the runtime's pool, which costs a third more in total, so never on one processor. */
  constructor(
    private readonly isAside: boolean,
    private readonly verify: Verify = isAside ? verifyAside : verifySignature,
  ) {}

  async isValid({ keyId, x }: NamedKey, message: string, signature: string): Promise<boolean> {
    const entry = `${x} ${hash("sha256", message, "base64url")} ${signature}`
    if (this.#valid.get(entry)) return true
    if (!(await this.verify(x, message, signature))) return false
    this.#valid.set(entry, true)
    this.#keys.set(keyId, x)
    return true
  }

  /**
   * Verifies aside what {@link isValid} will be asked for once the records are read, if the key signed before. Decides nothing: should the
   * records name another key, then only time was lost.
   */
  async verifyAhead(keyId: string, message: () => string, signature: string): Promise<void> {
    const x = this.isAside ? this.#keys.get(keyId) : undefined
    if (x !== undefined) await this.isValid({ keyId, x }, message(), signature)
  }
}
