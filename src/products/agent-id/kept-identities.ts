import { ServiceError } from "../../base/errors.ts"
import { Cache } from "../../core/cache.ts"
import type { Reply } from "../../http/call.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import { findIdentity, type Identity } from "../../store/identity/agent-identity.ts"
import { isStatusUnknown } from "../../store/identity/paused-agents.ts"
import { readTreeSize } from "../../store/log/transparency-log.ts"

/** Maximum number of cached identities. */
export const KEPT_IDENTITIES_MAX = 4_000

const AGENT_ID = /^svc:agent:[A-Za-z0-9_-]{32}$/

interface SignedStatus {
  readonly answer: (request: Headers) => Reply
  /** The inputs of the reply in addition to the head event: the time window and the key. */
  readonly window: number
  readonly keyId: string
}

/** An identity and the replies built for it. All of them follow from its head event; the status also depends on the time. */
export interface KeptIdentity {
  /** Of the database. With a newer one the identity is read again; the replies stay while the head event is the same. */
  version: number
  /** Size of the log, read together with the identity. */
  treeSize: number
  readonly identity: Identity
  /** See `StatusFacts`. */
  isUnknown: boolean
  profile: ((request: Headers) => Reply) | null
  jwks: Reply | null
  status: SignedStatus | null
}

/**
 * Caches identities. INVARIANT: an entry is reused only if no process has committed since before it was read. So the very next request sees
 * a rotation or revocation, whichever process accepted it.
 */
export class KeptIdentities {
  private readonly kept = new Cache<string, KeptIdentity>({ max: KEPT_IDENTITIES_MAX })
  private poll: number | null = null
  /** At {@link poll}. A number costs no turn of the event loop; an engine that must ask gives a promise, which all calls of the poll share. */
  private version: number | Promise<number> = -1

  constructor(private readonly store: Store) {}

  /**
   * Returns without a promise if the identity is cached and the engine knows its version. Throws, or rejects with, AGENT_NOT_FOUND, which is
   * the same for unknown and malformed ids. `poll` is that of the call: the database is checked for commits once per poll, because the check
   * takes locks.
   */
  find(agentId: string, poll: number | null): KeptIdentity | Promise<KeptIdentity> {
    if (poll === null || poll !== this.poll) {
      this.version = this.store.version()
      this.poll = poll
    }
    const { version } = this
    return typeof version === "number"
      ? this.at(version, agentId)
      : version.then((answered) => this.at(answered, agentId))
  }

  private at(version: number, agentId: string): KeptIdentity | Promise<KeptIdentity> {
    const known = this.kept.get(agentId)
    return known?.version === version ? known : this.read(agentId, known)
  }

  private async read(agentId: string, known: KeptIdentity | undefined): Promise<KeptIdentity> {
    const version = await this.store.version()
    const found = AGENT_ID.test(agentId) ? await this.store.read(() => identityInLog(agentId)) : null
    if (!found) throw new ServiceError("AGENT_NOT_FOUND", "No identity has this id.")
    if (known?.identity.headEventDigest === found.identity.headEventDigest) {
      known.version = version
      known.treeSize = found.treeSize
      if (known.isUnknown !== found.isUnknown) known.status = null
      known.isUnknown = found.isUnknown
      return known
    }
    const fresh: KeptIdentity = { version, ...found, profile: null, jwks: null, status: null }
    this.kept.set(agentId, fresh)
    return fresh
  }
}

/**
 * Reads the head event and the size of the log from one database snapshot. A status with an older head below that log size would be proof
 * of a false statement by the service.
 */
function* identityInLog(agentId: string): Unit<{ identity: Identity; treeSize: number; isUnknown: boolean } | null> {
  const identity = yield* findIdentity(agentId)
  if (!identity) return null
  return { identity, treeSize: yield* readTreeSize(), isUnknown: yield* isStatusUnknown(identity) }
}
