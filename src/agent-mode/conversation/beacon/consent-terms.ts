/** Terms of consents under which an event was judged before. */
import type { SignedIntentBeaconConsent } from "../../../../schemas/agent-mode/beacon.ts"
import { findConsentTerms } from "../../../store/agent-mode/beacon-consents.ts"
import type { Unit } from "../../../store/engine/unit.ts"
import { forgetOldest } from "../../forget-oldest.ts"

/** Maximum number of kept terms. Above it the oldest are forgotten. A consent has some kilobytes. */
export const KEPT_TERMS_MAX = 2_000

/**
 * INVARIANT: it is asked by the digest of the terms, so it never returns others. Whether the consent is live is read in the unit that acts.
 * A unit that runs again keeps the same terms again.
 */
export class ConsentTerms {
  readonly #kept = new Map<string, SignedIntentBeaconConsent>()

  get size(): number {
    return this.#kept.size
  }

  /** `requestDigest`: of the agent's consent with this id. */
  *of(agentId: string, consentId: string, requestDigest: string): Unit<SignedIntentBeaconConsent> {
    const kept = this.#kept.get(requestDigest)
    if (kept) return kept
    const terms = JSON.parse(yield* findConsentTerms(agentId, consentId)) as SignedIntentBeaconConsent
    forgetOldest(this.#kept, KEPT_TERMS_MAX)
    this.#kept.set(requestDigest, terms)
    return terms
  }
}
