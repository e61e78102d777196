import { ServiceError } from "../../errors.ts"
import type { Answer } from "../../http/call.ts"
import { findIdentity, type Identity } from "../../store/identity/agent-identity.ts"
import { readTreeSize } from "../../store/log/transparency-log.ts"
import type { Store, Unit } from "../../store/unit.ts"

/** Identities kept in memory; beyond it the one kept longest is forgotten. */
export const KEPT_IDENTITIES_MAX = 4_000

const AGENT_ID = /^svc:agent:[A-Za-z0-9_-]{32}$/

export interface SignedStatus {
  readonly answer: (request: Headers) => Answer
  /** What it was made for, besides the head event: the window of time, and the key. */
  readonly window: number
  readonly keyId: string
}

/** An identity and the answers about it that were asked for. All of them follow from its head event, the status also from the time. */
export interface KeptIdentity {
  version: number
  /** Of the log, read together with the identity. */
  treeSize: number
  readonly identity: Identity
  profile: ((request: Headers) => Answer) | null
  jwks: Answer | null
  status: SignedStatus | null
}

/**
 * Identities as the database has them now. INVARIANT: one is used again only while no commit of any process has happened since
 * before it was read, so a rotation or revocation is seen by the very next request, on whichever process it was accepted.
 */
export class KeptIdentities {
  private readonly kept = new Map<string, KeptIdentity>()
  private poll: number | null = null
  private version = -1

  constructor(private readonly store: Store) {}

  /**
   * Without a promise when it is at hand. Throws, or rejects with, AGENT_NOT_FOUND; unknown and malformed ids are told alike. `poll` is
   * that of the call: the database is asked for commits once in each, because asking takes locks.
   */
  find(agentId: string, poll: number | null): KeptIdentity | Promise<KeptIdentity> {
    const known = this.kept.get(agentId)
    if (poll === null || poll !== this.poll) {
      this.version = this.store.version()
      this.poll = poll
    }
    return known?.version === this.version ? known : this.read(agentId, known)
  }

  private async read(agentId: string, known: KeptIdentity | undefined): Promise<KeptIdentity> {
    const version = this.store.version()
    const found = AGENT_ID.test(agentId) ? await this.store.read(() => identityInLog(agentId)) : null
    if (!found) throw new ServiceError("AGENT_NOT_FOUND", "No identity has this id.")
    if (known?.identity.headEventDigest === found.identity.headEventDigest) {
      known.version = version
      known.treeSize = found.treeSize
      return known
    }
    const fresh: KeptIdentity = { version, ...found, profile: null, jwks: null, status: null }
    this.kept.delete(agentId)
    if (this.kept.size >= KEPT_IDENTITIES_MAX) this.forgetOldest()
    this.kept.set(agentId, fresh)
    return fresh
  }

  private forgetOldest(): void {
    const oldest = this.kept.keys().next()
    if (!oldest.done) this.kept.delete(oldest.value)
  }
}

/** Head event and size of the log on one view: a status that named an older head below that size would prove a lie of ours. */
function* identityInLog(agentId: string): Unit<{ identity: Identity; treeSize: number } | null> {
  const identity = yield* findIdentity(agentId)
  return identity ? { identity, treeSize: yield* readTreeSize() } : null
}
