/** What every plan reads, kept while no process commits. */

import type { Store, Unit } from "../../store/engine/unit.ts"
import { findActiveOperationalKey, headDigestOf } from "../../store/identity/agent-identity.ts"
import { forgetOldest } from "../forget-oldest.ts"
import type { AgentState } from "./plan.ts"

/** Maximum number of kept agents. Above it the oldest is forgotten. */
export const KEPT_AGENTS_MAX = 4_000

interface KeptAgent {
  readonly version: number
  readonly state: AgentState
}

/**
 * INVARIANT: a state is used again only if no process has committed since before it was read. So the next plan sees a revocation, whichever
 * process accepted it.
 */
export class PlanningReads {
  readonly #kept = new Map<string, KeptAgent>()
  #poll: number | null = null
  #version = -1
  #keys: Promise<unknown> = Promise.resolve()

  constructor(
    private readonly store: Store,
    private readonly refreshKeys: () => Promise<unknown>,
  ) {}

  get size(): number {
    return this.#kept.size
  }

  /**
   * Resolves when the service's keys and the version of the database are those of now. `poll` is that of the call: the database is asked
   * once for each poll, because the question takes locks.
   */
  begin(poll: number | null): Promise<unknown> {
    if (poll === null || poll !== this.#poll) {
      this.#version = this.store.version()
      this.#keys = this.refreshKeys()
      this.#poll = poll
    }
    return this.#keys
  }

  /** Call it in the same turn as {@link begin}. Null: it must be read. */
  keptState(agentId: string | null): AgentState | null {
    if (agentId === null) return "NOT_STATED"
    const kept = this.#kept.get(agentId)
    return kept?.version === this.#version ? kept.state : null
  }

  /** `version` is that of the view. Unknown agents are not kept, because strangers can invent any number of them. */
  *readState(agentId: string | null, version: number): Unit<AgentState> {
    if (agentId === null) return "NOT_STATED"
    const isActive = (yield* findActiveOperationalKey(agentId)) !== null
    if (!isActive && (yield* headDigestOf(agentId)) === null) return "UNKNOWN"
    const state = isActive ? "ACTIVE" : "NO_ACTIVE_KEY"
    this.#kept.delete(agentId)
    forgetOldest(this.#kept, KEPT_AGENTS_MAX)
    this.#kept.set(agentId, { version, state })
    return state
  }
}
