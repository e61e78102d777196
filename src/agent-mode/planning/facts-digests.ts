/** The digest of the facts that a plan depends on. */
import type { PlanningContinuation } from "../../../schemas/agent-mode/planning.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { type Digest, digestBytes } from "../../core/digest.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import { NO_REFERENCES } from "./judge-references.ts"
import type { AgentState, PlanningFacts } from "./plan.ts"
import type { PlanningDeps } from "./planning-deps.ts"
import { endText, type WriterParts } from "./result.ts"

type Facts = Pick<PlanningFacts, "agent" | "sources" | "references">

const NO_REFERENCES_TEXT = canonicalize(NO_REFERENCES)

/**
 * INVARIANT: a digest is of every fact that a result depends on. The signing key alone is left out: the signature names it. The text is
 * canonical: its members are in order.
 */
export class FactsDigests {
  readonly #catalogue: string
  readonly #settings: string
  readonly #service: string
  /** Most requests name no evidence and no plan, and share the sources: then only the agent's state differs. */
  #sources: readonly RequiredSource[] | null = null
  readonly #byAgent = new Map<AgentState, Digest>()

  constructor({
    catalogue,
    isUkRegisterLive,
    paymentsMode,
    baseUrl,
  }: WriterParts & Pick<PlanningDeps, "paymentsMode">) {
    this.#catalogue = catalogue.digest
    this.#settings = `"is_uk_register_live":${isUkRegisterLive},"payments":"${paymentsMode}"`
    this.#service = canonicalize(baseUrl)
  }

  of(facts: Facts, continued: PlanningContinuation | null): Digest {
    const { agent, sources, references } = facts
    if (continued !== null || references !== NO_REFERENCES) return this.#digest(facts, continued?.plan_id ?? null)
    if (sources !== this.#sources) {
      this.#sources = sources
      this.#byAgent.clear()
    }
    let digest = this.#byAgent.get(agent)
    if (digest === undefined) {
      digest = this.#digest(facts, null)
      this.#byAgent.set(agent, digest)
    }
    return digest
  }

  #digest({ agent, sources, references }: Facts, continues: string | null): Digest {
    const lines = sources.map(
      ({ sourceId, health, staleAt }) =>
        `{"health":"${health}","source_id":"${sourceId}","stale_at":${endText(staleAt)}}`,
    )
    const before = `{"agent":"${agent}","catalogue":"${this.#catalogue}","continues":${canonicalize(continues)}`
    const judged = references === NO_REFERENCES ? NO_REFERENCES_TEXT : canonicalize(references)
    const evidence = `"references":${judged},"service":${this.#service}`
    return digestBytes(`${before},${this.#settings},${evidence},"sources":[${lines.join(",")}]}`)
  }
}
