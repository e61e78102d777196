/** The digest of the facts that a plan depends on. */
import type { PlanningContinuation } from "../../../schemas/agent-mode/planning.ts"
import { type Digest, digestOf } from "../../core/digest.ts"
import type { PlanningFacts } from "./plan.ts"
import type { PlanningSettings } from "./planning-deps.ts"
import { instantOrNull } from "./result.ts"

/** INVARIANT: a digest is of every fact that a result depends on. The signing key alone is left out: the signature names it. */
export function factsDigest(
  { agent, sources, references }: PlanningFacts,
  continued: PlanningContinuation | null,
  { catalogue, isUkRegisterLive, paymentsMode, baseUrl }: PlanningSettings,
): Digest {
  return digestOf({
    agent,
    catalogue: catalogue.digest,
    continues: continued?.plan_id ?? null,
    is_uk_register_live: isUkRegisterLive,
    payments: paymentsMode,
    references,
    service: baseUrl,
    sources: sources.map(({ sourceId, health, staleAt }) => ({
      health,
      source_id: sourceId,
      stale_at: instantOrNull(staleAt),
    })),
  })
}
