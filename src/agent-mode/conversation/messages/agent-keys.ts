/** Public keys of agents that signed a message before. */
import { forgetOldest } from "../../forget-oldest.ts"

/** Maximum number of keys. Above it the oldest is forgotten. */
export const KNOWN_KEYS_MAX = 4_000

interface KnownKey {
  readonly agentId: string
  readonly x: string
}

/**
 * INVARIANT: it knows which bytes a key has and who enrolled it, and nothing of its state. A key id is the thumbprint of the key, so neither
 * ever changes. Whether the key is active is read in the unit that acts.
 */
export class AgentKeys {
  readonly #known = new Map<string, KnownKey>()

  /** Returns the public key (base64url), or null if this agent signed with no such key yet. */
  find(agentId: string, keyId: string): string | null {
    const known = this.#known.get(keyId)
    return known?.agentId === agentId ? known.x : null
  }

  keep(agentId: string, keyId: string, x: string): void {
    if (!this.#known.has(keyId)) forgetOldest(this.#known, KNOWN_KEYS_MAX)
    this.#known.set(keyId, { agentId, x })
  }
}
